package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
)

// mortal is convert with a storage that kills its process, by SIGKILL, before call number
// DIE_AT; where that is 0 it lives, and tells how many calls there were, and where it is
// -1 it writes a byte before each.
func mortal() {
	at, err := strconv.Atoi(os.Getenv("DIE_AT"))
	if err != nil {
		panic(err)
	}
	fs := &storagetest.Fault{FS: storage.Local{}, Before: func(call int, op, name string) {
		if at < 0 {
			fmt.Print(".")
		}
		if call == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	c := &command{stdout: os.Stdout, stderr: os.Stderr}
	c.opts.FS = fs
	code := c.run(os.Args[1:])
	if at == 0 {
		fmt.Fprintln(os.Stderr, fs.Calls())
	}
	os.Exit(code)
}

// held is convert that stops at its first write to a part file, which it tells with a line
// on standard output, until a byte comes on standard input.
func held() {
	var once sync.Once
	fs := &storagetest.Fault{FS: storage.Local{}, Before: func(_ int, op, name string) {
		if op == "write" && strings.HasPrefix(filepath.Base(name), "part-") {
			once.Do(func() {
				fmt.Println("held")
				if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
					panic(err)
				}
			})
		}
	}}
	c := &command{stdout: os.Stdout, stderr: os.Stderr}
	c.opts.FS = fs
	os.Exit(c.run(os.Args[1:]))
}
