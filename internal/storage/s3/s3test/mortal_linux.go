package s3test

import "syscall"

// mortal makes a process end with the one that started it.
func mortal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
