//go:build unix

package main

import (
	"os"
	"syscall"
)

// endSignals end a program. loopc outlives them, and passes them on to its child.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// checkpointSignals ask a program for a checkpoint. loopc passes them on to its child.
var checkpointSignals = []os.Signal{syscall.SIGUSR1}

// pass sends s to the child. SIGHUP becomes SIGTERM, so that the run shuts down in an
// orderly way. A child that has ended needs no signal.
func pass(child *os.Process, s os.Signal) {
	if s == syscall.SIGHUP {
		s = syscall.SIGTERM
	}
	_ = child.Signal(s)
}
