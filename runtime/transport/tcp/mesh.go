// Package tcp connects the ranks of a run by TCP: one connection for each pair,
// one writev for everything posted to a peer since the last Flush, faces read
// from the socket straight into the slot where they are used.
//
// A connection begins with a handshake (package auth, and hello.go) and then
// carries frames (frame.go) in both directions, between hosts with a MAC each or
// through TLS. For each peer one goroutine writes and one
// reads, so that faces and credits move while the rank computes; a program
// whose workers keep every processor of GOMAXPROCS busy starves them, and needs
// one more.
//
// Liveness is whether bytes arrive: a rank that has nothing to say to a peer
// sends heartbeats. How long a step of the computation takes is nobody's
// business here.
package tcp

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// A mesh is one rank's transport.
type mesh struct {
	cfg      Config
	identity *auth.Identity
	doors    []*auth.Door   // one for each listener
	tasks    sync.WaitGroup // every goroutine but those of callers
	quit     chan struct{}  // closed when Close begins to tear down

	mu       sync.Mutex
	peers    []*peer // by rank; nil for this one, for ranks that are no peers, and until connected
	reserved []bool  // by rank: connected, or about to be
	missing  int     // peers not connected yet
	ready    chan struct{}
	fatal    error // why New cannot succeed
	trouble  error // what went wrong last without being fatal
	closed   bool
	cause    error // with which it was closed; nil if in good order
	down     bool  // quit is closed

	messages, bytes atomic.Int64

	// Set before the first edge is opened, and read where a face is moved: the
	// lock of the peer lies between.
	observer transport.Observer
}

// New connects to the peers: this rank calls those of lower number and is
// called by those of higher. It returns once all are connected. A peer that
// runs something else gives ErrHandshake on both sides; strangers are turned
// away and do not matter.
func New(ctx context.Context, cfg Config) (transport.Transport, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	m := &mesh{
		cfg: cfg,
		identity: &auth.Identity{
			Service: service, Secret: cfg.Secret, MAC: cfg.MAC, TLS: cfg.TLS,
			Self: auth.Party{Role: auth.Rank, Rank: cfg.Rank, Size: cfg.Size, Digest: cfg.Digest},
		},
		quit:     make(chan struct{}),
		peers:    make([]*peer, cfg.Size),
		reserved: make([]bool, cfg.Size),
		missing:  len(cfg.Peers),
		ready:    make(chan struct{}),
	}
	if m.missing == 0 {
		close(m.ready)
	}
	if cfg.Listener != nil {
		m.listen(m.identity, cfg.Listener)
	}
	if cfg.Local != nil {
		m.listen(m.localIdentity(), cfg.Local.Listener())
	}
	m.tasks.Go(m.pulse)

	dialing, cancel := context.WithTimeout(ctx, cfg.Connect)
	defer cancel()
	for _, k := range cfg.Peers {
		if k < cfg.Rank {
			m.tasks.Go(func() { m.dial(dialing, k) })
		}
	}
	select {
	case <-m.ready:
	case <-dialing.Done():
	}
	m.mu.Lock()
	err := m.fatal
	if err == nil && m.missing > 0 {
		err = m.absence(context.Cause(ctx))
	}
	m.mu.Unlock()
	if err == nil {
		return m, nil
	}
	err = &transport.Error{Op: "connect", Rank: cfg.Rank, Peer: -1, Edge: -1, Step: -1, Err: err}
	cancel()
	_ = m.Close(err) // the error that it could have is this one
	return nil, err
}

// absence says which peers have not come, and why as far as is known: cause is
// that of the caller's context, nil if time was up. It needs m.mu.
func (m *mesh) absence(cause error) error {
	var who []int
	for _, k := range m.cfg.Peers {
		if m.peers[k] == nil {
			who = append(who, k)
		}
	}
	switch {
	case cause != nil:
		return fmt.Errorf("still waiting for ranks %v: %w", who, cause)
	case m.trouble != nil:
		return fmt.Errorf("%w: ranks %v did not connect within %v: %w", transport.ErrGone, who, m.cfg.Connect, m.trouble)
	}
	return fmt.Errorf("%w: ranks %v did not connect within %v", transport.ErrGone, who, m.cfg.Connect)
}

// fail makes New return err. It has no effect once New has returned.
func (m *mesh) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fatal == nil && m.missing > 0 {
		m.fatal = err
		close(m.ready)
	}
}

// note keeps err as the trouble to report if peers do not come.
func (m *mesh) note(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trouble = err
}

