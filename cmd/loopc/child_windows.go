package main

import (
	"os"
	"os/exec"
)

// endSignals end a program. loopc outlives them, and waits for its child, which the console signals itself.
var endSignals = []os.Signal{os.Interrupt}

// checkpointSignals ask a program for a checkpoint: none on Windows.
var checkpointSignals []os.Signal

// pass does nothing: the console has signaled the child itself.
func pass(*os.Process, os.Signal) {}

// detach does nothing: a Ctrl-C must reach both processes.
func detach(*exec.Cmd) {}
