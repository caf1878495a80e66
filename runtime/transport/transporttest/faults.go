package transporttest

import (
	"context"

	"loopc/runtime/transport"
)

// Faults are hooks that Inject uses to cause errors. A hook runs in the goroutine of the
// edge's owner. It may sleep, which delays this edge and so reorders faces across edges. A
// nil hook does nothing.
type Faults struct {
	// Post runs before face seq, counted from 0, of an edge is posted. If it
	// returns an error, the face is lost and Post returns the error.
	Post func(e transport.Edge, seq int) error

	// Arrived runs when face seq of an edge has arrived, before the receiver sees it, and
	// may change it. If it returns an error, Arrived returns the error.
	Arrived func(e transport.Edge, seq int, face []byte) error

	// Release runs before face seq of an edge is released and returns the number of credits
	// that the sender gets instead of one.
	Release func(e transport.Edge, seq int) int
}

// Inject returns t with faults. A hook can simulate the death of a rank by calling Close of
// t with a cause.
func Inject(t transport.Transport, f Faults) transport.Transport {
	return &faulty{Transport: t, faults: f}
}

// faulty is a transport with faults.
type faulty struct {
	transport.Transport
	faults Faults
}

// OpenSend implements transport.Transport.
func (t *faulty) OpenSend(e transport.Edge) (transport.SendEdge, error) {
	send, err := t.Transport.OpenSend(e)
	if err != nil || t.faults.Post == nil {
		return send, err
	}
	return &faultySend{SendEdge: send, edge: e, hook: t.faults.Post}, nil
}

// OpenRecv implements transport.Transport.
func (t *faulty) OpenRecv(e transport.Edge) (transport.RecvEdge, error) {
	recv, err := t.Transport.OpenRecv(e)
	if err != nil {
		return nil, err
	}
	return &faultyRecv{RecvEdge: recv, edge: e, faults: t.faults}, nil
}

// faultySend is a sending end with faults.
type faultySend struct {
	transport.SendEdge
	edge transport.Edge
	seq  int
	hook func(transport.Edge, int) error
}

// Post implements transport.SendEdge.
func (s *faultySend) Post(n int) error {
	seq := s.seq
	s.seq++
	if err := s.hook(s.edge, seq); err != nil {
		return err
	}
	return s.SendEdge.Post(n)
}

// faultyRecv is a receiving end with faults.
type faultyRecv struct {
	transport.RecvEdge
	edge              transport.Edge
	arrived, released int
	faults            Faults
}

// Arrived implements transport.RecvEdge.
func (r *faultyRecv) Arrived(ctx context.Context) ([]byte, error) {
	face, err := r.RecvEdge.Arrived(ctx)
	if err != nil {
		return nil, err
	}
	seq := r.arrived
	r.arrived++
	if r.faults.Arrived != nil {
		if err := r.faults.Arrived(r.edge, seq, face); err != nil {
			return nil, err
		}
	}
	return face, nil
}

// Release implements transport.RecvEdge.
func (r *faultyRecv) Release() error {
	seq := r.released
	r.released++
	credits := 1
	if r.faults.Release != nil {
		credits = r.faults.Release(r.edge, seq)
	}
	for range credits {
		if err := r.RecvEdge.Release(); err != nil {
			return err
		}
	}
	return nil
}
