package rma

import (
	"context"
	"fmt"

	"loopc/runtime/transport"
)

// openSend opens the sending end of e, and takes the slots of a receiver that was
// faster.
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
	if bye { // what it has granted before counts
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

// openRecv opens the receiving end of e, and tells the peer where its slots are.
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

// mayOpen returns why an edge cannot be opened, or nil.
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

// offer compares the peer's sender with our receiver, or keeps it until ours is
// opened. One that disagrees breaks that edge only.
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

// grant is offer for the peer's receiver and our sender.
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

// openedTwice is what a peer does wrong that opens an end again, and would so give
// more credits than there are slots.
func openedTwice(o opening) error {
	return fmt.Errorf("%w: a second opening of an end of edge %d", transport.ErrProtocol, o.edge.ID)
}
