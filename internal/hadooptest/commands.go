package hadooptest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// commands is a JVM that runs a cluster's client commands one after another: a JVM for
// each would take longer to start than the command takes. It ends when its input does,
// so with this process at the latest.
type commands struct {
	mu  sync.Mutex
	cmd *exec.Cmd // nil before the first command
	in  io.WriteCloser
	out *bufio.Reader
}

// command runs a class of Hadoop's that is a Tool, as FsShell is, and returns what it
// wrote. The error holds that too, and what it wrote to standard error.
func (c *Cluster) command(args ...string) (string, error) {
	m := &c.commands
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd == nil {
		if err := m.start(c); err != nil {
			return "", fmt.Errorf("hadooptest: start the clients' JVM: %w", err)
		}
	}
	status, out, log, err := m.ask(args)
	if err == nil && status != 0 {
		err = fmt.Errorf("exit status %d", status)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w: %s%s", strings.Join(args[:min(3, len(args))], " "), err, tail(out), tail(log))
	}
	return out, nil
}

// start starts the JVM, whose log is a file beside those of the daemons.
func (m *commands) start(c *Cluster) (err error) {
	log, err := os.Create(filepath.Join(c.dir, "commands.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("java", c.java(filepath.Join(root(), "internal", "hadooptest", "java", "Commands.java"))...)
	cmd.Stderr = log
	cmd.Env = append(os.Environ(), "HADOOP_CONF_DIR="+c.ConfDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	m.cmd, m.in, m.out = cmd, in, bufio.NewReader(out)
	return nil
}

// ask has the JVM run one command: see java/Commands.java for the bytes.
func (m *commands) ask(args []string) (status uint32, out, log string, err error) {
	request := binary.BigEndian.AppendUint32(nil, uint32(len(args)))
	for _, a := range args {
		request = binary.BigEndian.AppendUint32(request, uint32(len(a)))
		request = append(request, a...)
	}
	if _, err := m.in.Write(request); err != nil {
		return 0, "", "", err
	}
	if err := binary.Read(m.out, binary.BigEndian, &status); err != nil {
		return 0, "", "", err
	}
	texts := [2]string{}
	for i := range texts {
		var n uint32
		if err := binary.Read(m.out, binary.BigEndian, &n); err != nil {
			return 0, "", "", err
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(m.out, text); err != nil {
			return 0, "", "", err
		}
		texts[i] = string(text)
	}
	return status, texts[0], texts[1], nil
}

// stop ends the JVM, if there is one.
func (m *commands) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd == nil {
		return
	}
	_ = errors.Join(m.in.Close(), m.cmd.Process.Kill(), m.cmd.Wait()) // gone already is well too
	m.cmd = nil
}
