package sched

import (
	"context"
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
		switch n := g.all.Load(); {
		case n == 1: // nobody is inside and nobody else waits, so this one is let in, if only to leave
			<-g.next
			g.leave()
			return context.Cause(ctx)
		case g.all.CompareAndSwap(n, n-1):
			return context.Cause(ctx)
		}
	}
}

// leave is called by who is inside.
func (g *gate) leave() {
	if g.all.Add(-1) > 0 {
		g.next <- struct{}{}
	}
}
