package rma

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"loopc/runtime/transport"
)

// A header is the last 32 bytes before a face in its slot, little-endian:
//
//	0  length   uint64, bytes of the face
//	8  sequence uint32, the low bits of its number
//	12 pieces   uint32, writes that carry header and face
//	16 credits  4 uint32, immediates of kind credit for the sending ends of edges
//	            the other way; 0 is none
const (
	headerBytes = 32
	creditsAt   = 16
)

// quickBytes is the longest write that the fabric copies (inject), so that it needs no
// completion.
const quickBytes = 256

// A sendEdge is the sending end of an edge: slots in registered memory. The network writes
// each slot into the slot with the same number at the peer.
type sendEdge struct {
	peer   *peer
	size   transport.Edge
	handle uint32
	region Region
	stride int
	ring   *transport.Ring
	pack   *transport.RingSender
	free   func() bool // whether a slot can be acquired
	next   int         // slot of the next face
	out    Write       // scratch for the current write
	patience

	theirs opening // the receiver's opening; set before the first credit

	posted   atomic.Uint64
	acked    *transport.Counter // faces that the peer has acknowledged
	released uint64             // faces that the peer has released; owned by the server of the completion queue
}

// newSendEdge returns the sending end of e, which cannot send before accept.
func newSendEdge(p *peer, e transport.Edge) (*sendEdge, error) {
	r, stride, err := p.mesh.slots(e)
	if err != nil {
		return nil, err
	}
	ring := transport.NewRingIn(r.Memory[slotAlign:], e.Capacity, e.Slots, stride)
	edge := &sendEdge{
		peer:   p,
		size:   e,
		region: r,
		stride: stride,
		ring:   ring,
		pack:   ring.Sender(p.mesh.rank, p.rank, e.ID),
		acked:  transport.NewCounter(0),
	}
	edge.free = func() bool {
		_, ok := edge.pack.TryAcquire()
		return ok
	}
	edge.handle, err = p.mesh.enroll(edge)
	return edge, err
}

func (e *sendEdge) owner() *peer { return e.peer }

// accept implements end: the opening of the receiver says where its slots are.
func (e *sendEdge) accept(theirs opening) error {
	if theirs.edge.Capacity != e.size.Capacity || theirs.edge.Slots != e.size.Slots {
		return transport.Mismatch(e.size, theirs.edge)
	}
	e.theirs = theirs
	e.ring.Grant(e.size.Slots)
	return nil
}

// Acquire implements transport.SendEdge.
func (e *sendEdge) Acquire(ctx context.Context) ([]byte, error) {
	if e.free() {
		return e.pack.Acquire(ctx)
	}
	begun := e.peer.mesh.spin(&e.patience, e.free)
	slot, err := e.pack.Acquire(ctx)
	e.peer.mesh.unpark(&e.patience, begun)
	return slot, err
}

// Post implements transport.SendEdge. The face leaves at once, in as few writes as
// the provider allows.
func (e *sendEdge) Post(n int) error {
	if err := e.pack.Post(n); err != nil {
		return err
	}
	p := e.peer
	m := p.mesh
	most := m.most
	total := headerBytes + n
	pieces := (total + most - 1) / most
	sequence := e.posted.Add(1) - 1
	from := e.next*e.stride + slotAlign - headerBytes
	if e.next++; e.next == e.size.Slots {
		e.next = 0
	}
	header := e.region.Memory[from:]
	binary.LittleEndian.PutUint64(header, uint64(n))
	binary.LittleEndian.PutUint32(header[8:], uint32(sequence))
	binary.LittleEndian.PutUint32(header[12:], uint32(pieces))
	m.carry(p, header[creditsAt:headerBytes])

	written := m.observer.Written
	var begin time.Time
	if written != nil {
		begin = time.Now()
	}
	kind := kindFirst
	for at := 0; at < total; at += most {
		e.out = Write{
			To:        p.to,
			Memory:    e.region.Memory[from+at : from+min(at+most, total)],
			Desc:      e.region.Desc,
			Address:   e.theirs.slots.base + uint64(from+at),
			Key:       e.theirs.slots.key,
			Immediate: uint32(newImmediate(kind, e.theirs.handle, sequence)),
			Tag:       uint32(p.rank),
			Quick:     total <= quickBytes,
		}
		p.writing.Lock()
		p.submit(&e.out)
		p.writing.Unlock()
		kind = kindMore
	}
	if written != nil {
		written(transport.Passage{Peer: p.rank, Edge: e.size.ID, Sequence: sequence, Bytes: n, Begin: begin, End: time.Now()})
	}
	m.messages.Add(1)
	m.bytes.Add(int64(n))
	return nil
}

// Sync implements transport.SendEdge. It asks the peer for an acknowledgement; faces
// without a Sync need none.
func (e *sendEdge) Sync(ctx context.Context) error {
	if err := e.pack.Sync(ctx); err != nil {
		return err
	}
	want := e.pack.Posted()
	if e.acked.Load() >= want {
		return nil
	}
	p := e.peer
	p.signal(newImmediate(kindAsk, e.theirs.handle, want))
	begun := p.mesh.spin(&e.patience, func() bool { return e.acked.Load() >= want })
	err := e.acked.Wait(ctx, want)
	e.peer.mesh.unpark(&e.patience, begun)
	if err != nil {
		return p.fault("sync", e.size.ID, err)
	}
	return nil
}

// told implements end.
func (e *sendEdge) told(i immediate) error {
	posted := e.posted.Load()
	switch i.kind() {
	case kindCredit:
		// Credits may overtake one another, so each has a number of slots instead of a
		// slot: slots are released in order.
		if n := i.count(); n > 0 && n <= posted-e.released {
			e.released += n
			e.ring.Grant(int(n))
			return nil
		}
	case kindAck:
		// i has only the low bits of the number of arrived faces. posted completes them; acked
		// may be too old, because only a Sync asks for acknowledgements. Arrived faces are at
		// most 2*Slots fewer than posted: one per slot, and one per credit under way.
		if behind := -i.ahead(posted) & sequenceMask; behind <= 2*uint64(e.size.Slots) && behind <= posted {
			if known := e.acked.Load(); posted-behind > known { // otherwise a later one has overtaken it
				e.acked.Advance(posted - behind - known)
			}
			return nil
		}
	}
	return fmt.Errorf("%w: %v on edge %d, of which %d faces were sent, %d released, and %d acknowledged",
		transport.ErrProtocol, i, e.size.ID, posted, e.released, e.acked.Load())
}

// finish implements end.
func (e *sendEdge) finish(err error) { e.ring.End(err) }

// fail implements end.
func (e *sendEdge) fail(err error) {
	e.ring.Fail(err)
	e.acked.Fail(err)
}
