package launch

import (
	"context"
	"encoding/hex"
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

// ServeConfig says what a rendezvous is for.
type ServeConfig struct {
	Listener net.Listener // where ranks register; the rendezvous closes it
	Size     int          // number of ranks
	Secret   auth.Secret  // what a rank must know
	TLS      *auth.TLS    // how the channels are encrypted; nil if they are not

	Patience time.Duration // how long a silent rank is waited for; DefaultPatience if zero

	// Progress, if not nil, is called when a rank reports done of total
	// points, by one goroutine at a time.
	Progress func(rank int, done, total int64)

	// Stats, if not nil, is called when a rank reports what it has done so far, by one
	// goroutine at a time.
	Stats func(rank int, stats json.RawMessage)

	Logger *slog.Logger // strangers; nil for none
}

// Root is the launcher's end of all control channels.
type Root struct {
	cfg   ServeConfig
	door  *auth.Door
	tasks sync.WaitGroup

	mu        sync.Mutex
	waiting   []net.Conn // at the door no more, and not registered yet
	members   []*line    // by rank, nil until registered
	addrs     []string
	digest    string // of the first rank
	joined    int
	results   []json.RawMessage
	delivered int
	ended     []bool // by rank: its channel may close
	spoke     []bool // by rank: it has said why it failed
	cause     *Failure
	weight    weight // of cause
	proceeded bool
	canceled  *message      // what Cancel said, also for ranks that register later
	over      chan struct{} // closed when canceled is there
	closed    bool
	complete  chan struct{} // closed when every rank has delivered
	failed    chan struct{} // closed when cause is settled
	settled   bool
	settling  *time.Timer
	attended  []io.Closer // service lines
	muster    muster
	departed  int           // ranks whose control channel has ended
	empty     chan struct{} // closed when that of every rank has, after the run
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

// Addr returns where ranks register.
func (r *Root) Addr() net.Addr { return r.cfg.Listener.Addr() }

// register serves a process that has proved that it belongs to the run, once it
// has said where it listens.
func (r *Root) register(v *auth.Visit) {
	r.mu.Lock()
	r.waiting = append(r.waiting, v.Conn)
	closed := r.closed
	r.mu.Unlock()
	var l *line
	err := net.ErrClosed
	if !closed {
		l, err = r.hear(v)
	}
	if err != nil {
		r.door.Refused("registration", v.Conn.RemoteAddr(), err)
		if r.forget(v.Conn) && l != nil {
			_ = l.write(message{Type: toRankRefuse, Text: oneLine(err.Error())}) // it may have gone already
		}
		_ = v.Conn.Close()
		return
	}
	if r.forget(v.Conn) {
		r.tasks.Go(func() { r.attend(v.Peer, l) }) // it was not admitted
		return
	}
	l.guard()
	r.tasks.Go(func() { r.serve(v.Peer.Rank, l) })
}

// beat tells the ranks every now and then that this side lives.
func (r *Root) beat() {
	tick := time.NewTicker(patience(r.cfg.Patience).beat())
	defer tick.Stop()
	for {
		select {
		case <-r.quit:
			return
		case <-tick.C:
			r.mu.Lock()
			r.tell(message{Type: beat})
			r.mu.Unlock()
		}
	}
}

// hear reads where a rank listens, and takes it among the members, or that it has
// requests. The line that it returns with an error is there to say so.
func (r *Root) hear(v *auth.Visit) (*line, error) {
	if v.Peer.Role != auth.Rank {
		return nil, errors.New("not a rank")
	}
	s, err := v.Welcome()
	if err != nil {
		return nil, err
	}
	// The door's time is for strangers. A process of the run, which has been let in,
	// does not call again, and may have to wait for a CPU.
	_ = s.Conn.SetDeadline(time.Now().Add(patience(r.cfg.Patience).silence()))
	l := newLine(s, r.cfg.Patience)
	m, err := l.read()
	if err != nil {
		return nil, err
	}
	if m.Type == toRootService {
		_ = s.Conn.SetDeadline(time.Time{})
		return l, nil
	}
	if m.Type != toRootHello || len(m.Addrs) != 1 {
		return l, errors.New("does not say where it listens")
	}
	addr, err := reachable(m.Addrs[0], s.Conn)
	if err != nil {
		return l, err
	}
	_ = s.Conn.SetDeadline(time.Time{}) // before admit, which may write
	return l, r.admit(v.Peer, addr, l)
}

// forget takes conn out of those that have not registered, and says whether it
// was among them.
func (r *Root) forget(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.waiting)
	r.waiting = slices.DeleteFunc(r.waiting, func(c net.Conn) bool { return c == conn })
	return len(r.waiting) < before
}

// reachable returns addr, with an unspecified host replaced by that from which
// conn comes.
func reachable(addr string, conn net.Conn) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("address of the rank: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if host, _, err = net.SplitHostPort(conn.RemoteAddr().String()); err != nil {
			return "", fmt.Errorf("address of the rank: %w", err)
		}
	}
	return net.JoinHostPort(host, port), nil
}

