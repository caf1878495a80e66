package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"loopc/runtime/transport/auth"
)

// ServeConfig configures a rendezvous.
type ServeConfig struct {
	Listener net.Listener // where ranks register; the rendezvous closes it
	Size     int          // number of ranks
	Secret   auth.Secret  // authenticates ranks
	TLS      *auth.TLS    // how the channels are encrypted; nil if they are not

	Patience time.Duration // how long to wait for a silent rank; DefaultPatience if zero

	// Progress, if not nil, is called when a rank reports done of total
	// points, by one goroutine at a time.
	Progress func(rank int, done, total int64)

	// Stats, if not nil, is called when a rank reports statistics, by one goroutine at a
	// time.
	Stats func(rank int, stats json.RawMessage)

	// Part, if not nil, is called when a rank has written its part of a checkpoint, and before
	// its result counts, by several goroutines.
	Part func(rank int, part json.RawMessage)

	Logger *slog.Logger // for refused connections; nil for no log
}

// Root is the launcher's end of all control channels.
type Root struct {
	cfg   ServeConfig
	door  *auth.Door
	tasks sync.WaitGroup

	mu        sync.Mutex
	waiting   []net.Conn // authenticated, but not registered yet
	members   []*line    // by rank, nil until registered
	addrs     []string
	digest    string // of the first rank
	joined    int
	results   []json.RawMessage
	delivered int
	ended     []bool    // by rank: its channel may close
	spoke     []bool    // by rank: it has reported its failure
	accounts  []account // of failures, by time
	cause     *Failure  // the best of accounts
	proceeded bool
	canceled  *message      // the message of Cancel, also for ranks that register later
	over      chan struct{} // closed when canceled is set
	closed    bool
	complete  chan struct{} // closed when every rank has delivered
	failed    chan struct{} // closed when cause is settled
	settled   bool          // cause is settled: later reports of failures do not replace it
	settling  *time.Timer   // settles cause
	joining   *time.Timer   // see Expect
	attended  []io.Closer   // service lines
	asked     *message      // for rank 0, when all have registered
	muster    muster
	departed  int           // ranks whose control channel has ended
	empty     chan struct{} // closed when all control channels have ended after the run
	emptied   bool
	quit      chan struct{} // closed by Close

	reporting sync.Mutex // held while Progress or Stats is called
}

// Serve runs a rendezvous and the control channels until Close.
func Serve(cfg ServeConfig) (*Root, error) {
	if cfg.Size < 1 || cfg.Size > maxRanks {
		return nil, fmt.Errorf("launch: a run of %d ranks", cfg.Size)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Root{
		cfg:      cfg,
		members:  make([]*line, cfg.Size),
		addrs:    make([]string, cfg.Size),
		results:  make([]json.RawMessage, cfg.Size),
		ended:    make([]bool, cfg.Size),
		spoke:    make([]bool, cfg.Size),
		complete: make(chan struct{}),
		failed:   make(chan struct{}),
		empty:    make(chan struct{}),
		quit:     make(chan struct{}),
		over:     make(chan struct{}),
		muster: muster{
			members: make([]*Member, cfg.Size),
			present: make(chan struct{}),
			briefed: make(chan struct{}),

			together: make(chan struct{}),
		},
	}
	if cfg.Secret.IsZero() {
		return nil, errors.New("launch: no secret to know the ranks by")
	}
	identity := &auth.Identity{Service: service, Secret: cfg.Secret, TLS: cfg.TLS, Self: auth.Party{Role: auth.Launcher, Size: cfg.Size}}
	r.door = auth.NewDoor(identity, cfg.Listener, cfg.Logger.With("at", "rendezvous"), r.register)
	r.tasks.Go(r.door.Serve)
	r.tasks.Go(r.beat)
	return r, nil
}

// Expect makes it a failure if some ranks have not registered after a time that follows from the
// patience: their processes may have been stopped.
func (r *Root) Expect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	within := patience(r.cfg.Patience).join()
	r.joining = time.AfterFunc(within, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if k := slices.Index(r.members, nil); k >= 0 && r.canceled == nil {
			r.fail(k, fmt.Sprintf("did not register with its launcher within %v", within), lost)
		}
	})
}

