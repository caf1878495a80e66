package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
)

// endTime is the time that an interrupted run has to end in good order: more than the programs
// that it has started have, see stopTime.
const endTime = 15 * time.Second

// endSignals are the signals that end a run in good order. A terminal that hangs up is an
// interrupt, unless the program was started to outlive it, as nohup does.
func endSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// Main runs prog as the command line says and ends the process. A run with checkpoints may take
// signals (heed); any other first one is an interrupt. The first interrupt ends
// the run in good order. A second one ends the process at once, and so does endTime
// after the first: a rank may wait in a library that ignores interrupts.
func Main(prog *sched.Program) {
	ctx, stop := context.WithCancelCause(context.Background())
	box := newInbox()
	go func() {
		for box.taken(<-box.signals) {
		}
		stop(launch.ErrInterrupted)
		select {
		case <-box.signals:
		case <-time.After(endTime):
			fmt.Fprintf(os.Stderr, "the run has not ended %v after it was interrupted: giving up\n", endTime)
		}
		os.Exit(exitFailed)
	}()
	os.Exit(leaveMPI(Run(box.in(ctx), prog, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)))
}
