package launch

import (
	"context"
	"sync"
	"sync/atomic"
)

// Asks are what rank 0 hears of checkpoints from the launcher: the user's requests, and how far
// checkpoints are settled. The zero value has none; it is safe for concurrent use.
type Asks struct {
	keep, end atomic.Bool

	mu      sync.Mutex
	settled int
	changed chan struct{} // closed when settled changes; nil: nobody waits
}

// Ask asks for a checkpoint, after which, if end, the run is to end.
func (a *Asks) Ask(end bool) {
	if end {
		a.end.Store(true)
	}
	a.keep.Store(true)
}

// Take returns whether a checkpoint was asked for since the last call, and whether the run is to
// end with one.
func (a *Asks) Take() (keep, end bool) { return a.keep.Swap(false), a.end.Load() }

// Settle says that the checkpoint after so many levels is complete, or that there is none, like
// those before it.
func (a *Asks) Settle(done int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.settled = max(a.settled, done); a.changed != nil {
		close(a.changed)
		a.changed = nil
	}
}

// Begin begins another run, of whose checkpoints none is settled. What the user has asked for stays.
func (a *Asks) Begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settled = 0
}

// Settled waits until the checkpoint after so many levels is settled.
func (a *Asks) Settled(ctx context.Context, done int) error {
	for {
		a.mu.Lock()
		settled := a.settled >= done
		if !settled && a.changed == nil {
			a.changed = make(chan struct{})
		}
		changed := a.changed
		a.mu.Unlock()
		if settled {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// IsSettled reports whether the checkpoint after so many levels is settled.
func (a *Asks) IsSettled(done int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.settled >= done
}