// Addr returns where ranks register.
func (r *Root) Addr() net.Addr { return r.cfg.Listener.Addr() }

// Results waits until every rank has delivered its result, and returns them by
// rank. It returns a *Failure if a rank fails first, or the cause of ctx's end.
func (r *Root) Results(ctx context.Context) ([]json.RawMessage, error) {
	select {
	case <-r.complete:
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.Clone(r.results), nil
	case <-r.failed:
		return nil, r.Failure()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Proceed tells every rank that all ranks have delivered their results and that it may
// commit its outputs. outcome is JSON for the ranks' Control.Outcome, or nil.
func (r *Root) Proceed(outcome json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proceeded = true
	for k := range r.ended {
		r.ended[k] = true
	}
	r.tell(message{Type: toRankProceed, Result: outcome})
	r.look()
}

// Cancel tells every rank to end, and why.
func (r *Root) Cancel(reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.ended {
		r.ended[k] = true
	}
	if r.canceled == nil {
		defer close(r.over)
	}
	r.canceled = &message{Type: toRankCancel, Text: oneLine(reason.Error())}
	r.speak()
	r.tell(*r.canceled)
	r.look()
}

// askedEnd is the text of a request for a checkpoint with which the run ends.
const askedEnd = "end"

// Checkpoint asks the run for a checkpoint, with which it ends if end.
func (r *Root) Checkpoint(end bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := message{Type: toRankKeep}
	if end || r.asked != nil && r.asked.Text == askedEnd {
		m.Text = askedEnd
	}
	r.asked = &m
	r.passAsked()
}

// Settled tells rank 0 that the checkpoint after done levels is complete, or that there is none.
func (r *Root) Settled(done int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.joined == r.cfg.Size {
		_ = r.members[0].write(message{Type: toRankSettled, Done: int64(done)}) // the reader of the connection notices errors
	}
}

// passAsked passes a request for a checkpoint to rank 0, when the run has begun. The caller holds
// r.mu.
func (r *Root) passAsked() {
	if r.asked != nil && r.joined == r.cfg.Size {
		_ = r.members[0].write(*r.asked) // the reader of the connection notices errors
		if r.asked.Text != askedEnd {
			r.asked = nil
		}
	}
}

// tell sends m to every registered rank. Errors are ignored: the reader of the connection
// notices them. The caller holds r.mu.
func (r *Root) tell(m message) {
	for _, l := range r.members {
		if l != nil {
			_ = l.write(m)
		}
	}
}

// look closes empty if the run is over and no process is left. A process that has enlisted
// but not joined still counts, because it must learn why there is no run. The caller holds
// r.mu.
func (r *Root) look() {
	if (r.proceeded || r.canceled != nil) && r.departed == r.joined && r.muster.there == 0 && !r.emptied {
		r.emptied = true
		close(r.empty)
	}
}

// Empty returns a channel that is closed when the run is over and all control channels have
// ended.
func (r *Root) Empty() <-chan struct{} { return r.empty }

// Close ends the rendezvous and all control channels. A rank that still runs
// sees its launcher gone.
func (r *Root) Close() {
	r.mu.Lock()
	if !r.closed {
		close(r.quit)
	}
	r.closed = true
	r.speak()
	for _, c := range r.attended {
		_ = c.Close() // the rank may be gone
	}
	if r.joining != nil {
		r.joining.Stop()
	}
	if r.settling != nil {
		r.settling.Stop()
		r.settle() // wakes callers of Failure
	}
	r.door.Shut()
	for _, conn := range r.waiting {
		_ = conn.Close()
	}
	r.waiting = nil
	for _, l := range r.members {
		if l != nil {
			_ = l.conn.Close()
		}
	}
	r.mu.Unlock()
	r.tasks.Wait()
}
