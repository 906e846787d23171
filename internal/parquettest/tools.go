package parquettest

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"avro2trevni/internal/hadooptest"
)

// sources are the readers' programs, and what they are fetched by.
//
//go:embed python/*.py python/*.txt java/*.java java/pom.xml*
var sources embed.FS

// A tool is what readers of one language need, got once a process.
type tool func() (command []string, env []string, err error)

// once remembers what a tool says.
func once(get func() ([]string, []string, error)) tool {
	type said struct {
		command, env []string
		err          error
	}
	f := sync.OnceValue(func() (s said) {
		s.command, s.env, s.err = get()
		return s
	})
	return func() ([]string, []string, error) {
		s := f()
		return s.command, s.env, s.err
	}
}

// python returns what runs a program of python/ with the packages of lists there.
func python(program string, lists ...string) tool {
	return once(func() ([]string, []string, error) { return pythonCommand(program, lists) })
}

func pythonCommand(program string, lists []string) (command, env []string, err error) {
	var packages []string
	for _, list := range lists {
		dir, err := fetch("python", "python/"+list, func(list, dir string) *exec.Cmd {
			return exec.Command("python3", "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--disable-pip-version-check", "--target", dir, "-r", list)
		})
		if err != nil {
			return nil, nil, err
		}
		packages = append(packages, dir)
	}
	dir, err := unpacked()
	env = []string{"PYTHONPATH=" + strings.Join(packages, string(filepath.ListSeparator)), "PYTHONIOENCODING=utf-8"}
	return []string{"python3", "-B", filepath.Join(dir, "python", program)}, env, err
}

// java returns what runs a program of java/, compiled as it starts.
func java(program string) tool {
	return once(func() ([]string, []string, error) { return javaCommand(program) })
}

func javaCommand(program string) (command, env []string, err error) {
	if _, err := exec.LookPath("java"); err != nil {
		return nil, nil, err
	}
	jars, err := fetch("java", "java/pom.xml", func(pom, dir string) *exec.Cmd {
		return exec.Command("mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DoutputDirectory="+dir)
	})
	if err != nil {
		return nil, nil, err
	}
	dir, err := unpacked()
	return []string{"java", "-Xmx1g", "-XX:-UsePerfData", "-cp", filepath.Join(jars, "*"), filepath.Join(dir, "java", program)}, nil, err
}

// golang runs internal/peers/rows.
var golang = once(func() ([]string, []string, error) {
	root, err := top()
	if err != nil {
		return nil, nil, err
	}
	dir, err := unpacked()
	if err != nil {
		return nil, nil, err
	}
	program := filepath.Join(dir, "rows")
	_, err = output(exec.Command("go", "build", "-C", filepath.Join(root, "internal", "peers"), "-o", program, "./rows"))
	return []string{program}, nil, err
})

// unpacked is the folder with the programs: of this process, and gone when [Remove] is called.
var unpacked = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "parquettest-")
	if err != nil {
		return "", err
	}
	scratch = dir
	return dir, os.CopyFS(dir, sources)
})

// scratch is what Remove removes.
var scratch string

// Remove removes what this package has put into the system's temporary folder. A TestMain calls
// it when all tests have ended.
func Remove() error { return os.RemoveAll(scratch) }

// fetch returns the folder of .cache that has what a list of versions names. A list that has
// changed has another folder. install fills a new one, which gets its name when it is whole.
func fetch(name, list string, install func(list, dir string) *exec.Cmd) (string, error) {
	root, err := top()
	if err != nil {
		return "", err
	}
	text, err := fs.ReadFile(sources, list)
	if err != nil {
		return "", err
	}
	cache := filepath.Join(root, ".cache", "parquet-readers")
	dir := filepath.Join(cache, fmt.Sprintf("%s-%.4x", name, sha256.Sum256(text)))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	programs, err := unpacked()
	if err != nil {
		return "", err
	}
	if _, err := output(install(filepath.Join(programs, list), part)); err != nil {
		return "", err
	}
	if want, err := fs.ReadFile(sources, list+".digest"); err == nil { // of jars: pip compares hashes itself
		got, err := hadooptest.Digest(part)
		if err != nil || got != strings.TrimSpace(string(want)) {
			return "", errors.Join(err, fmt.Errorf("what was fetched for %s has the digest %s, not %s", list, got, want))
		}
	}
	if err := os.Rename(part, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // another process was not faster
			return "", err
		}
	}
	return dir, os.Chmod(dir, 0o755)
}

// top returns the folder of the module, above the one that tests run in.
func top() (string, error) {
	file, err := output(exec.Command("go", "env", "GOMOD"))
	return filepath.Dir(strings.TrimSpace(file)), err
}

// output runs a command and returns its standard output; the error holds the end of what it
// said.
func output(cmd *exec.Cmd) (string, error) {
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		said := append(out.Bytes(), log.Bytes()...)
		said = said[max(0, len(said)-2000):]
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args[:min(4, len(cmd.Args))], " "), err, said)
	}
	return out.String(), nil
}