// reserve keeps the place of rank for a connection that is about to join. The
// error says why it cannot.
func (m *mesh) reserve(rank int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case !slices.Contains(m.cfg.Peers, rank):
		return fmt.Errorf("rank %d is not a peer of rank %d", rank, m.cfg.Rank)
	case m.reserved[rank]:
		return fmt.Errorf("rank %d is connected already", rank)
	}
	m.reserved[rank] = true
	return nil
}

// unreserve undoes reserve.
func (m *mesh) unreserve(rank int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reserved[rank] = false
}

// join takes the rank at the other end of s, whose place is reserved, among the
// peers and starts to serve it. If this rank has given up meanwhile, that is told
// why, as those who came in time were.
func (m *mesh) join(s *auth.Session) {
	p := newPeer(m, s)
	if err := m.include(p); err != nil {
		p.stop(transport.ErrClosed, transport.NewGiveUp(m.cfg.Rank, err))
	}
	m.tasks.Go(p.run)
}

// include takes p among the peers, or returns why it is too late for that.
func (m *mesh) include(p *peer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.cause != nil:
		return m.cause
	case m.fatal != nil:
		return m.fatal
	case m.closed:
		return transport.ErrClosed
	}
	m.peers[p.rank] = p
	if m.missing--; m.missing == 0 {
		close(m.ready)
	}
	return nil
}

// connected returns the peers connected so far.
func (m *mesh) connected() []*peer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.peers), func(p *peer) bool { return p == nil })
}

// Rank implements transport.Transport.
func (m *mesh) Rank() int { return m.cfg.Rank }

// Size implements transport.Transport.
func (m *mesh) Size() int { return m.cfg.Size }

// OpenSend implements transport.Transport.
func (m *mesh) OpenSend(e transport.Edge) (transport.SendEdge, error) {
	p, err := m.peer(e)
	if err != nil {
		return nil, err
	}
	return p.openSend(e)
}

// OpenRecv implements transport.Transport.
func (m *mesh) OpenRecv(e transport.Edge) (transport.RecvEdge, error) {
	p, err := m.peer(e)
	if err != nil {
		return nil, err
	}
	return p.openRecv(e)
}

// peer returns the peer of e.
func (m *mesh) peer(e transport.Edge) (*peer, error) {
	if err := e.Check(m.cfg.Rank, m.cfg.Size); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err := transport.ErrClosed
	if !m.closed {
		if p := m.peers[e.Peer]; p != nil {
			return p, nil
		}
		err = fmt.Errorf("rank %d is not among the peers %v", e.Peer, m.cfg.Peers)
	}
	return nil, &transport.Error{Op: "open", Rank: m.cfg.Rank, Peer: e.Peer, Edge: e.ID, Step: -1, Err: err}
}

// Flush implements transport.Transport. It yields to the sender goroutines, which would
// not start while the caller computes on this processor [note waiting].
func (m *mesh) Flush() error {
	var posted bool
	for _, p := range m.peers { // complete and constant since New returned
		if p == nil {
			continue
		}
		p.mu.Lock()
		if len(p.queue) > 0 {
			posted = true
			p.kick()
		}
		p.mu.Unlock()
	}
	if posted {
		runtime.Gosched()
	}
	return nil
}

// Stats implements transport.Transport.
func (m *mesh) Stats() transport.Stats {
	return transport.Stats{Messages: m.messages.Load(), Bytes: m.bytes.Load()}
}

// Observe implements transport.Observable.
func (m *mesh) Observe(o transport.Observer) { m.observer = o }

// Close implements transport.Transport. Close(cause) from another goroutine
// ends a Close(nil) under way. When it returns, the listener is closed and no
// goroutine is left.
func (m *mesh) Close(cause error) error {
	m.mu.Lock()
	m.closed = true
	if m.cause == nil {
		m.cause = cause
	}
	m.mu.Unlock()
	peers := m.connected()
	if cause != nil {
		giveUp := transport.NewGiveUp(m.cfg.Rank, cause)
		for _, p := range peers {
			p.stop(transport.ErrClosed, giveUp)
		}
	}
	var first error
	for _, p := range peers {
		p.goodbye()
		p.failEdges(transport.ErrClosed)
	}
	for _, p := range peers {
		<-p.done
		if err, _ := p.failure(); err != nil && first == nil {
			first = p.fault("close", -1, err)
		}
	}
	m.tearDown()
	if cause != nil {
		return nil
	}
	return first
}

// tearDown ends what does not belong to a peer, and waits for it.
func (m *mesh) tearDown() {
	m.mu.Lock()
	if !m.down {
		m.down = true
		close(m.quit)
		for _, d := range m.doors {
			d.Shut()
		}
	}
	m.mu.Unlock()
	m.tasks.Wait()
}
