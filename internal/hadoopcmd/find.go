package hadoopcmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Command is the program hadoop, and the jar of Hadoop Streaming.
type Command struct {
	Program, Jar string
}

// ErrNotFound is returned where there is no Hadoop to give jobs to.
var ErrNotFound = errors.New("hadoopcmd: not found")

// Find finds what the caller did not set: the program below HADOOP_HOME or on PATH, and the
// jar below HADOOP_HOME or near the program.
func Find(program, jar string) (*Command, error) {
	home := os.Getenv("HADOOP_HOME")
	c := &Command{Program: program, Jar: jar}
	if c.Program == "" && home != "" {
		c.Program = filepath.Join(home, "bin", "hadoop")
	}
	if c.Program == "" {
		c.Program = "hadoop"
	}
	path, err := exec.LookPath(c.Program)
	if err != nil {
		return nil, fmt.Errorf("%w: the program hadoop: %w; set HADOOP_HOME, or give --hadoop", ErrNotFound, err)
	}
	c.Program = path
	if c.Jar == "" {
		return c, c.findJar(home)
	}
	if _, err := os.Stat(c.Jar); err != nil {
		return nil, fmt.Errorf("%w: the jar of Hadoop Streaming: %w", ErrNotFound, err)
	}
	return c, nil
}

// findJar looks for the jar in the usual places.
func (c *Command) findJar(home string) error {
	homes := []string{home}
	if real, err := filepath.EvalSymlinks(c.Program); err == nil {
		homes = append(homes, filepath.Dir(filepath.Dir(real)))
	}
	for _, h := range homes {
		if h == "" {
			continue
		}
		for _, dir := range []string{"share/hadoop/tools/lib", ".", "../hadoop-mapreduce"} {
			found, _ := filepath.Glob(filepath.Join(h, dir, "hadoop-streaming*.jar")) // the pattern is right
			for _, jar := range found {
				if info, err := os.Stat(jar); err == nil && info.Mode().IsRegular() {
					c.Jar = jar
					return nil
				}
			}
		}
	}
	return fmt.Errorf("%w: share/hadoop/tools/lib/hadoop-streaming*.jar below %q; give --streaming-jar", ErrNotFound, homes)
}
