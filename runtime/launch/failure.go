package launch

import (
	"fmt"
	"time"
)

// settleTime is how long a rendezvous waits for a better explanation if the first report of
// a failure has no reason: a broken connection, or a rank that lost its peer.
const settleTime = 250 * time.Millisecond

// followTime is how long a rendezvous waits if it has only the report of one rank about
// another: a busy host may take this long to notice that the other rank's process has ended.
const followTime = 8 * settleTime

// A Failure is why a run failed: the failure of one rank.
type Failure struct {
	Rank int
	Text string // one line
	Lost bool   // the rank's process, or the connection to it, is gone; otherwise it has reported an error of its own
}

// Error reads "rank 2: <text>".
func (f *Failure) Error() string { return fmt.Sprintf("rank %d: %s", f.Rank, f.Text) }

// A witness says how the rendezvous knows of a failure, the most trustworthy first.
type witness int

const (
	reported  witness = iota // the rank reported its own error
	exited                   // its process ended
	lost                     // its control channel broke
	following                // it reported a failure of another process
)

// Exited tells the rendezvous that the process of a rank has ended; err is nil for exit
// status 0. The rendezvous knows whether it ended too early.
func (r *Root) Exited(rank int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.spoke[rank]:
		// The rank's own report says more than its exit status.
	case err != nil:
		r.fail(rank, oneLine(err.Error()), exited)
	case !r.proceeded:
		r.fail(rank, "ended before the run did", exited)
	}
}

// fail notes an explanation of a failure. The best one that arrives in time becomes the cause:
// within followTime of the first explanation or, once a rank has explained its own failure or
// is gone, within settleTime of that. A rank's report of its own error ends the wait. The
// caller holds r.mu.
func (r *Root) fail(rank int, text string, from witness) {
	if r.closed || r.settled {
		return
	}
	r.ended[rank] = true
	before := r.witness
	better := r.cause == nil || from < r.witness
	if from == following && r.cause != nil && r.cause.Rank == rank {
		better = true // its process ended before its report was read
	}
	if better {
		r.cause, r.witness = &Failure{Rank: rank, Text: text, Lost: from != reported}, from
	}
	switch {
	case from == reported:
		r.settle()
	case r.settling == nil && from == following:
		r.settling = time.AfterFunc(followTime, r.settleLocked)
	case r.settling == nil:
		r.settling = time.AfterFunc(settleTime, r.settleLocked)
	case before == following && from < following:
		r.settling.Reset(settleTime)
	}
}

// settleLocked does what settle does, for callers that do not hold r.mu.
func (r *Root) settleLocked() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle()
}

// settle makes the cause final. It needs r.mu.
func (r *Root) settle() {
	if !r.settled {
		r.settled = true
		close(r.failed)
	}
}

// Failed returns a channel that is closed when a rank has failed and the cause is final.
func (r *Root) Failed() <-chan struct{} { return r.failed }

// Failure returns the *Failure that ended the run, or nil if there was none. It may wait a
// moment for an explanation.
func (r *Root) Failure() error {
	r.mu.Lock()
	cause := r.cause
	r.mu.Unlock()
	if cause == nil {
		return nil
	}
	<-r.failed
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cause
}
