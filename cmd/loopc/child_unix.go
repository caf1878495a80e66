//go:build unix

package main

import (
	"os"
	"syscall"
)

// endSignals are the signals that are passed on to a child.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// passedSignals are passed on to a child too; it may write a checkpoint.
var passedSignals = []os.Signal{syscall.SIGUSR1}

// pass sends s to the child. SIGHUP becomes SIGTERM, so that the run shuts down in an
// orderly way. A child that has ended needs no signal.
func pass(child *os.Process, s os.Signal) {
	if s == syscall.SIGHUP {
		s = syscall.SIGTERM
	}
	_ = child.Signal(s)
}
