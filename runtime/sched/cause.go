package sched

import (
	"context"
	"errors"
	"sync"

	"loopc/runtime/arith"
	"loopc/runtime/transport"
)

// An explanation is a kind of error. Kinds are in order: the first explains a failure best.
type explanation int

const (
	ours      explanation = iota // a *Bug
	program                      // an *arith.Error or a *Panic
	plain                        // any other error that says what went wrong
	following                    // a peer has ended: something went wrong elsewhere
	canceled                     // the run was canceled
	nothing                      // no failure
)

// explains returns what kind of explanation err is.
func explains(err error) explanation {
	var bug *Bug
	var arithmetic *arith.Error
	var own *Panic
	var edge *transport.Error
	var giveUp *transport.GiveUp
	switch {
	case err == nil:
		return nothing
	case errors.As(err, &bug):
		return ours
	case errors.As(err, &arithmetic), errors.As(err, &own):
		return program
	case errors.As(err, &edge) && edge.PeerGone(), errors.As(err, &giveUp), errors.Is(err, transport.ErrGone):
		return following
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return canceled
	}
	return plain
}

// An ending is the cause of the end of a context, in which errors.Is also finds end: what Err of the context returns.
type ending struct{ cause, end error }

func (e *ending) Error() string { return e.cause.Error() }

func (e *ending) Unwrap() []error { return []error{e.cause, e.end} }

// Ended returns err, the error of a run under ctx. If err is the cause of the end of ctx, errors.Is also finds ctx.Err() in the result:
// callers who do not know the cause expect context.Canceled or context.DeadlineExceeded.
func Ended(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	end := ctx.Err()
	if end == nil || errors.Is(err, end) || !errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return &ending{err, end}
}

// failures are the errors of the ranks of a run, in order of arrival. A rank that learns that
// another has given up may return before the other does.
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

// cause returns why a run under ctx failed: the best explanation, and among equally good ones the first; nil if nothing failed. If ctx has
// ended, plain errors count as consequences, and the cause of the end of ctx is returned.
func (f *failures) cause(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	best, least := context.Cause(ctx), nothing
	if best != nil {
		least = min(explains(best), plain)
	}
	for _, err := range f.errs {
		if w := explains(err); w < least {
			best, least = err, w
		}
	}
	return best
}
