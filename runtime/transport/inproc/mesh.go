// Package inproc connects ranks that are goroutines of one process: both ends of an edge
// share a transport.Ring, so a posted face has arrived, and neither Flush nor Sync has
// anything to do.
package inproc

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"loopc/runtime/transport"
)

// errTwice: the edge is already open.
var errTwice = errors.New("edge is open already")

// NewMesh returns the transports of the size ranks of a run, rank 0 first. It panics if size is less than 1.
func NewMesh(size int) []transport.Transport {
	if size < 1 {
		panic(fmt.Sprintf("BUG: a mesh of %d ranks", size))
	}
	m := &mesh{edges: make(map[edgeKey]*edge), ranks: make([]*rank, size), open: size, done: make(chan struct{})}
	all := make([]transport.Transport, size)
	for k := range m.ranks {
		m.ranks[k] = &rank{mesh: m, rank: k}
		all[k] = m.ranks[k]
	}
	return all
}

// A mesh is the state that the ranks of a process share.
type mesh struct {
	mu    sync.Mutex
	edges map[edgeKey]*edge
	ranks []*rank
	open  int           // ranks that have not closed
	gone  error         // why the first rank gave up, or nil
	done  chan struct{} // closed once every rank has closed, or one gave up
}

// edgeKey identifies an edge within a mesh.
type edgeKey struct{ from, to, id int }

// An edge is a ring, and which of its ends are open.
type edge struct {
	ring       *transport.Ring
	size       transport.Edge // capacity and slots, as first opened
	sent, read bool           // the ends that are open
}

// A rank is one rank's transport.
type rank struct {
	mesh            *mesh
	rank            int
	closed          bool    // guarded by mesh.mu
	edges           []*edge // edges from or to this rank, guarded by mesh.mu
	messages, bytes atomic.Int64
}

// Rank implements transport.Transport.
func (r *rank) Rank() int { return r.rank }

// Size implements transport.Transport.
func (r *rank) Size() int { return len(r.mesh.ranks) }

// OpenSend implements transport.Transport.
func (r *rank) OpenSend(e transport.Edge) (transport.SendEdge, error) {
	ring, err := r.join(e, true)
	if err != nil {
		return nil, err
	}
	return &sendEdge{RingSender: ring.Sender(r.rank, e.Peer, e.ID), rank: r}, nil
}

// OpenRecv implements transport.Transport.
func (r *rank) OpenRecv(e transport.Edge) (transport.RecvEdge, error) {
	ring, err := r.join(e, false)
	if err != nil {
		return nil, err
	}
	return ring.Receiver(r.rank, e.Peer, e.ID), nil
}

// join returns the ring of e, which the first end creates. If the ends disagree, both get ErrMismatch.
func (r *rank) join(e transport.Edge, send bool) (*transport.Ring, error) {
	if err := e.Check(r.rank, r.Size()); err != nil {
		return nil, err
	}
	m := r.mesh
	m.mu.Lock()
	defer m.mu.Unlock()
	fault := func(err error) error {
		return &transport.Error{Op: "open", Rank: r.rank, Peer: e.Peer, Edge: e.ID, Step: -1, Err: err}
	}
	if r.closed {
		return nil, fault(transport.ErrClosed)
	}
	key := edgeKey{from: r.rank, to: e.Peer, id: e.ID}
	if !send {
		key.from, key.to = key.to, key.from
	}
	shared := m.edges[key]
	if shared == nil {
		shared = &edge{ring: transport.NewUncreditedRing(e.Capacity, e.Slots), size: e}
		m.edges[key] = shared
		for _, end := range []int{key.from, key.to} {
			m.ranks[end].edges = append(m.ranks[end].edges, shared)
		}
		switch {
		case m.gone != nil:
			shared.ring.Fail(m.gone)
		case m.ranks[e.Peer].closed:
			shared.ring.End(finished(e.Peer))
		}
	}
	if shared.size.Capacity != e.Capacity || shared.size.Slots != e.Slots {
		shared.ring.Fail(transport.Mismatch(shared.size, e))
		return nil, fault(transport.Mismatch(e, shared.size))
	}
	switch {
	case send && !shared.sent:
		shared.sent = true
	case !send && !shared.read:
		shared.read = true
		shared.ring.Grant(e.Slots)
	default:
		return nil, fault(errTwice)
	}
	return shared.ring, nil
}

// Flush implements transport.Transport; Post leaves nothing to flush.
func (r *rank) Flush() error { return nil }

// Stats implements transport.Transport.
func (r *rank) Stats() transport.Stats {
	return transport.Stats{Messages: r.messages.Load(), Bytes: r.bytes.Load()}
}

// Close implements transport.Transport. Close(cause) from another goroutine ends a Close(nil) in progress.
func (r *rank) Close(cause error) error {
	m := r.mesh
	m.mu.Lock()
	if cause != nil && m.gone == nil {
		m.giveUp(transport.NewGiveUp(r.rank, cause))
	}
	if !r.closed {
		r.closed = true
		if m.open--; m.open == 0 && m.gone == nil {
			close(m.done)
		}
		for _, e := range r.edges {
			e.ring.End(finished(r.rank))
		}
	}
	if cause == nil {
		m.mu.Unlock()
		<-m.done
		m.mu.Lock()
	}
	defer m.mu.Unlock()
	for _, e := range r.edges {
		e.ring.Fail(transport.ErrClosed)
	}
	if cause == nil && m.gone != nil {
		return &transport.Error{Op: "close", Rank: r.rank, Peer: -1, Edge: -1, Step: -1, Err: m.gone}
	}
	return nil
}

// giveUp fails every edge of the mesh, for the first cause. The caller holds m.mu.
func (m *mesh) giveUp(cause *transport.GiveUp) {
	if m.gone != nil || m.open == 0 {
		return
	}
	m.gone = transport.Gone(cause)
	close(m.done)
	for _, e := range m.edges {
		e.ring.Fail(m.gone)
	}
}

// finished is the error that a rank has closed and sends no more.
func finished(rank int) error {
	return transport.Gone(fmt.Errorf("rank %d has finished", rank))
}

// sendEdge is a ring's sender that updates its rank's statistics.
type sendEdge struct {
	*transport.RingSender
	rank *rank
}

// Post implements transport.SendEdge.
func (s *sendEdge) Post(n int) error {
	if err := s.RingSender.Post(n); err != nil {
		return err
	}
	s.rank.messages.Add(1)
	s.rank.bytes.Add(int64(n))
	return nil
}
