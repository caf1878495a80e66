package rma

import (
	"context"
	"fmt"

	"loopc/runtime/transport"
)

// openSend opens the sending end of e, and accepts the opening of the receiver if that came
// first.
func (p *peer) openSend(e transport.Edge) (*sendEdge, error) {
	if err := p.mayOpen(func() bool { return p.send[e.ID] != nil }); err != nil {
		return nil, err
	}
	edge, err := newSendEdge(p, e)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.send[e.ID] = edge
	theirs, faster := p.granted[e.ID]
	edge.heard = faster
	delete(p.granted, e.ID)
	bye, failed := p.bye, p.err
	p.mu.Unlock()
	if failed != nil {
		edge.fail(failed)
		return nil, failed
	}
	if err := p.tell(context.Background(), opening{edge: e, handle: edge.handle}.append(nil, sayOffer)); err != nil {
		return nil, inner(err)
	}
	if bye { // credits granted before the goodbye remain valid
		edge.ring.End(p.finished())
	}
	if faster {
		if err := edge.grant(theirs); err != nil {
			edge.fail(err)
			return nil, err
		}
	}
	return edge, nil
}

// openRecv opens the receiving end of e, and sends the peer the addresses of its slots.
func (p *peer) openRecv(e transport.Edge) (*recvEdge, error) {
	if err := p.mayOpen(func() bool { return p.recv[e.ID] != nil }); err != nil {
		return nil, err
	}
	edge, err := newRecvEdge(p, e)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.recv[e.ID] = edge
	theirs, faster := p.offered[e.ID]
	edge.heard = faster
	delete(p.offered, e.ID)
	bye, failed := p.bye, p.err
	p.mu.Unlock()
	if failed != nil {
		edge.ring.Fail(failed)
		return nil, failed
	}
	own := opening{edge: e, handle: edge.handle, slots: place{base: edge.region.Base, key: edge.region.Key}}
	if err := p.tell(context.Background(), own.append(nil, sayGrant)); err != nil {
		return nil, inner(err)
	}
	if bye {
		edge.ring.End(p.finished())
	}
	if faster {
		if err := edge.offer(theirs); err != nil {
			edge.ring.Fail(err)
			return nil, err
		}
	}
	return edge, nil
}

// mayOpen returns an error if an edge cannot be opened.
func (p *peer) mayOpen(there func() bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.err != nil:
		return p.err
	case there():
		return errTwice
	}
	return nil
}

// offer compares the opening of the peer's sender with our receiver, or stores it until our
// receiver is opened. A mismatch breaks only this edge.
func (p *peer) offer(o opening) error {
	p.mu.Lock()
	e := p.recv[o.edge.ID]
	_, again := p.offered[o.edge.ID]
	if e != nil {
		again, e.heard = e.heard, true
	} else if !again {
		p.offered[o.edge.ID] = o
	}
	p.mu.Unlock()
	if again {
		return openedTwice(o)
	}
	if e != nil {
		if err := e.offer(o); err != nil {
			e.ring.Fail(err)
		}
	}
	return nil
}

// grant does what offer does, for the peer's receiver and our sender.
func (p *peer) grant(o opening) error {
	p.mu.Lock()
	e := p.send[o.edge.ID]
	_, again := p.granted[o.edge.ID]
	if e != nil {
		again, e.heard = e.heard, true
	} else if !again {
		p.granted[o.edge.ID] = o
	}
	p.mu.Unlock()
	if again {
		return openedTwice(o)
	}
	if e != nil {
		if err := e.grant(o); err != nil {
			e.fail(err)
		}
	}
	return nil
}

// openedTwice is the error that a peer opens an end twice, which would give more credits
// than slots.
func openedTwice(o opening) error {
	return fmt.Errorf("%w: a second opening of an end of edge %d", transport.ErrProtocol, o.edge.ID)
}
