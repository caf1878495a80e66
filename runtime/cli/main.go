// Package cli is the command line of an emitted main: it reads flags, arrays
// from and to files, runs the ranks as goroutines or as processes, tells of
// progress, and compares with the sequential loops.
//
// In comes a sched.Program, which is what the emitted package knows; out go
// files, one line on standard output, and everything else on standard error.
// Exit codes: 0 done, 1 the run failed, 2 the command line is wrong, 3 a bug of
// ours.
//
// With --transport tcp the program starts itself once per rank (package
// launch). Such a rank reads its job from standard input, see job.go. Started
// several times by another launcher, the process of rank 0 also is what such
// ranks have for a launcher, see crew.go; the others get their jobs from it.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"loopc/runtime/launch"
	"loopc/runtime/sched"
)

// Main runs prog as the command line says and ends the process. An interrupt
// ends the run in good order, a second one at once.
func Main(prog *sched.Program) {
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop(launch.ErrInterrupted)
		<-signals
		os.Exit(exitFailed)
	}()
	os.Exit(leaveMPI(Run(ctx, prog, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)))
}
