package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"

	"loopc/runtime/launch"
)

// An inbox receives the signals of the process. They end the run, except for some that a run with
// checkpoints takes.
type inbox struct {
	signals chan os.Signal
	parent  int // the process with which this one is to end; 0: none

	mu    sync.Mutex
	take  func(end bool) // nil: nobody takes signals
	ended bool           // a signal that ends the run was taken: the next one is not
}

// newInbox returns the inbox of the signals that end a run.
func newInbox() *inbox {
	b := &inbox{signals: make(chan os.Signal, 2)}
	if launch.EndsWithParent() {
		b.parent = os.Getppid()
	}
	signal.Notify(b.signals, endSignals()...)
	return b
}

// taken reports whether the run takes a signal. It refuses the signal that the system sends
// a process whose parent is gone: nobody waits for the run any more.
func (b *inbox) taken(s os.Signal) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.take == nil:
		return false
	case slices.Contains(keepSignals, s):
		b.take(false)
	case s == os.Interrupt || b.ended || b.parent > 0 && os.Getppid() != b.parent:
		return false
	default:
		b.ended = true
		b.take(true)
	}
	return true
}

type inboxKey struct{}

// in returns ctx with the inbox.
func (b *inbox) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, inboxKey{}, b)
}

// heed passes signals that ask for a checkpoint to take, and those that end the run, as Slurm's time
// limit does and a terminal that hangs up: then end is true. A process without an inbox does
// nothing. The caller must call undo.
func heed(ctx context.Context, take func(end bool)) (undo func()) {
	b, _ := ctx.Value(inboxKey{}).(*inbox)
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.take = take
	if len(keepSignals) > 0 {
		signal.Notify(b.signals, keepSignals...)
	}
	return b.leave
}

// leave ends what heed has begun. What asks for a checkpoint comes too late, and is ignored.
func (b *inbox) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.take = nil
	if len(keepSignals) > 0 {
		signal.Ignore(keepSignals...)
	}
}
