package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
)

// shutdownSignals are the signals on which loopc shuts down in an orderly way: endSignals, except for
// SIGHUP if loopc was started with that signal ignored (nohup).
func shutdownSignals() []os.Signal {
	return slices.DeleteFunc(slices.Clone(endSignals), func(s os.Signal) bool {
		return s == syscall.SIGHUP && signal.Ignored(s)
	})
}

// supervise starts the command, passes on the signals that end a program or ask it
// for a checkpoint, and waits. The program decides what a signal means to it: loopc
// never ends before its child. A child that failed has reported why; its exit status
// becomes that of loopc.
func (a *app) supervise(child *exec.Cmd) error {
	// On Linux the child gets SIGTERM when the thread that started it ends (detach).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	detach(child)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, append(shutdownSignals(), checkpointSignals...)...)
	defer signal.Stop(signals)
	if err := child.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case s := <-signals:
				pass(child.Process, s)
			case <-ended:
				return
			}
		}
	}()
	return a.status(child.Wait())
}

// status turns the result of waiting for a child into the error of a subcommand.
func (a *app) status(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if exit.Exited() {
		return exitStatus(exit.ExitCode())
	}
	if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		fmt.Fprintf(a.stderr, "loopc: the program was ended by a signal: %v\n", s.Signal())
		return exitStatus(128 + int(s.Signal())) // the convention of shells
	}
	return err
}
