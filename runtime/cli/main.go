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

// endTime is the time that an interrupted run has to end in good order. It is more than stopTime,
// which srun has.
const endTime = 15 * time.Second

// endSignals are the signals that end a run in good order. A terminal that hangs up is an
// interrupt, unless the program was started to outlive it, as by nohup.
func endSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// Main runs prog as the command line says and ends the process. The first signal that the run
// does not take (heed) interrupts it: it ends in good order. The next signal ends the process at
// once, and so does endTime after the interrupt: a rank may wait in a library that ignores
// interrupts.
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
