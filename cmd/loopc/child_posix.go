//go:build unix && !linux

package main

import (
	"os/exec"
	"syscall"
)

// detach puts the child into a process group of its own. Otherwise a Ctrl-C would reach the
// child twice, from the terminal and from loopc (supervise), and a program dies of the second
// signal at once.
func detach(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
