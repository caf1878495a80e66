package transport

import "sync/atomic"

// An Ending says whether and why a count that another goroutine or process advances will not grow any
// more. Its zero value says that the count may grow.
type Ending struct{ is atomic.Pointer[ended] }

// ended is the reason of an Ending. After a failure, no wait succeeds. Otherwise the count is final: a wait
// for a count that was already reached succeeds.
type ended struct {
	err    error
	failed bool
}

// Fail makes every wait return err, whatever the count. Only the first call has an effect.
func (e *Ending) Fail(err error) { e.set(&ended{err, true}) }

// Finish makes waits for greater counts return err. Only the first call has an effect, and Fail overrides it.
func (e *Ending) Finish(err error) { e.set(&ended{err, false}) }

func (e *Ending) set(next *ended) {
	for {
		old := e.is.Load()
		if old != nil && (old.failed || !next.failed) || e.is.CompareAndSwap(old, next) {
			return
		}
	}
}

// Load returns the error of Fail or Finish, or nil, and whether it is that of Fail.
func (e *Ending) Load() (err error, failed bool) {
	if is := e.is.Load(); is != nil {
		return is.err, is.failed
	}
	return nil, false
}

// Failure returns the error of Fail, or nil.
func (e *Ending) Failure() error {
	if err, failed := e.Load(); failed {
		return err
	}
	return nil
}
