package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"

	"github.com/golang/snappy"
)

// drive is the disc of the specification's first goal.
var drive = struct{ seek, rate float64 }{0.010, 100e6} // seconds, bytes a second

// driveCost is the milliseconds that the drive takes for each megabyte read, if it seeks
// so often for so many bytes.
func driveCost(seeks, bytes float64) float64 {
	if bytes == 0 {
		return 0
	}
	return (seeks*drive.seek + bytes/drive.rate) * 1e3 / (bytes / 1e6)
}

// SpecSweeps check what the specification says of itself, and what is said of columns in
// general, on our data.
func SpecSweeps(ctx context.Context, s *sweeper) error {
	for _, sweeps := range []func(context.Context, *sweeper) error{rowGroups, overheads, checksums, claims} {
		if err := sweeps(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// rowGroups are goal 1 on our files: what reading one column takes, counted, by the size
// of row groups.
func rowGroups(ctx context.Context, s *sweeper) error {
	input, sizes := s.Harness.Data("lineitem3"), []string{"1MiB", "4MiB", "16MiB", "64MiB", "256MiB", "1GiB"}
	if s.Quick || s.Measuring.Input != "" {
		input, sizes = s.table(), []string{"1MiB", "4MiB", "16MiB"}
	}
	due := slices.ContainsFunc(s.specColumns(), func(column string) bool { return s.due("row-groups" + column) })
	var outputs []string
	for _, size := range sizes {
		name := "row-groups-" + size
		outputs = append(outputs, name)
		if !due {
			continue
		}
		if _, err := s.convertTo(ctx, name, input, "--file-size", size); err != nil {
			return err
		}
	}
	for _, column := range s.specColumns() {
		var settings []setting
		for i, size := range sizes {
			settings = append(settings, setting{size, data.MustBytes(size), func(ctx context.Context) (report.Reading, error) {
				return s.rowGroup(ctx, outputs[i], column)
			}})
		}
		w := report.Sweep{
			Name: "row-groups" + column, Setting: "--file-size",
			What:     "One column" + strings.Replace(column, "-", ", ", 1) + ", by the size of row groups; ms a MB as the drive of goal 1 would take",
			Measures: []string{"files", "MB read", "seeks", "ms a MB", "scan s, from memory"},
		}
		if err := s.sweep(ctx, w, settings); err != nil {
			return err
		}
	}
	return s.remove(outputs...)
}

// specColumns are a column of 8 bytes a row and one of a fraction of a byte, as parts of
// a sweep's name; of a table that isn't ours the column of the median size.
func (s *sweeper) specColumns() []string {
	if s.Measuring.Input != "" {
		return []string{""}
	}
	return []string{"-l_extendedprice", "-l_returnflag"}
}

func (s *sweeper) rowGroup(ctx context.Context, output, column string) (report.Reading, error) {
	p, err := probeBy(ctx, s.Harness, filepath.Join(s.Work, output), strings.TrimPrefix(column, "-"), "column")
	if err != nil {
		return nil, err
	}
	c := p.Column
	return report.Reading{
		"files": float64(p.Anatomy.Files), "MB read": float64(c.Bytes) / 1e6, "seeks": float64(c.Seeks),
		"ms a MB": driveCost(float64(c.Seeks), float64(c.Bytes)), "scan s, from memory": c.Seconds,
	}, nil
}

// specTables are the tables that sizes are told of.
func (s *sweeper) specTables() []string {
	if s.Quick || s.Measuring.Input != "" {
		return []string{s.table()}
	}
	var all []string
	for _, name := range []string{"lineitem-snappy", "lineitem-deflate", "wide-snappy", "nested-snappy", "nullable-snappy", "sparse-snappy"} {
		all = append(all, s.Harness.Data(name+".avro"))
	}
	return all
}

// overheads are goal 7: what the format adds to the bytes of columns, and how those
// compare with the rows that they came from, both uncompressed.
func overheads(ctx context.Context, s *sweeper) error {
	var settings []setting
	for _, input := range s.specTables() {
		settings = append(settings, setting{at: tableName(input), turn: func(ctx context.Context) (report.Reading, error) {
			return s.overhead(ctx, input)
		}})
	}
	w := report.Sweep{
		Name: "overhead", Setting: "table",
		What:     "Goal 7, minimal overhead: uncompressed files, and their bytes that are not values",
		Measures: []string{"Avro rows MB", "columns MB", "file MB", "header kB", "descriptors kB", "checksums kB", "overhead %", "file, to Avro's rows"},
	}
	return errors.Join(s.once(ctx, w, settings), s.remove("spec.trv"))
}

func (s *sweeper) overhead(ctx context.Context, input string) (report.Reading, error) {
	c, err := s.convertTo(ctx, "spec.trv", input, "--codec", "null")
	if err != nil {
		return nil, err
	}
	p, err := probeBy(ctx, s.Harness, c.output, "", "none")
	if err != nil {
		return nil, err
	}
	a := p.Anatomy
	r := report.Reading{
		"columns MB": float64(a.Raw) / 1e6, "file MB": float64(a.Bytes) / 1e6, "header kB": float64(a.Header) / 1e3,
		"descriptors kB": float64(a.Descriptors) / 1e3, "checksums kB": float64(a.Checksums) / 1e3,
		"overhead %": 100 * float64(a.overhead()) / float64(max(a.Raw, 1)),
	}
	rows, err := rawRows(input)
	if err == nil {
		r["Avro rows MB"], r["file, to Avro's rows"] = float64(rows)/1e6, float64(a.Bytes)/float64(max(rows, 1))
	}
	return r, nil
}

// rawRows is the bytes of an Avro file's rows before compression by snappy, whose blocks
// tell it; of other codecs it is an error.
func rawRows(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	codec, spans, err := data.AvroBlocks(f)
	if err != nil {
		return 0, err
	}
	if codec != "snappy" {
		return 0, fmt.Errorf("bench: blocks of codec %q do not tell their size", codec)
	}
	var raw int64
	head := make([]byte, 10)
	for _, s := range spans {
		n, err := f.ReadAt(head[:min(int64(len(head)), s.Size)], s.Offset)
		if err != nil {
			return 0, err
		}
		size, err := snappy.DecodedLen(head[:n])
		if err != nil {
			return 0, fmt.Errorf("bench: %s: block at %d: %w", path, s.Offset, err)
		}
		raw += int64(size)
	}
	return raw, nil
}

// checksums are what --checksum costs who writes and who reads.
func checksums(ctx context.Context, s *sweeper) error {
	var settings []setting
	for _, codec := range []string{"snappy", "null"} {
		for _, sum := range []string{"crc32", "null"} {
			settings = append(settings, setting{at: sum + ", codec " + codec, turn: func(ctx context.Context) (report.Reading, error) {
				return s.checksum(ctx, codec, sum)
			}})
		}
	}
	w := report.Sweep{
		Name: "checksums", Setting: "--checksum", What: "The price of checksums: converting, and reading all columns on one core",
		Measures: []string{"convert s", "convert CPU s", "all columns s", "one column s", "file MB"},
	}
	return errors.Join(s.sweep(ctx, w, settings), s.remove("spec.trv"))
}

func (s *sweeper) checksum(ctx context.Context, codec, sum string) (report.Reading, error) {
	c, err := s.convertTo(ctx, "spec.trv", s.table(), "--codec", codec, "--checksum", sum)
	if err != nil {
		return nil, err
	}
	p, err := probeBy(ctx, s.Harness, c.output, "", "scan,column")
	if err != nil {
		return nil, err
	}
	return report.Reading{
		"convert s": c.Wall, "convert CPU s": c.CPU(), "file MB": float64(c.Output) / 1e6,
		"all columns s": p.Scan.Seconds, "one column s": p.Column.Seconds,
	}, nil
}

// claims are those of columns in general, in the words of Parquet's announcement: "a
// reduction in size by one third", "scan times [...] reduced to a fraction".
func claims(ctx context.Context, s *sweeper) error {
	var settings []setting
	var outputs []string
	for i, input := range s.specTables() {
		var c *conversion // once: it is reading that is timed
		outputs = append(outputs, fmt.Sprintf("claims-%d.trv", i))
		settings = append(settings, setting{at: tableName(input), turn: func(ctx context.Context) (_ report.Reading, err error) {
			if c == nil {
				if c, err = s.convertTo(ctx, outputs[i], input, "--codec", codecOf(input)); err != nil {
					return nil, err
				}
			}
			return s.claim(ctx, c)
		}})
	}
	w := report.Sweep{
		Name: "claims", Setting: "table", What: "Size and scans against the Avro file of the same codec; the column is that of the median size",
		Measures: []string{"Avro MB", "Trevni MB", "smaller by %", "one column MB read", "% of Avro", "all columns s", "one column s"},
	}
	return errors.Join(s.sweep(ctx, w, settings), s.remove(outputs...))
}

func (s *sweeper) claim(ctx context.Context, c *conversion) (report.Reading, error) {
	p, err := probeBy(ctx, s.Harness, c.output, "", "scan,column")
	if err != nil {
		return nil, err
	}
	avro := float64(max(c.Counters.InputBytes, 1))
	return report.Reading{
		"Avro MB": avro / 1e6, "Trevni MB": float64(c.Output) / 1e6, "smaller by %": 100 * (1 - float64(c.Output)/avro),
		"one column MB read": float64(p.Column.Bytes) / 1e6, "% of Avro": 100 * float64(p.Column.Bytes) / avro,
		"all columns s": p.Scan.Seconds, "one column s": p.Column.Seconds,
	}, nil
}

// codecOf is the codec of an Avro file, where Trevni has it too, else snappy.
func codecOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "snappy"
	}
	defer f.Close()
	switch codec, _, err := data.AvroBlocks(f); {
	case err == nil && (codec == "null" || codec == "deflate"):
		return codec
	default:
		return "snappy"
	}
}

func tableName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".avro") }
