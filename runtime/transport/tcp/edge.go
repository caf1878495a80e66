package tcp

import (
	"context"
	"runtime"

	"loopc/runtime/transport"
)

// A sendEdge is the sending end of an edge: a ring. The rank packs into it, and the goroutine that
// writes to the peer's connection sends from it. Credits come back over the connection.
type sendEdge struct {
	peer  *peer
	size  transport.Edge
	ring  *transport.Ring
	pack  *transport.RingSender
	slot  []byte             // last acquired
	acked *transport.Counter // faces that the peer has acknowledged
	taken *transport.Counter // faces that the operating system has accepted

	// Guarded by peer.mu.
	written  uint64 // faces passed to the connection
	released uint64 // faces that the peer has released
	granted  bool   // the receiver has opened its end
}

// Acquire implements transport.SendEdge.
func (e *sendEdge) Acquire(ctx context.Context) ([]byte, error) {
	slot, err := e.pack.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	e.slot = slot
	return slot, nil
}

// Post implements transport.SendEdge.
func (e *sendEdge) Post(n int) error {
	if err := e.pack.Post(n); err != nil {
		return err
	}
	p := e.peer
	p.mu.Lock()
	p.queue = append(p.queue, outgoing{
		frame:   frame{kind: kindFace, edge: uint32(e.size.ID), sequence: e.pack.Posted() - 1, length: uint64(n)},
		payload: e.slot[:n],
		from:    e,
	})
	p.mu.Unlock()
	p.mesh.messages.Add(1)
	p.mesh.bytes.Add(int64(n))
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
	p.mu.Lock()
	p.queue = append(p.queue, outgoing{frame: frame{kind: kindSync, edge: uint32(e.size.ID), sequence: want}})
	p.kick()
	p.mu.Unlock()
	runtime.Gosched() // to the sender goroutine
	if err := e.acked.Wait(ctx, want); err != nil {
		return p.fault("sync", e.size.ID, err)
	}
	return nil
}

// Handed implements transport.HandingEdge. It wakes nobody: Flush has woken the sender goroutine.
func (e *sendEdge) Handed(ctx context.Context) error {
	runtime.Gosched() // to the sender goroutine
	if err := e.taken.Wait(ctx, e.pack.Posted()); err != nil {
		return e.peer.fault("sync", e.size.ID, err)
	}
	return nil
}

// fail breaks the edge.
func (e *sendEdge) fail(err error) {
	e.ring.Fail(err)
	e.acked.Fail(err)
	e.taken.Fail(err)
}

// end notes that the peer sends no more credits. A Sync may still wait, because the peer reads and
// acknowledges faces until our goodbye arrives.
func (e *sendEdge) end(err error) { e.ring.End(err) }

// A recvEdge is the receiving end of an edge: a ring. The goroutine that reads from the peer's
// connection fills it, and the rank reads it in place.
type recvEdge struct {
	peer   *peer
	size   transport.Edge
	ring   *transport.Ring
	fill   *transport.RingSender // owned by the reader goroutine
	unpack *transport.RingReceiver

	// Guarded by peer.mu.
	arrived   uint64 // faces read from the connection
	released  uint64 // faces released by the rank
	offered   bool   // the sender has opened its end
	creditDue bool   // released has grown since the last credit
	ackDue    bool   // the sender waits for an acknowledgement
}

// Arrived implements transport.RecvEdge.
func (e *recvEdge) Arrived(ctx context.Context) ([]byte, error) { return e.unpack.Arrived(ctx) }

// Release implements transport.RecvEdge. It wakes the sender goroutine, which sends one credit for
// all faces released by then.
func (e *recvEdge) Release() error {
	if err := e.unpack.Release(); err != nil {
		return err
	}
	p := e.peer
	p.mu.Lock()
	e.released++
	if !e.creditDue {
		e.creditDue = true
		p.credits = append(p.credits, e)
	}
	p.kick()
	p.mu.Unlock()
	return nil
}
