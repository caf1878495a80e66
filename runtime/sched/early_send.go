package sched

import (
	"context"
	"time"

	"loopc/runtime/halo"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// An earlySend lets the receiver of an edge within a rank read a face while the sender packs it, row by row: the sender posts the slot
// before it computes the tile, and counts the positions that it has packed. One counter serves all faces of the edge. Every face takes a
// range of the counter that is as long as the longest face needs, and a complete face fills its range.
type earlySend struct {
	counter *transport.Counter
	packer  packer
	_       [64]byte // sender and receiver run on different CPUs
	reader  reader
}

func newEarlySend(p *plan.Plan) *earlySend {
	h := &earlySend{counter: transport.NewCounter(0)}
	h.counter.Patient(p.CPUs)
	each := uint64(halo.Positions(p))
	h.packer = packer{counter: h.counter, each: each}
	h.reader = reader{counter: h.counter, each: each}
	return h
}

// A packer is the sender's end.
type packer struct {
	counter    *transport.Counter
	each       uint64
	base, said uint64 // the counter at the beginning of the face; the counter as last published
}

// Sent implements halo.EarlySender.
func (h *packer) Sent(position int) {
	if at := h.base + uint64(position); at > h.said {
		h.counter.Advance(at - h.said)
		h.said = at
	}
}

// complete marks the face as complete, and begins the next one.
func (h *packer) complete() {
	h.Sent(int(h.each))
	h.base += h.each
}

// A reader is the receiver's end.
type reader struct {
	counter *transport.Counter
	each    uint64
	base    uint64 // the counter at the beginning of the face
	ctx     context.Context
	waited  time.Duration // for the current face
}

// Await implements halo.EarlyReceiver.
func (h *reader) Await(position int) int {
	want := h.base + uint64(position)
	n := h.counter.Load()
	if n < want {
		began := time.Now()
		if err := h.counter.Wait(h.ctx, want); err != nil {
			panic(&halo.Interrupted{Err: err})
		}
		h.waited += time.Since(began)
		n = h.counter.Load()
	}
	return int(n - h.base)
}

// begin prepares the reader for a face that has arrived.
func (h *reader) begin(ctx context.Context) { h.ctx, h.waited = ctx, 0 }

// end ends the reading of the face, and returns how long the tile waited for it.
func (h *reader) end() time.Duration {
	h.base += h.each
	return h.waited
}

// sendsWhole makes tiles wait for complete faces, for runs that let time pass and compute no cell.
func (w *worker) sendsWhole() {
	for _, c := range w.columns {
		for i := range c.in {
			c.in[i].early = nil
		}
		for i := range c.out {
			c.out[i].early = nil
		}
	}
}
