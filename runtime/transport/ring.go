package transport

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// slotAlign is the alignment of a slot in bytes: a cache line, and the widest vector.
const slotAlign = 64

// Mistakes of the user of an edge. They wrap ErrProtocol: the executor or the plan counts slots wrongly.
var (
	errNotAcquired = fmt.Errorf("%w: posted a face without acquiring a slot", ErrProtocol)
	errNotArrived  = fmt.Errorf("%w: released a face that has not arrived", ErrProtocol)
)

// A Ring is the circular buffer of slots of one edge within a process: one goroutine packs faces into the slots, and one reads them, in
// order. A Ring is a complete edge between two CPUs of a rank or two ranks of a process, and either half of an edge that crosses a network.
//
// Slots are aligned to 64 bytes, and on the heap unless NewRingIn gets other memory. No operation allocates or reads the clock.
type Ring struct {
	capacity int // bytes of a slot
	slots    int
	stride   int    // bytes from slot to slot
	mem      []byte // slots*stride bytes
	lengths  []slotLength

	posted  Counter // faces posted; advanced by the sender
	credits Counter // initial slots plus released faces; advanced by the receiver
}

// A slotLength is the length of the face in a slot, on a cache line of its own because sender and receiver work on neighboring slots.
type slotLength struct {
	bytes int
	_     [slotAlign - unsafe.Sizeof(int(0))]byte
}

// NewRing returns a ring with the given number of slots, each of capacity bytes. All slots are
// free. It panics if the sizes are invalid, see Edge.Check.
func NewRing(capacity, slots int) *Ring {
	r := NewUncreditedRing(capacity, slots)
	r.credits.Advance(uint64(slots))
	return r
}

// NewUncreditedRing is NewRing without initial credits: no slot can be acquired before Grant.
func NewUncreditedRing(capacity, slots int) *Ring {
	if err := checkSlots(capacity, slots); err != nil {
		panic("BUG: " + err.Error())
	}
	stride := (capacity + slotAlign - 1) / slotAlign * slotAlign
	return NewRingIn(alignedBytes(slots*stride), capacity, slots, stride)
}

// NewRingIn is NewUncreditedRing in memory that the caller owns: slot k begins at byte k*stride of mem, which may be registered with a
// network card. Slots are aligned if mem and stride are.
func NewRingIn(mem []byte, capacity, slots, stride int) *Ring {
	if err := checkSlots(capacity, slots); err != nil {
		panic("BUG: " + err.Error())
	}
	if stride < capacity || (slots-1)*stride+capacity > len(mem) {
		panic(fmt.Sprintf("BUG: %d slots of %d bytes, %d apart, in %d bytes", slots, capacity, stride, len(mem)))
	}
	r := &Ring{
		capacity: capacity,
		slots:    slots,
		stride:   stride,
		mem:      mem,
		lengths:  make([]slotLength, slots),
	}
	r.posted.init(0)
	r.credits.init(0)
	return r
}

// checkSlots returns an error if a ring cannot have this size.
func checkSlots(capacity, slots int) error {
	switch {
	case capacity < 0:
		return fmt.Errorf("capacity of a slot is %d bytes", capacity)
	case slots < 1:
		return fmt.Errorf("edge has %d slots", slots)
	case capacity > (math.MaxInt-slotAlign)/slots-slotAlign:
		return fmt.Errorf("%d slots of %d bytes are more than memory can hold", slots, capacity)
	}
	return nil
}

// alignedBytes returns n zero bytes whose first lies at a multiple of slotAlign. The garbage collector does not move them.
func alignedBytes(n int) []byte {
	b := make([]byte, n+slotAlign)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (slotAlign - 1))
	return b[skip : skip+n : skip+n]
}

// Memory returns the memory of all slots, so that the caller can touch its pages before the first message.
func (r *Ring) Memory() []byte { return r.mem }

// Patient makes both sides patient, see Counter.Patient. Both sides must be workers. It must be called before the first wait.
func (r *Ring) Patient(workers int) {
	r.posted.Patient(workers)
	r.credits.Patient(workers)
}

// slot returns slot k, capacity bytes long.
func (r *Ring) slot(k int) []byte {
	from := k * r.stride
	return r.mem[from : from+r.capacity : from+r.capacity]
}

// Grant gives the sender k more credits. A receiver in this process grants credits by
// Release; Grant is for receivers at the other end of a connection.
func (r *Ring) Grant(k int) { r.credits.Advance(uint64(k)) }

// Fail breaks the ring: every current and later operation returns err, wrapped in an *Error. Only the first call counts.
func (r *Ring) Fail(err error) {
	r.posted.Fail(err)
	r.credits.Fail(err)
}

// End notes that the other side has finished without an error. Faces that have arrived can
// still be read, and existing credits can still be used; only a wait for more returns err.
func (r *Ring) End(err error) {
	r.posted.End(err)
	r.credits.End(err)
}

// Err returns the error given to Fail, or nil.
func (r *Ring) Err() error { return r.posted.Err() }

