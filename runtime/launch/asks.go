package launch

import "sync/atomic"

// Asks are the user's requests for checkpoints. The zero value has none; it is safe for concurrent
// use.
type Asks struct{ keep, end atomic.Bool }

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
