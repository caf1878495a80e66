package launch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Asks holds what the launcher tells rank 0 about checkpoints: what the user asks for, and which checkpoint is settled.
// A checkpoint is settled when it is complete, or when it is known that it will not be. The zero value has no requests;
// it is safe for concurrent use.
type Asks struct {
	keep, end atomic.Bool

	mu      sync.Mutex
	settled int
	at      time.Time     // when settled changed last
	changed chan struct{} // closed when settled changes; nil: nobody waits
}

// Ask asks for a checkpoint. If end is true, the run shall end with it.
func (a *Asks) Ask(end bool) {
	if end {
		a.end.Store(true)
	}
	a.keep.Store(true)
}

// Take reports whether a checkpoint was asked for since the last call, and whether the run shall end with it.
func (a *Asks) Take() (keep, end bool) { return a.keep.Swap(false), a.end.Load() }

// Settle records that the checkpoint after done levels is settled, and all earlier checkpoints are.
func (a *Asks) Settle(done int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if done > a.settled {
		a.settled, a.at = done, time.Now()
	}
	if a.changed != nil {
		close(a.changed)
		a.changed = nil
	}
}

// Begin begins another run: none of its checkpoints is settled. The user's requests stay.
func (a *Asks) Begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settled = 0
}

// Settled waits until the checkpoint after done levels is settled.
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

// SettledAt returns when the newest settled checkpoint was settled.
func (a *Asks) SettledAt() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.at
}

// IsSettled reports whether the checkpoint after done levels is settled.
func (a *Asks) IsSettled(done int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.settled >= done
}
