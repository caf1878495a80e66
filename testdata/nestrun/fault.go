package nestrun

import (
	"context"

	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
)

// handedOn is the number of the edges on which the nests of a program hand arrays on;
// see runtime/sched.
const handedOn = 0

// meddling is inproc.Mesh with the fault of that name between ranks and transport; ""
// is none.
func meddling(fault string) sched.Mesh {
	if fault == "" {
		return inproc.Mesh
	}
	return func(size int, run string) ([]transport.Transport, error) {
		all, err := inproc.Mesh(size, run)
		for k := range all {
			all[k] = meddler{all[k], fault}
		}
		return all, err
	}
}

// A meddler is a transport that plants a fault.
type meddler struct {
	transport.Transport
	fault string
}

func (m meddler) OpenSend(e transport.Edge) (transport.SendEdge, error) {
	edge, err := m.Transport.OpenSend(e)
	if m.fault == "face" || m.fault == "handed on" && e.ID == handedOn {
		edge = &shortSend{SendEdge: edge}
	}
	return edge, err
}

func (m meddler) OpenRecv(e transport.Edge) (transport.RecvEdge, error) {
	edge, err := m.Transport.OpenRecv(e)
	if m.fault == "twice" {
		edge = twiceRecv{edge}
	}
	return edge, err
}

// A shortSend loses the end of what is sent.
type shortSend struct {
	transport.SendEdge
	slot []byte
}

func (s *shortSend) Acquire(ctx context.Context) (slot []byte, err error) {
	s.slot, err = s.SendEdge.Acquire(ctx)
	return s.slot, err
}

func (s *shortSend) Post(n int) error {
	clear(s.slot[max(0, n-8):n]) // cells have eight bytes at most
	return s.SendEdge.Post(n)
}

// A twiceRecv gives slots back twice.
type twiceRecv struct{ transport.RecvEdge }

func (r twiceRecv) Release() error {
	if err := r.RecvEdge.Release(); err != nil {
		return err
	}
	return r.RecvEdge.Release()
}
