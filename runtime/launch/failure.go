package launch

import (
	"cmp"
	"fmt"
	"slices"
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

// An account is what the rendezvous knows of the failure of one rank.
type account struct {
	failure *Failure
	from    witness
}

// fail notes how a rank has failed. Its own words replace what others have seen of it. The account
// of the best witness, the first of several, becomes the cause: after followTime as long as ranks
// have only spoken of others, else within settleTime. A rank's report of its own error ends the
// wait. The caller holds r.mu.
func (r *Root) fail(rank int, text string, from witness) {
	if r.closed || r.settled {
		return
	}
	r.ended[rank] = true
	known := slices.IndexFunc(r.accounts, func(a account) bool { return a.failure.Rank == rank })
	words := from == reported || from == following
	a := account{failure: &Failure{Rank: rank, Text: text, Lost: from != reported}, from: from}
	switch {
	case known < 0:
		r.accounts = append(r.accounts, a)
	case words || from < r.accounts[known].from:
		r.accounts[known] = a
	}
	before := r.cause
	best := slices.MinFunc(r.accounts, func(a, b account) int { return cmp.Compare(a.from, b.from) })
	r.cause = best.failure
	switch wait := best.from.wait(); {
	case wait == 0:
		r.settle()
	case r.settling == nil:
		r.settling = time.AfterFunc(wait, r.settleLocked)
	case best.failure != before:
		r.settling.Reset(wait)
	}
}

// wait returns how long a rendezvous waits for a better witness.
func (w witness) wait() time.Duration {
	switch w {
	case reported:
		return 0
	case following:
		return followTime
	default:
		return settleTime
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
