package interop

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// avroTools is the artifact with all of Avro's Java side in one jar.
const (
	avroTools = "org.apache.avro:avro-tools:1.12.1"
	jarName   = "avro-tools-1.12.1.jar"
	jarSHA256 = "e81db810019bf6ab73855dc61dbbe489886a46ff3ec1ac7bed79e3f8f900ebd3"
)

// A job is one line of work for java/Interop.java: a verb, a name, and arguments.
type job struct {
	verb, name string
	args       []string
}

// An answer is what Java saw.
type answer struct {
	ok   bool
	seen string
}

// classpath returns the class path of the harness, built once per run of the tests.
var classpath = sync.OnceValues(buildHarness)

// runJava does the jobs in one JVM and returns the answers by the jobs' names,
// which must differ. It skips or fails the test when there is no Java.
func runJava(t *testing.T, jobs []job) map[string]answer {
	t.Helper()
	needTools(t, "java", "javac", "mvn")
	path, err := classpath()
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	for _, j := range jobs {
		fmt.Fprintln(&in, strings.Join(append([]string{j.verb, j.name}, j.args...), "\t"))
	}
	cmd := exec.CommandContext(t.Context(), "java", "-Xmx1g", "-XX:-UsePerfData", "-cp", path, "Interop")
	cmd.Stdin = &in
	out, err := output(cmd)
	if err != nil {
		t.Fatal(err)
	}
	return answers(t, out, jobs)
}

func answers(t *testing.T, out string, jobs []job) map[string]answer {
	t.Helper()
	got := map[string]answer{}
	for line := range strings.Lines(out) {
		words := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(words) != 3 {
			t.Fatalf("Java answered %q", line)
		}
		got[words[1]] = answer{ok: words[0] == "OK", seen: words[2]}
	}
	for _, j := range jobs {
		if _, ok := got[j.name]; !ok {
			t.Errorf("%s: no answer from Java", j.name)
		}
	}
	return got
}

// needTools skips the test if a program is missing; with CI=true that is a failure.
func needTools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI=true, and there is no %s on the path", name)
		}
		t.Skipf("no %s on the path: nothing was compared with Java", name)
	}
}

// buildHarness fetches the jar if need be, compiles java/ and returns the class path.
func buildHarness() (string, error) {
	cache, err := filepath.Abs("../../.cache/java") // where bench/ looks for it too
	if err != nil {
		return "", err
	}
	jar := filepath.Join(cache, jarName)
	if _, err := os.Stat(jar); err != nil {
		if err := fetchJar(cache, jar); err != nil {
			return "", err
		}
	}
	classes := filepath.Join(scratch, "classes")
	sources, err := filepath.Glob("java/*.java")
	if err != nil {
		return "", err
	}
	if _, err := output(exec.Command("javac", append([]string{"-d", classes, "-cp", jar}, sources...)...)); err != nil {
		return "", err
	}
	return classes + string(filepath.ListSeparator) + jar, nil
}

// fetchJar copies the jar with Maven, and gives it its name when it is whole.
func fetchJar(cache, jar string) error {
	part, err := os.MkdirTemp(mkdir(cache), "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if _, err := output(exec.Command("mvn", "-q", "dependency:copy", "-Dartifact="+avroTools, "-DoutputDirectory="+part)); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(part, jarName))
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != jarSHA256 {
		return fmt.Errorf("%s, as Maven fetched it, has the SHA-256 %s, not %s", jarName, got, jarSHA256)
	}
	return os.Rename(filepath.Join(part, jarName), jar)
}

// mkdir makes a folder if there is none; whoever uses it meets the error.
func mkdir(dir string) string {
	_ = os.MkdirAll(dir, 0o755)
	return dir
}

// output runs a command and returns its standard output; the error holds the end
// of its standard error.
func output(cmd *exec.Cmd) (string, error) {
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		said := log.Bytes()
		said = said[max(0, len(said)-2000):]
		return "", fmt.Errorf("%s: %w: %s%s", strings.Join(cmd.Args[:min(3, len(cmd.Args))], " "), err, out.Bytes(), said)
	}
	return out.String(), nil
}
