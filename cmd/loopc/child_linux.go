package main

import (
	"os/exec"
	"syscall"
)

// detach puts the child into a process group of its own, since a Ctrl-C of the
// terminal would otherwise reach it twice, and the second one kills. It ends with
// loopc, whatever ends that.
func detach(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
