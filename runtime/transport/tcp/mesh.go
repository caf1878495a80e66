// Package tcp connects the ranks of a run by TCP: one connection for each pair, and one
// writev for everything posted to a peer since the last Flush. Faces are read from the
// socket directly into the slot in which they are used.
//
// A connection begins with a handshake (package auth, and hello.go) and then carries frames
// (frame.go) in both directions, between hosts with a MAC each or through TLS. For each
// peer one goroutine writes and one reads, so that faces and credits move while the rank
// computes. If the workers keep all GOMAXPROCS processors busy, these goroutines starve:
// the program needs one more processor.
//
// A peer is alive as long as bytes arrive from it: a rank that has nothing else to send to
// a peer sends heartbeats. The duration of a step of the computation does not matter.
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
	tasks    sync.WaitGroup // all goroutines except callers
	quit     chan struct{}  // closed when Close begins to tear down

	mu       sync.Mutex
	peers    []*peer // by rank; nil for this rank, for ranks that are no peers, and until connected
	reserved []bool  // by rank: connected, or about to be
	missing  int     // peers not connected yet
	ready    chan struct{}
	fatal    error // why New cannot succeed
	trouble  error // the last error that was not fatal
	closed   bool
	cause    error // the argument of Close; nil after a run without errors
	down     bool  // quit is closed

	messages, bytes atomic.Int64

	// Set before the first edge is opened, and read when a face moves. The lock of the peer
	// orders the two.
	observer transport.Observer
}

// New connects to the peers: this rank dials lower ranks and accepts connections from
// higher ones. It returns when all peers are connected. A peer with another program or plan
// gives ErrHandshake on both sides; strangers are refused and have no effect.
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
	_ = m.Close(err) // it would return the same error
	return nil, err
}

// absence is the error that names the missing peers, with the reason if known. cause is the
// cause of the context's end, or nil after the timeout. The caller holds m.mu.
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

// note stores err, to be reported if peers stay missing.
func (m *mesh) note(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trouble = err
}

// reserve reserves the place of rank for a connection that is about to join, or returns an
// error.
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

// join adds the rank at the other end of s, whose place is reserved, to the peers and
// starts to serve it. If this rank has given up meanwhile, the new peer is told the reason,
// like the others.
func (m *mesh) join(s *auth.Session) {
	p := newPeer(m, s)
	if err := m.include(p); err != nil {
		p.stop(transport.ErrClosed, transport.NewGiveUp(m.cfg.Rank, err))
	}
	m.tasks.Go(p.run)
}

// include adds p to the peers, or returns an error if it is too late.
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

// Flush implements transport.Transport. It yields to the sender goroutines, which could not
// start while the caller computes on this P [note waiting].
func (m *mesh) Flush() error {
	var posted bool
	for _, p := range m.peers { // constant since New returned
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

// Close implements transport.Transport. Close(cause) from another goroutine ends a
// Close(nil) in progress. When it returns, the listener is closed and no goroutine is left.
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

// tearDown ends listeners and other goroutines that do not belong to a peer, and waits for
// them.
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
