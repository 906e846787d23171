package scan

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/run"
)

// ScanTools are the programs that make and scan files. Those not there have a reason
// in missing.
type ScanTools struct {
	data.Paths
	ours, self string            // convert, and this program
	missing    map[string]string // by name of the tool: java, python
}

// findScanTools builds what is built of this repository, and looks for the rest.
func findScanTools(ctx context.Context, h *run.Harness) (*ScanTools, error) {
	s := &ScanTools{Paths: h.Paths, ours: h.Ours, self: h.Self, missing: map[string]string{}}
	for name, build := range map[string]func(context.Context) error{
		"java": s.buildJava, "python": s.findPython,
	} {
		if err := build(ctx); err != nil {
			s.missing[name] = firstLineOf(err.Error())
			fmt.Fprintf(os.Stderr, "no %s: %v\n", name, err)
		}
	}
	return s, ctx.Err()
}

func firstLineOf(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func (s *ScanTools) classes() string { return s.Data("scan-classes") }
func (s *ScanTools) script(name string) string {
	return filepath.Join("bench", "peers", name)
}

func (s *ScanTools) buildJava(ctx context.Context) error {
	if _, err := exec.LookPath("javac"); err != nil {
		return err
	}
	if !data.Exists(s.AvroTools()) {
		return fmt.Errorf("no %s: run the data verb", filepath.Base(s.AvroTools()))
	}
	text, err := os.ReadFile(s.script("Scan.java"))
	if err != nil {
		return err
	}
	return s.Compile(ctx, s.classes(), "Scan.java", text, s.AvroTools())
}

func (s *ScanTools) findPython(ctx context.Context) error {
	if !data.Exists(s.Python()) {
		return fmt.Errorf("no Python: run the data verb")
	}
	return data.Run(ctx, s.Python(), "-c", "import pyarrow, duckdb, fastavro")
}

// scanFiles are a table in each format.
type scanFiles map[string]string

// files makes a table's other formats out of its Avro file, under a name: Trevni anew,
// for it is this revision's that is measured, and Parquet where it isn't there yet, or is
// missing if it cannot be made.
func (s *ScanTools) files(ctx context.Context, avro, name string) (scanFiles, error) {
	base := s.Data("scan-" + name)
	all := scanFiles{"avro": avro, "trv": base + ".trv"}
	if err := makeFile(ctx, all["trv"], []string{s.ours, "--if-exists", "replace", avro}); err != nil {
		return nil, err
	}
	parquet := base + ".parquet"
	if !data.Newer(parquet, avro) {
		if err := makeFile(ctx, parquet, []string{s.Python(), s.script("to_parquet.py"), avro}); err != nil {
			fmt.Fprintln(os.Stderr, lastLineOf(err.Error()))
			return all, nil
		}
	}
	all["parquet"] = parquet
	return all, nil
}

// lastLineOf is where Python says what went wrong.
func lastLineOf(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// makeFile has a command make the file that it is given as its last argument, under
// another name until it is whole.
func makeFile(ctx context.Context, path string, command []string) error {
	fmt.Fprintf(os.Stderr, "making %s\n", filepath.Base(path))
	ext := filepath.Ext(path)
	part := strings.TrimSuffix(path, ext) + ".part" + ext
	if err := data.Run(ctx, command[0], append(command[1:len(command):len(command)], part)...); err != nil {
		return fmt.Errorf("bench: make %s: %w", path, err)
	}
	return os.Rename(part, path)
}
