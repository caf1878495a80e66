package rma

import (
	"context"
	"fmt"

	"loopc/runtime/transport"
)

// ends are the sending or the receiving ends that this rank has opened to a peer, by the number of
// the edge. Either rank may open its end of an edge first. Guarded by peer.mu.
type ends[E end] struct {
	open  map[int]E
	early map[int]opening // the peer's openings of edges that are not open here yet
	told  map[int]bool    // edges of which the peer has told that it has opened the opposite end
}

func newEnds[E end]() ends[E] {
	return ends[E]{open: map[int]E{}, early: map[int]opening{}, told: map[int]bool{}}
}

// add adds an end. It returns the opening of the peer if that came first.
func (s *ends[E]) add(id int, edge E) (theirs opening, early bool) {
	s.open[id] = edge
	theirs, early = s.early[id]
	delete(s.early, id)
	return theirs, early
}

// hear notes that the peer has opened the opposite end of an edge. It returns our end if that is
// open; if not, the opening waits for it. An edge that is opened twice is an error: it would get
// more credits than slots.
func (s *ends[E]) hear(o opening) (edge E, open bool, err error) {
	id := o.edge.ID
	if s.told[id] {
		return edge, false, fmt.Errorf("%w: a second opening of an end of edge %d", transport.ErrProtocol, id)
	}
	s.told[id] = true
	if edge, open = s.open[id]; !open {
		s.early[id] = o
	}
	return edge, open, nil
}

// openSend opens the sending end of e, and accepts the opening of the receiver if that came
// first.
func (p *peer) openSend(e transport.Edge) (*sendEdge, error) {
	if err := mayOpen(p, &p.send, e.ID); err != nil {
		return nil, err
	}
	edge, err := newSendEdge(p, e)
	if err != nil {
		return nil, err
	}
	own := opening{edge: e, handle: edge.handle}
	if err := announce(p, &p.send, edge, own, sayOffer); err != nil {
		return nil, err
	}
	return edge, nil
}

// openRecv opens the receiving end of e, and sends the peer the addresses of its slots.
func (p *peer) openRecv(e transport.Edge) (*recvEdge, error) {
	if err := mayOpen(p, &p.recv, e.ID); err != nil {
		return nil, err
	}
	edge, err := newRecvEdge(p, e)
	if err != nil {
		return nil, err
	}
	own := opening{edge: e, handle: edge.handle, slots: place{base: edge.region.Base, key: edge.region.Key}}
	if err := announce(p, &p.recv, edge, own, sayGrant); err != nil {
		return nil, err
	}
	return edge, nil
}

// mayOpen returns an error if an edge cannot be opened.
func mayOpen[E end](p *peer, all *ends[E], id int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	if _, open := all.open[id]; open {
		return errTwice
	}
	return nil
}

// announce adds a new end, tells the peer of it, and accepts the opening of the peer if that came
// first.
func announce[E end](p *peer, all *ends[E], edge E, own opening, message byte) error {
	p.mu.Lock()
	theirs, early := all.add(own.edge.ID, edge)
	bye, failed := p.bye, p.err
	p.mu.Unlock()
	if failed != nil {
		edge.fail(failed)
		return failed
	}
	if err := p.tell(context.Background(), own.append(nil, message)); err != nil {
		return inner(err)
	}
	if bye { // credits granted before the goodbye remain valid
		edge.finish(p.finished())
	}
	if !early {
		return nil
	}
	err := edge.accept(theirs)
	if err != nil {
		edge.fail(err)
	}
	return err
}

// opened handles the peer's opening of the end that is opposite to one of all. A mismatch breaks
// only this edge.
func opened[E end](p *peer, all *ends[E], o opening) error {
	p.mu.Lock()
	edge, open, err := all.hear(o)
	p.mu.Unlock()
	if open {
		if err := edge.accept(o); err != nil {
			edge.fail(err)
		}
	}
	return err
}
