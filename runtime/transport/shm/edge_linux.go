package shm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"loopc/runtime/transport"
)

// Mistakes of the user of an edge; see transport.Ring.
var (
	errNotAcquired = fmt.Errorf("%w: posted a face without acquiring a slot", transport.ErrProtocol)
	errNotArrived  = fmt.Errorf("%w: released a face that has not arrived", transport.ErrProtocol)
)

// A sendEdge is the sending end of an edge. The receiver makes the memory of the edge, and
// sends it with the message that opens the receiving end.
type sendEdge struct {
	waiter       // for credits
	rank     int // ours
	edge     transport.Edge
	granted  *transport.Counter // 1 once the memory is mapped
	ring     *shared            // nil until the first Acquire has found it
	posted   uint64             // faces posted
	released uint64             // faces that the receiver had released when last read
	next     int                // slot of the next face
	held     bool               // the next slot has been acquired
}

// newSend returns the sending end of e, without memory.
func newSend(rank int, e transport.Edge) *sendEdge {
	s := &sendEdge{rank: rank, edge: e, granted: transport.NewCounter(0)}
	s.count = func(m *shared) *atomic.Uint64 { return m.released }
	s.asleep = func(m *shared) *atomic.Uint32 { return m.sender }
	s.init()
	return s
}

// Map implements tcp.LocalSend.
func (s *sendEdge) Map(file *os.File) error {
	m, err := mapped(file, s.edge.Capacity, s.edge.Slots)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	s.memory.Store(m)
	s.granted.Advance(1)
	return nil
}

// Fail implements tcp.LocalEdge.
func (s *sendEdge) Fail(err error) {
	s.granted.Fail(err)
	s.waiter.Fail(err)
}

// End implements tcp.LocalEdge.
func (s *sendEdge) End(err error) {
	s.granted.End(err)
	s.waiter.End(err)
}

// Acquire implements transport.SendEdge. It returns the same slot until that slot is
// posted.
func (s *sendEdge) Acquire(ctx context.Context) ([]byte, error) {
	if s.ring == nil {
		if err := s.granted.Wait(ctx, 1); err != nil {
			return nil, s.fault("acquire", err)
		}
		s.ring = s.memory.Load()
	}
	slots := uint64(s.edge.Slots)
	if s.posted-s.released >= slots {
		n, err := s.wait(ctx, s.released, slots)
		if err != nil {
			return nil, s.fault("acquire", err)
		}
		s.released = n
	} else if err := s.broken(); err != nil {
		return nil, s.fault("acquire", err)
	}
	s.held = true
	return s.ring.slot(s.next), nil
}

// Post implements transport.SendEdge; the face has arrived when it returns.
func (s *sendEdge) Post(n int) error {
	switch err := s.broken(); {
	case err != nil:
		return s.fault("post", err)
	case !s.held:
		return s.fault("post", errNotAcquired)
	case n < 0:
		return s.fault("post", fmt.Errorf("%w: face of %d bytes", transport.ErrProtocol, n))
	case n > s.edge.Capacity:
		return s.fault("post", fmt.Errorf("%w: %d bytes into %d", transport.ErrTooLong, n, s.edge.Capacity))
	}
	m := s.ring
	m.length(s.next).Store(uint64(n))
	s.held = false
	if s.next++; s.next == s.edge.Slots {
		s.next = 0
	}
	s.posted++
	m.posted.Store(s.posted)
	wake(m.receiver)
	runtime.KeepAlive(s) // s keeps the memory mapped until it has been written
	return nil
}

// Sync implements transport.SendEdge. Posted faces are already in the receiver's memory.
func (s *sendEdge) Sync(context.Context) error {
	if err := s.broken(); err != nil {
		return s.fault("sync", err)
	}
	return nil
}

func (s *sendEdge) fault(op string, err error) error { return fault(op, s.rank, s.edge, err) }

// A recvEdge is the receiving end of an edge, which made its memory.
type recvEdge struct {
	waiter // for faces
	rank   int
	edge   transport.Edge
	ring   *shared

	posted   uint64 // faces that the sender had posted when last read
	arrived  uint64 // faces returned by Arrived
	released uint64
	next     int // slot of the next face
}

// newRecv returns the receiving end of e with its memory.
func newRecv(rank int, e transport.Edge, m *shared) *recvEdge {
	r := &recvEdge{rank: rank, edge: e, ring: m}
	r.count = func(m *shared) *atomic.Uint64 { return m.posted }
	r.asleep = func(m *shared) *atomic.Uint32 { return m.receiver }
	r.init()
	r.memory.Store(m)
	return r
}

// Arrived implements transport.RecvEdge.
func (r *recvEdge) Arrived(ctx context.Context) ([]byte, error) {
	if r.arrived == r.posted {
		// New faces need free slots: a greater count is the peer's fault, which wait returns.
		n, err := r.wait(ctx, r.posted, uint64(r.edge.Slots)-(r.arrived-r.released))
		if err != nil {
			return nil, r.fault("arrived", err)
		}
		r.posted = n
	} else if err := r.broken(); err != nil {
		return nil, r.fault("arrived", err)
	}
	n := r.ring.length(r.next).Load() // once: the peer may change it
	if n > uint64(r.edge.Capacity) {
		err := fmt.Errorf("%w: face of %d bytes in a slot of %d", transport.ErrProtocol, n, r.edge.Capacity)
		r.Fail(err)
		return nil, r.fault("arrived", err)
	}
	face := r.ring.slot(r.next)[:n:n]
	r.arrived++
	if r.next++; r.next == r.edge.Slots {
		r.next = 0
	}
	return face, nil
}

// Release implements transport.RecvEdge.
func (r *recvEdge) Release() error {
	if err := r.broken(); err != nil {
		return r.fault("release", err)
	}
	if r.released >= r.arrived {
		return r.fault("release", errNotArrived)
	}
	r.released++
	r.ring.released.Store(r.released)
	wake(r.ring.sender)
	runtime.KeepAlive(r) // r keeps the memory mapped until it has been written
	return nil
}

func (r *recvEdge) fault(op string, err error) error { return fault(op, r.rank, r.edge, err) }

// fault wraps err in the *Error of an operation on edge e of rank.
func fault(op string, rank int, e transport.Edge, err error) error {
	var own *transport.Error
	if errors.As(err, &own) {
		return err
	}
	return &transport.Error{Op: op, Rank: rank, Peer: e.Peer, Edge: e.ID, Step: -1, Err: err}
}
