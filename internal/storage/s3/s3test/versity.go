package s3test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// Versity is a server that others made, in the version that tests know.
const (
	versity        = "github.com/versity/versitygw/cmd/versitygw"
	versityVersion = "v1.8.0"
	access         = "access"
	secret         = "secret-of-tests"
)

// Real is a running versitygw, on loopback, with an empty folder of its own.
type Real struct {
	URL string // the endpoint
	Dir string // a folder for each bucket
}

// Setenv sets the variables that lead a client to the server; see [Setenv].
func (r *Real) Setenv(t testing.TB) { Setenv(t, r.URL, access, secret) }

// Env returns those variables, for another process.
func (r *Real) Env() []string { return Env(r.URL, access, secret) }

// Bucket makes a bucket.
func (r *Real) Bucket(t testing.TB, name string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(r.Dir, name), 0o777); err != nil {
		t.Fatal(err)
	}
}

// NewReal starts versitygw, which ends with the test. It is built when it is first needed,
// into .cache/bin of the repository. Where that is impossible the test is skipped, and fails if
// CI is true.
func NewReal(t testing.TB) *Real {
	t.Helper()
	program, err := built()
	if err != nil {
		missing(t, err)
	}
	r := &Real{Dir: t.TempDir()}
	address, err := free()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "versitygw.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--port", address, "--region", "us-east-1", "--keep-alive", "posix", r.Dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+access, "ROOT_SECRET_KEY="+secret)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, mortal()
	ended := make(chan struct{})
	started := make(chan error, 1)
	go func() { // on a thread that stays: the server ends when its thread does
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if started <- err; err == nil {
			_ = cmd.Wait() // it is killed
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		_ = log.Close()
	})
	r.URL = "http://" + address
	for {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return r
		}
		select {
		case <-ended:
			text, _ := os.ReadFile(log.Name())
			missing(t, fmt.Errorf("versitygw ended: %s", text))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// missing skips a test that has no server, or fails it.
func missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip("no S3 server of others: ", err)
}

// built returns the path of the program. One process at a time builds it.
func built() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	bin := filepath.Join(filepath.Dir(here), "..", "..", "..", "..", ".cache", "bin")
	program := filepath.Join(bin, "versitygw-"+versityVersion)
	if err := os.MkdirAll(bin, 0o777); err != nil {
		return "", err
	}
	lock := flock.New(program + ".lock")
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }()
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	tmp, err := os.MkdirTemp(bin, "build")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	cmd := exec.Command("nice", "go", "install", versity+"@"+versityVersion)
	cmd.Env = append(os.Environ(), "GOBIN="+tmp, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install %s@%s: %w: %s", versity, versityVersion, err, out)
	}
	return program, os.Rename(filepath.Join(tmp, "versitygw"), program)
}

// free returns an address on loopback that nobody uses.
func free() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
