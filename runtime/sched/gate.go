package sched

import (
	"context"
	"runtime"
	"sync/atomic"
)

// A gate lets one goroutine after the other in. Nobody waits for a mutex: a goroutine that finds nobody inside takes one atomic
// operation, and one that has to wait can give up. Make it with newGate.
type gate struct {
	all  atomic.Int64  // who is inside, and all who wait
	next chan struct{} // lets in one who waits
}

func newGate() gate { return gate{next: make(chan struct{}, 1)} }

// enter returns when nobody else is inside, or the cause of the end of ctx; then the caller is not inside.
func (g *gate) enter(ctx context.Context) error {
	if g.all.Add(1) == 1 {
		return nil
	}
	select {
	case <-g.next:
		return nil
	case <-ctx.Done():
	}
	for {
		if n := g.all.Load(); n > 1 && g.all.CompareAndSwap(n, n-1) { // who else is counted is inside, or is let in
			return context.Cause(ctx)
		}
		select {
		case <-g.next: // nobody else was counted, so this one is let in, if only to leave
			g.leave()
			return context.Cause(ctx)
		default: // who has left is about to let in this one, or one that comes now
			runtime.Gosched()
		}
	}
}

// leave is called by who is inside.
func (g *gate) leave() {
	if g.all.Add(-1) > 0 {
		g.next <- struct{}{}
	}
}
