package hadooptest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// artifacts are what the daemons and the Java programs of the tests are made of.
// hadoop-minicluster, unshaded, brings all of HDFS, YARN and MapReduce with it.
var artifacts = []string{
	"org.apache.hadoop:hadoop-minicluster:3.4.2",
	"org.apache.hadoop:hadoop-streaming:3.4.2",
	"org.apache.hadoop:hadoop-minikdc:3.4.2",
	"org.apache.avro:trevni-avro:1.12.1",
	"org.slf4j:slf4j-reload4j:2.0.17", // that of Hadoop is too old for the API that comes with Avro
}

// jarsDigest is the SHA-256 of a list as sha256sum writes it, of all jars that Maven fetches
// for the artifacts, by their names.
const jarsDigest = "1c861c3c2c7177530cab31176bd5838228789476f9108473a22961dfbe02966c"

// jars returns the folder of all jars, which Maven fetches once a machine.
var jars = sync.OnceValues(func() (string, error) {
	cache := filepath.Join(root(), ".cache", "hadoop")
	lib := filepath.Join(cache, fmt.Sprintf("lib-%08x", crc32.ChecksumIEEE([]byte(strings.Join(artifacts, " ")))))
	if _, err := os.Stat(lib); err == nil {
		return lib, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	if err := fetch(part); err != nil {
		return "", err
	}
	if got, err := Digest(filepath.Join(part, "lib")); err != nil || got != jarsDigest {
		return "", errors.Join(err, fmt.Errorf("hadooptest: the jars that Maven fetched have the digest %s, not %s", got, jarsDigest))
	}
	err = os.Rename(filepath.Join(part, "lib"), lib)
	if _, statErr := os.Stat(lib); statErr == nil {
		return lib, nil // another test may have been faster
	}
	return lib, err
})

// fetch copies all jars into dir/lib.
func fetch(dir string) error {
	var pom strings.Builder
	pom.WriteString("<project><modelVersion>4.0.0</modelVersion><groupId>t</groupId>" +
		"<artifactId>t</artifactId><version>1</version><packaging>pom</packaging><dependencies>")
	for _, a := range artifacts {
		parts := strings.Split(a, ":")
		fmt.Fprintf(&pom, "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>",
			parts[0], parts[1], parts[2])
	}
	pom.WriteString("</dependencies></project>")
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(pom.String()), 0o644); err != nil {
		return err
	}
	cmd := exec.Command("mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(dir, "lib"))
	cmd.Dir = dir
	_, err := output(cmd)
	return err
}

// Digest returns that of a folder: the SHA-256 of what sha256sum prints of its files, by name.
func Digest(dir string) (string, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return "", err
	}
	list := sha256.New()
	for _, e := range entries {
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", err
		}
		fmt.Fprintf(list, "%x  %s\n", sum.Sum(nil), e.Name())
	}
	return hex.EncodeToString(list.Sum(nil)), nil
}

func version(artifact string) string { return artifact[strings.LastIndex(artifact, ":")+1:] }

// root returns the top of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Need skips the test if there is no Java or Maven; with CI=true that is a failure.
func Need(t testing.TB) {
	t.Helper()
	for _, name := range []string{"java", "javac", "jar", "mvn"} {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI=true, and there is no %s on the path", name)
		}
		t.Skipf("no %s on the path: nothing was tried on Hadoop's daemons", name)
	}
}

// output runs a command and returns its standard output; the error holds the end of
// what it said.
func output(cmd *exec.Cmd) (string, error) {
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w: %s%s", strings.Join(cmd.Args[:min(3, len(cmd.Args))], " "), err,
			tail(out.String()), tail(log.String()))
	}
	return out.String(), nil
}

// tail returns the end of a text.
func tail(s string) string { return s[max(0, len(s)-3000):] }