// admit takes a rank that listens at addr among the members. The last one to come
// starts all. A rank that does not fit fails the run.
func (r *Root) admit(p auth.Party, addr string, l *line) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := slices.Index(r.waiting, l.conn)
	if k < 0 {
		return net.ErrClosed
	}
	var err error
	digest := hex.EncodeToString(p.Digest[:])
	switch {
	case p.Size != r.cfg.Size:
		err = fmt.Errorf("rank %d counts %d ranks, the launcher %d", p.Rank, p.Size, r.cfg.Size)
	case r.members[p.Rank] != nil:
		return fmt.Errorf("rank %d has registered already", p.Rank)
	case r.digest != "" && r.digest != digest:
		err = fmt.Errorf("rank %d runs another program or plan than the ranks before it", p.Rank)
	}
	if err != nil {
		r.fail(p.Rank, err.Error(), reported)
		return err
	}
	r.waiting = slices.Delete(r.waiting, k, k+1)
	r.members[p.Rank], r.addrs[p.Rank], r.digest = l, addr, digest
	r.joined++
	switch {
	case r.canceled != nil:
		_ = l.write(*r.canceled) // it comes too late
	case r.joined == r.cfg.Size:
		r.tell(message{Type: toRankStart, Addrs: r.addrs})
	}
	return nil
}

// serve follows what a rank says until its line ends.
func (r *Root) serve(rank int, l *line) {
	defer l.conn.Close()
	for {
		m, err := l.read()
		if err != nil {
			r.mu.Lock()
			if !r.ended[rank] {
				r.fail(rank, r.lostText(rank, err), lost)
			}
			r.departed++
			r.look()
			r.mu.Unlock()
			return
		}
		switch m.Type {
		case toRootProgress:
			if r.cfg.Progress != nil {
				r.reporting.Lock()
				r.cfg.Progress(rank, m.Done, m.Total)
				r.reporting.Unlock()
			}
		case toRootStats:
			if r.cfg.Stats != nil {
				r.reporting.Lock()
				r.cfg.Stats(rank, m.Result)
				r.reporting.Unlock()
			}
		case toRootResult:
			r.deliver(rank, m.Result)
		case toRootFailure:
			w := reported
			if m.Secondary {
				w = following
			}
			r.mu.Lock()
			r.spoke[rank] = true
			r.fail(rank, oneLine(m.Text), w)
			r.mu.Unlock()
		}
	}
}

// deliver keeps the result of rank.
func (r *Root) deliver(rank int, result json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.results[rank] != nil || len(result) == 0 {
		return
	}
	r.results[rank] = result
	if r.delivered++; r.delivered == r.cfg.Size {
		close(r.complete)
	}
}

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

// Proceed tells every rank that all have delivered and that it may commit its
// outputs, and what has come of the run, in JSON; nil if that is of no interest to
// them.
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

// tell sends m to every rank that has registered. One that cannot be written to
// is noticed where it is read. It needs r.mu.
func (r *Root) tell(m message) {
	for _, l := range r.members {
		if l != nil {
			_ = l.write(m)
		}
	}
}

// look closes empty if the run is over and nobody is left: who has enlisted and not
// joined yet may still have to hear why there is no run. It needs r.mu.
func (r *Root) look() {
	if (r.proceeded || r.canceled != nil) && r.departed == r.joined && r.muster.there == 0 && !r.emptied {
		r.emptied = true
		close(r.empty)
	}
}

// Empty returns a channel that is closed when the run is over, and the control
// channel of every rank that had one has ended.
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
		_ = c.Close() // whose rank may have gone
	}
	if r.settling != nil {
		r.settling.Stop()
		r.settle() // whoever waits for it
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
