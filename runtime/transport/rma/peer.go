package rma

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"loopc/runtime/transport"
)

// causeTime is how long to wait, after a write to a peer has failed, for the peer's reason
// over the control.
const causeTime = 200 * time.Millisecond

// A peer is another rank: its endpoint, and the state of the control connection to it.
type peer struct {
	mesh *mesh
	rank int
	to   uint64 // its endpoint
	bell place  // target of writes that carry only an immediate

	saying sync.Mutex // held while sending over the control
	say    transport.SendEdge
	hear   transport.RecvEdge

	writing sync.Mutex // held while writing to the peer
	pending []Write    // writes that wait after ErrAgain, in order
	ring    Write      // scratch for writes to bell

	mu     sync.Mutex
	err    error         // why its edges failed, or nil
	bye    bool          // the peer has said goodbye
	said   bool          // we have said goodbye, or are about to
	parted chan struct{} // closed when the peer has said goodbye or failed
	send   ends[*sendEdge]
	recv   ends[*recvEdge]
}

// newPeer opens the control to rank.
func newPeer(m *mesh, rank int) (*peer, error) {
	p := &peer{
		mesh:   m,
		rank:   rank,
		parted: make(chan struct{}),
		send:   newEnds[*sendEdge](),
		recv:   newEnds[*recvEdge](),
	}
	var err error
	e := transport.Edge{Peer: rank, Capacity: controlBytes, Slots: controlSlots}
	if p.say, err = m.control.OpenSend(e); err != nil {
		return nil, err
	}
	if p.hear, err = m.control.OpenRecv(e); err != nil {
		return nil, err
	}
	return p, nil
}

// greet exchanges hellos with the peer.
func (p *peer) greet(ctx context.Context, own hello) error {
	if err := p.tell(ctx, own.append(nil)); err != nil {
		return err
	}
	b, err := p.hear.Arrived(ctx)
	if err != nil {
		return err
	}
	theirs, err := parseHello(b)
	switch {
	case err != nil:
		return err
	case theirs.provider != own.provider:
		return fmt.Errorf("it writes over %q, and this rank over %q", theirs.provider, own.provider)
	}
	if p.to, err = p.mesh.fabric.Connect(theirs.address); err != nil {
		return err
	}
	p.bell = theirs.bell
	return p.hear.Release()
}

// tell sends b to the peer over the control. It waits for a slot until the peer fails or
// ctx ends.
func (p *peer) tell(ctx context.Context, b []byte) error {
	p.saying.Lock()
	defer p.saying.Unlock()
	slot, err := p.say.Acquire(ctx)
	if err != nil {
		return err
	}
	if err := p.say.Post(copy(slot, b)); err != nil {
		return err
	}
	return p.mesh.control.Flush()
}

// listen handles the peer's messages over the control until it ends.
func (p *peer) listen() {
	for {
		b, err := p.hear.Arrived(context.Background()) // fails if the peer fails
		if err != nil {
			p.lost(err)
			return
		}
		if err := p.heard(b); err != nil {
			p.refuse(err)
			return
		}
		if err := p.hear.Release(); err != nil {
			p.lost(err)
			return
		}
	}
}

// lost notes that the control to the peer has ended. After both goodbyes this is expected,
// unless the peer says that it gives up. If only the peer has said goodbye, it is an error:
// the peer must listen until our goodbye, to answer requests for acknowledgements.
func (p *peer) lost(err error) {
	p.mu.Lock()
	parted := p.bye && p.said
	p.mu.Unlock()
	var giveUp *transport.GiveUp
	if !parted || errors.As(err, &giveUp) {
		p.fail(inner(err))
	}
}

// part says goodbye to the peer. Errors are ignored: the listener notices them.
func (p *peer) part() {
	p.mu.Lock()
	p.said = true
	p.mu.Unlock()
	_ = p.tell(context.Background(), []byte{sayGoodbye})
}

// inner returns the cause of an error of the control, without the control's edge, which
// means nothing to users.
func inner(err error) error {
	var e *transport.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// heard handles a message from the peer.
func (p *peer) heard(b []byte) error {
	switch {
	case len(b) == 1 && b[0] == sayGoodbye:
		return p.goodbye()
	case len(b) > 0 && (b[0] == sayOffer || b[0] == sayGrant):
		o, err := parseOpening(b)
		if err != nil {
			return err
		}
		if b[0] == sayOffer {
			return opened(p, &p.recv, o)
		}
		return opened(p, &p.send, o)
	}
	return fmt.Errorf("%w: %d bytes over the control that mean nothing", transport.ErrProtocol, len(b))
}

// goodbye notes that the peer has finished: faces that have arrived can be read, and
// waiting for more is an error.
func (p *peer) goodbye() error {
	p.mu.Lock()
	if p.bye {
		p.mu.Unlock()
		return fmt.Errorf("%w: a second goodbye", transport.ErrProtocol)
	}
	p.bye = true
	if p.err == nil {
		close(p.parted)
	}
	p.mu.Unlock()
	for _, e := range p.ends() {
		e.finish(p.finished())
	}
	return nil
}

// finished is the error that the peer has said goodbye and sends no more.
func (p *peer) finished() error {
	return transport.Gone(fmt.Errorf("rank %d has finished", p.rank))
}

// fail breaks every edge of the peer. Only the first call counts.
func (p *peer) fail(err error) {
	p.mu.Lock()
	if p.err != nil {
		p.mu.Unlock()
		return
	}
	p.err = err
	if !p.bye {
		close(p.parted)
	}
	p.mu.Unlock()
	for _, e := range p.ends() {
		e.fail(err)
	}
}

// refuse fails the peer for a protocol error, and tells all peers.
func (p *peer) refuse(err error) {
	p.mesh.giveUp(p.fault("arrived", -1, err), func() { p.fail(err) })
}

// broken notes that a write to the peer has failed. The control may deliver a better
// reason, and gets causeTime to do so.
//
// While this rank closes, broken tells the peer, which may wait for the failed write,
// unless the peer has said goodbye.
func (p *peer) broken(err error) {
	time.AfterFunc(causeTime, func() {
		err := transport.Gone(fmt.Errorf("rank %d cannot be written to: %w", p.rank, err))
		p.mu.Lock()
		bye := p.bye
		p.mu.Unlock()
		if !p.mesh.closing() || bye {
			p.fail(err)
			return
		}
		p.mesh.giveUp(p.fault("close", -1, err), func() { p.fail(err) })
	})
}

// ends returns the open ends. Their methods fail and finish are called without p.mu, because they
// wake goroutines and yield to them.
func (p *peer) ends() (all []end) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.send.open {
		all = append(all, e)
	}
	for _, e := range p.recv.open {
		all = append(all, e)
	}
	return all
}

// sending returns the open sending ends.
func (p *peer) sending() []*sendEdge {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.send.open))
}

// fault wraps err in the *Error of an operation on edge id.
func (p *peer) fault(op string, id int, err error) error {
	var e *transport.Error
	if errors.As(err, &e) {
		return err
	}
	return &transport.Error{Op: op, Rank: p.mesh.rank, Peer: p.rank, Edge: id, Step: -1, Err: err}
}
