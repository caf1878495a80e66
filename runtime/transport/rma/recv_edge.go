package rma

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"loopc/runtime/transport"
)

// A recvEdge is the receiving end of an edge: slots in registered memory, into
// which the peer writes and where the rank reads.
type recvEdge struct {
	peer   *peer
	size   transport.Edge
	handle uint32
	region Region
	stride int
	ring   *transport.Ring
	fill   *transport.RingSender // owned by the server of the completion queue
	unpack *transport.RingReceiver
	ready  func() bool // whether a face has arrived
	patience

	released atomic.Uint64 // faces released by the rank

	due uint64 // released faces without a credit sent yet; guarded by mesh.owes

	// Owned by the server of the completion queue.
	landing []landing // by slot
	arrived uint64    // faces that have arrived without a gap
	asked   uint64    // the count for which the sender has asked

	mu      sync.Mutex
	offered bool        // the sender has opened its end
	theirs  uint32      // the sender's handle
	owed    []immediate // to send when the sender has opened its end
}

// A landing is a face that is arriving in a slot.
type landing struct {
	seen   uint32 // pieces that have arrived
	pieces uint32 // pieces of the face; 0 until the first has arrived
	length int
}

// newRecvEdge returns the receiving end of e.
func newRecvEdge(p *peer, e transport.Edge) (*recvEdge, error) {
	r, stride, err := p.mesh.slots(e)
	if err != nil {
		return nil, err
	}
	ring := transport.NewRingIn(r.Memory[slotAlign:], e.Capacity, e.Slots, stride)
	ring.Grant(e.Slots)
	edge := &recvEdge{
		peer:    p,
		size:    e,
		region:  r,
		stride:  stride,
		ring:    ring,
		fill:    ring.Sender(p.mesh.rank, p.rank, e.ID),
		unpack:  ring.Receiver(p.mesh.rank, p.rank, e.ID),
		landing: make([]landing, e.Slots),
	}
	edge.ready = edge.unpack.Ready
	edge.handle, err = p.mesh.enroll(edge)
	return edge, err
}

func (e *recvEdge) owner() *peer { return e.peer }

// finish implements end.
func (e *recvEdge) finish(err error) { e.ring.End(err) }

// fail implements end.
func (e *recvEdge) fail(err error) { e.ring.Fail(err) }

// accept implements end: it stores the handle of the sender, and sends it the immediates that
// waited for the handle.
func (e *recvEdge) accept(theirs opening) error {
	if theirs.edge.Capacity != e.size.Capacity || theirs.edge.Slots != e.size.Slots {
		return transport.Mismatch(e.size, theirs.edge)
	}
	e.mu.Lock()
	e.offered, e.theirs = true, theirs.handle
	owed := e.owed
	e.owed = nil
	e.mu.Unlock()
	for _, i := range owed {
		e.peer.signal(newImmediate(i.kind(), theirs.handle, uint64(i)))
	}
	return nil
}

// Arrived implements transport.RecvEdge.
func (e *recvEdge) Arrived(ctx context.Context) ([]byte, error) {
	if e.ready() {
		return e.unpack.Arrived(ctx)
	}
	begun := e.peer.mesh.spin(&e.patience, e.ready)
	face, err := e.unpack.Arrived(ctx)
	e.peer.mesh.unpark(&e.patience, begun)
	return face, err
}

// Release implements transport.RecvEdge.
func (e *recvEdge) Release() error {
	if err := e.unpack.Release(); err != nil {
		return err
	}
	e.released.Add(1)
	e.peer.mesh.owe(e)
	return nil
}

// sender returns the handle of the sender, if known.
func (e *recvEdge) sender() (handle uint32, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.theirs, e.offered
}

// tell sends the sender a count, now or when its handle is known.
func (e *recvEdge) tell(kind int, count uint64) {
	e.mu.Lock()
	if !e.offered {
		e.owed = append(e.owed, newImmediate(kind, 0, count))
		e.mu.Unlock()
		return
	}
	e.mu.Unlock()
	e.peer.signal(newImmediate(kind, e.theirs, count))
}

// told implements end.
func (e *recvEdge) told(i immediate) error {
	slots := uint64(e.size.Slots)
	ahead := i.ahead(e.arrived)
	switch i.kind() {
	case kindFirst, kindMore:
		sequence := e.arrived + ahead
		if sequence >= e.released.Load()+slots {
			return fmt.Errorf("%w: %v on edge %d, of which %d faces have arrived and %d were released: no such credit",
				transport.ErrProtocol, i, e.size.ID, e.arrived, e.released.Load())
		}
		if err := e.land(sequence, i.kind() == kindFirst); err != nil {
			return fmt.Errorf("%w: face %d on edge %d: %w", transport.ErrProtocol, sequence, e.size.ID, err)
		}
	case kindAsk:
		if ahead <= slots {
			e.asked = max(e.asked, e.arrived+ahead)
		} else if i.ahead(e.arrived-slots) >= slots {
			return fmt.Errorf("%w: %v on edge %d, of which %d faces have arrived", transport.ErrProtocol, i, e.size.ID, e.arrived)
		}
		if e.arrived >= e.asked {
			e.tell(kindAck, e.arrived)
		}
	default:
		return fmt.Errorf("%w: %v on edge %d from its sender", transport.ErrProtocol, i, e.size.ID)
	}
	return nil
}

// land counts a piece of face number sequence. When the face is complete, land delivers it
// and the complete faces after it that had overtaken it.
func (e *recvEdge) land(sequence uint64, first bool) error {
	k := int(sequence % uint64(e.size.Slots))
	l := &e.landing[k]
	l.seen++
	if first {
		header := e.region.Memory[k*e.stride+slotAlign-headerBytes:]
		length, pieces := binary.LittleEndian.Uint64(header), binary.LittleEndian.Uint32(header[12:])
		switch low := binary.LittleEndian.Uint32(header[8:]); {
		case l.pieces != 0:
			return fmt.Errorf("its first piece came twice")
		case low != uint32(sequence):
			return fmt.Errorf("its header is that of a face whose number ends in %d", low)
		case length > uint64(e.size.Capacity):
			return fmt.Errorf("it has %d bytes, and slots have %d", length, e.size.Capacity)
		case pieces == 0 || uint64(pieces) > headerBytes+length:
			return fmt.Errorf("its %d bytes came in %d pieces", length, pieces)
		}
		l.length, l.pieces = int(length), pieces
		if err := e.peer.credited(header[creditsAt:headerBytes]); err != nil {
			return err
		}
	}
	if l.pieces != 0 && l.seen > l.pieces {
		return fmt.Errorf("it came in more than %d pieces", l.pieces)
	}
	for {
		l := &e.landing[e.arrived%uint64(e.size.Slots)]
		if l.pieces == 0 || l.seen < l.pieces {
			return nil
		}
		e.deliver(l.length)
		*l = landing{}
		if e.asked == e.arrived {
			e.tell(kindAck, e.arrived)
		}
	}
}

// deliver passes the next face to the rank.
func (e *recvEdge) deliver(length int) {
	if received := e.peer.mesh.observer.Received; received != nil {
		now := time.Now() // the network reports only the completion
		received(transport.Passage{Peer: e.peer.rank, Edge: e.size.ID, Sequence: e.arrived, Bytes: length, Begin: now, End: now})
	}
	if _, ok := e.fill.TryAcquire(); !ok {
		panic("BUG: a face has arrived without a credit")
	}
	e.arrived++
	if err := e.fill.Post(length); err != nil && e.ring.Err() == nil {
		panic("BUG: " + err.Error())
	}
}
