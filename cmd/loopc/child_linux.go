package main

import (
	"os/exec"
	"syscall"
)

// detach puts the child into a process group of its own. Otherwise a Ctrl-C would reach the
// child twice, from the terminal and from loopc (supervise), and a program dies of the second
// signal at once. However loopc ends, the child then gets SIGTERM.
func detach(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
