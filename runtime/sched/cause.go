package sched

import (
	"context"
	"errors"
	"sync"

	"loopc/runtime/arith"
	"loopc/runtime/transport"
)

// weight orders explanations of a failure, the best first.
type weight int

const (
	ours      weight = iota // a *Bug
	program                 // an *arith.Error
	plain                   // anything else that says what went wrong
	following               // the end of a peer: something went wrong elsewhere
	canceled                // somebody stopped it
	nothing                 // no failure
)

// weigh returns how well err explains a failure.
func weigh(err error) weight {
	var bug *Bug
	var arithmetic *arith.Error
	var edge *transport.Error
	var giveUp *transport.GiveUp
	switch {
	case err == nil:
		return nothing
	case errors.As(err, &bug):
		return ours
	case errors.As(err, &arithmetic):
		return program
	case errors.As(err, &edge) && edge.PeerGone(), errors.As(err, &giveUp), errors.Is(err, transport.ErrGone):
		return following
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return canceled
	}
	return plain
}

// failures are the errors of the ranks of a run, in the order in which they
// came. A rank may learn that another has given up, and return, before that one
// does.
type failures struct {
	mu   sync.Mutex
	errs []error
}

// add notes the error of a rank.
func (f *failures) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs = append(f.errs, err)
}

// cause returns why a run under ctx failed: the best explanation, the first of equally
// good ones, or nil if nothing failed. If ctx has ended, plain errors are taken for
// consequences of that, and the cause of its end is returned.
func (f *failures) cause(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	best, least := context.Cause(ctx), nothing
	if best != nil {
		least = min(weigh(best), plain)
	}
	for _, err := range f.errs {
		if w := weigh(err); w < least {
			best, least = err, w
		}
	}
	return best
}
