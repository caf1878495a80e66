package main

import (
	"os"
	"os/exec"
)

// endSignals are the signals that loopc outlives, to wait for its child.
var endSignals = []os.Signal{os.Interrupt}

// passedSignals are the other signals that are passed on to a child: none on Windows.
var passedSignals []os.Signal

// pass does nothing: the console has signaled the child itself.
func pass(*os.Process, os.Signal) {}

// detach does nothing: a Ctrl-C must reach both processes.
func detach(*exec.Cmd) {}
