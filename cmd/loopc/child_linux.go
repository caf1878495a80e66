package main

import (
	"os/exec"
	"syscall"
)

// detach puts the child into a process group of its own, since a Ctrl-C of the terminal
// would otherwise reach it twice, and the second signal kills it. The child is killed when
// loopc ends, however loopc ends.
func detach(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
