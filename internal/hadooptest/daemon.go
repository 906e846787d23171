package hadooptest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// opens are packages that Hadoop looks into, and Java 17 keeps shut.
const opens = "--add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED " +
	"--add-opens=java.base/java.io=ALL-UNNAMED --add-opens=java.base/java.net=ALL-UNNAMED"

// Daemon is a process that can be started again after it was killed.
type Daemon struct {
	name string // of its log
	c    *Cluster
	args []string // class, and what it is given

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{} // closed when the process is gone
}

// java returns the arguments of a JVM that runs a class with a cluster's
// configuration.
func (c *Cluster) java(args ...string) []string {
	opts := append(strings.Fields(opens), "-Djava.security.krb5.conf="+c.Krb5Conf(), "-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Djava.net.preferIPv4Stack=true", "-Djava.io.tmpdir="+c.dir,
		"-cp", c.ConfDir()+":"+filepath.Join(c.lib, "*"))
	return append(opts, args...)
}

// Start starts the daemon, which must not be running.
func (d *Daemon) Start() error {
	log, err := os.OpenFile(d.Log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	cmd := exec.Command("java", d.c.java(d.args...)...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, d.c.dir
	cmd.Env = append(os.Environ(), "HADOOP_HOME="+d.c.Home(), "HADOOP_CONF_DIR="+d.c.ConfDir(), "HADOOP_LOG_DIR="+d.c.dir, "JAVA_HOME="+javaHome())
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	started, done := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // it is this thread whose death kills the process
		defer log.Close()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // killed, as a rule
		}
		close(done)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("hadooptest: start %s: %w", d.name, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cmd, d.done = cmd, done
	return nil
}

// Kill ends the daemon at once, and returns when it is gone.
func (d *Daemon) Kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd == nil {
		return
	}
	_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL) // gone already is well too
	<-d.done
	d.cmd = nil
}

// Signal sends a signal, such as SIGSTOP, to the daemon.
func (d *Daemon) Signal(s syscall.Signal) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd == nil {
		return os.ErrProcessDone
	}
	return syscall.Kill(d.cmd.Process.Pid, s)
}

// Log returns the name of the daemon's log.
func (d *Daemon) Log() string { return filepath.Join(d.c.dir, d.name+".log") }

// Alive reports whether the process runs.
func (d *Daemon) Alive() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cmd != nil && !d.ended()
}

// died reports whether the process has ended, and was not killed.
func (d *Daemon) died() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cmd != nil && d.ended()
}

// ended reports whether a process that was started is gone. The caller holds mu.
func (d *Daemon) ended() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}
