package sched

import (
	"context"
	"runtime"
	"sync/atomic"
)

// A gate lets one goroutine after the other in. Nobody waits for a mutex: a goroutine that finds nobody inside takes one atomic
// operation, and one that has to wait can give up. Make it with newGate.
type gate struct {
	all  atomic.Int64  // the number of goroutines that are inside or wait
	next chan struct{} // lets in a goroutine that waits
}

func newGate() gate { return gate{next: make(chan struct{}, 1)} }

// enter lets the caller in when nobody else is inside, and returns nil. If ctx ends first, it returns the cause of this end.
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
		if n := g.all.Load(); n > 1 && g.all.CompareAndSwap(n, n-1) { // another goroutine is inside, or is let in instead
			return context.Cause(ctx)
		}
		select {
		case <-g.next: // let in after all, to leave at once
			g.leave()
			return context.Cause(ctx)
		default: // a goroutine has left, and is about to let in this one or another
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