// Sender returns the only sending handle of the ring, for one goroutine. rank, peer and id are for errors.
func (r *Ring) Sender(rank, peer, id int) *RingSender {
	return &RingSender{ring: r, rank: rank, peer: peer, id: id}
}

// Receiver returns the only receiving handle of the ring, for one goroutine. rank, peer and id are for errors.
func (r *Ring) Receiver(rank, peer, id int) *RingReceiver {
	return &RingReceiver{ring: r, rank: rank, peer: peer, id: id}
}

// RingSender is the SendEdge of a Ring.
type RingSender struct {
	ring           *Ring
	posted         uint64 // faces posted
	credits        uint64 // the ring's credits when last read
	next           int    // slot of the next face
	held           bool   // the next slot has been acquired
	rank, peer, id int
}

var _ SendEdge = (*RingSender)(nil)

// Acquire implements SendEdge. It returns the same slot until that slot is posted.
func (s *RingSender) Acquire(ctx context.Context) ([]byte, error) {
	if s.posted >= s.credits {
		if err := s.ring.credits.Wait(ctx, s.posted+1); err != nil {
			return nil, s.fault("acquire", err)
		}
		s.credits = s.ring.credits.Load()
	} else if err := s.ring.credits.Err(); err != nil {
		return nil, s.fault("acquire", err)
	}
	s.held = true
	return s.ring.slot(s.next), nil
}

// TryAcquire returns the next slot if it is free now, even if the ring has failed.
func (s *RingSender) TryAcquire() (slot []byte, ok bool) {
	if s.posted >= s.credits {
		s.credits = s.ring.credits.Load()
		if s.posted >= s.credits {
			return nil, false
		}
	}
	s.held = true
	return s.ring.slot(s.next), true
}

// Post implements SendEdge; the face has arrived when it returns.
func (s *RingSender) Post(n int) error {
	switch err := s.ring.credits.Err(); {
	case err != nil:
		return s.fault("post", err)
	case !s.held:
		return s.fault("post", errNotAcquired)
	case n < 0:
		return s.fault("post", fmt.Errorf("%w: face of %d bytes", ErrProtocol, n))
	case n > s.ring.capacity:
		return s.fault("post", fmt.Errorf("%w: %d bytes into %d", ErrTooLong, n, s.ring.capacity))
	}
	s.ring.lengths[s.next].bytes = n
	s.held = false
	s.posted++
	if s.next++; s.next == s.ring.slots {
		s.next = 0
	}
	s.ring.posted.Advance(1)
	return nil
}

// Sync implements SendEdge. Posted faces have already arrived.
func (s *RingSender) Sync(context.Context) error {
	if err := s.ring.credits.Err(); err != nil {
		return s.fault("sync", err)
	}
	return nil
}

// Posted returns the number of faces posted.
func (s *RingSender) Posted() uint64 { return s.posted }

// fault wraps err in an *Error of this edge.
func (s *RingSender) fault(op string, err error) error {
	return edgeError(op, s.rank, s.peer, s.id, err)
}

// RingReceiver is the RecvEdge of a Ring.
type RingReceiver struct {
	ring           *Ring
	arrived        uint64 // faces returned by Arrived
	released       uint64
	posted         uint64 // the ring's count of posted faces when last read
	next           int    // slot of the next face
	rank, peer, id int
}

var _ RecvEdge = (*RingReceiver)(nil)

// Arrived implements RecvEdge.
func (r *RingReceiver) Arrived(ctx context.Context) ([]byte, error) {
	if r.arrived >= r.posted {
		if err := r.ring.posted.Wait(ctx, r.arrived+1); err != nil {
			return nil, r.fault("arrived", err)
		}
		r.posted = r.ring.posted.Load()
	} else if err := r.ring.posted.Err(); err != nil {
		return nil, r.fault("arrived", err)
	}
	n := r.ring.lengths[r.next].bytes
	face := r.ring.slot(r.next)[:n:n]
	r.arrived++
	if r.next++; r.next == r.ring.slots {
		r.next = 0
	}
	return face, nil
}

// Ready reports whether the next face has arrived, so that Arrived would not wait.
func (r *RingReceiver) Ready() bool {
	return r.arrived < r.posted || r.arrived < r.ring.posted.Load()
}

// Release implements RecvEdge.
func (r *RingReceiver) Release() error {
	if err := r.ring.posted.Err(); err != nil {
		return r.fault("release", err)
	}
	if r.released >= r.arrived {
		return r.fault("release", errNotArrived)
	}
	r.released++
	r.ring.credits.Advance(1)
	return nil
}

// fault wraps err in an *Error of this edge.
func (r *RingReceiver) fault(op string, err error) error {
	return edgeError(op, r.rank, r.peer, r.id, err)
}

// edgeError wraps err in the *Error of an operation on an edge, unless err is already an *Error.
func edgeError(op string, rank, peer, id int, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return &Error{Op: op, Rank: rank, Peer: peer, Edge: id, Step: -1, Err: err}
}
