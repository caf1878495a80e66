// Package transport defines the interface by which faces travel from rank to rank, its errors, and the ring of slots that implementations
// share. Implementations are in packages below this one; executors use only this package.
//
// A transport offers edges. An edge carries the faces of one column of tiles to one neighboring column, in order, through a fixed number of
// slots that the transport owns (heap, mapped memory, or memory registered with a network card): the sender packs directly into a slot, and
// the receiver reads directly from a slot. A credit is a free slot: a sender without credits waits.
package transport

import (
	"context"
	"errors"
	"fmt"
)

// MaxEdges bounds edge numbers: an edge's ID is at least 0 and less than this.
const MaxEdges = 1 << 15

// An Edge is one stream of faces between this rank and Peer, as given by the plan. Both ends open it with the same ID, Capacity and Slots.
type Edge struct {
	Peer     int // rank at the other end
	ID       int // the same number at both ends, unique per (sender, receiver)
	Capacity int // bytes of a slot, and so the greatest length of a face
	Slots    int // greatest number of faces sent and not yet released
}

// A Transport connects one rank to the others of a run.
type Transport interface {
	Rank() int
	Size() int
	// OpenSend and OpenRecv open this rank's end of an edge, once, before any face is sent on it. The two ends may open in either order and
	// at any time: the receiver's opening grants the sender its first credits, and a sender that disagrees on Capacity or Slots gets
	// ErrMismatch.
	OpenSend(Edge) (SendEdge, error)
	OpenRecv(Edge) (RecvEdge, error)
	// Flush starts sending everything posted so far, with one writev per peer. It does not wait.
	Flush() error
	// Stats returns the statistics of sent faces.
	Stats() Stats
	// Close ends this rank's part. With a nil cause (a run without errors) it first waits until all posted faces have reached the peers and
	// the peers have finished too. With another cause it sends the cause to the peers and does not wait.
	Close(cause error) error
}

// A SendEdge is the sending end of an edge; it belongs to one goroutine.
type SendEdge interface {
	// Acquire waits until a slot is free and returns it, Capacity bytes long and aligned to 64 bytes. The slot's content is arbitrary.
	Acquire(ctx context.Context) ([]byte, error)
	// Post sends the first n bytes of the slot last acquired, and returns at once; the face leaves with the next Flush.
	Post(n int) error
	// Sync flushes and waits until every posted face has arrived in the memory of the peer,
	// whether or not the peer has read it. This makes a send blocking.
	Sync(ctx context.Context) error
}

// A HandingEdge is a SendEdge whose faces go through the operating system's buffers.
type HandingEdge interface {
	SendEdge
	// Handed waits until the operating system has accepted every posted and flushed face.
	// The faces may still be under way. This makes a send buffered.
	Handed(ctx context.Context) error
}

// A RecvEdge is the receiving end of an edge; it belongs to one goroutine.
type RecvEdge interface {
	// Arrived waits for the next face and returns it in its slot, with the posted length. The face stays valid until Release.
	Arrived(ctx context.Context) ([]byte, error)
	// Release frees the slot of the oldest unreleased face: the sender gains a credit.
	Release() error
}

// Stats counts sent faces and their bytes, without headers.
type Stats struct {
	Messages, Bytes int64
}

// Errors about a peer. Test with errors.Is.
var (
	ErrGone      = errors.New("peer is gone")
	ErrMismatch  = errors.New("peer opened the edge with another capacity or number of slots")
	ErrTooLong   = errors.New("face is longer than the edge's capacity")
	ErrProtocol  = errors.New("peer broke the protocol")
	ErrClosed    = errors.New("transport is closed")
	ErrHandshake = errors.New("handshake refused")
)

// Error is the error of an operation on an edge. Every error of an edge is an *Error.
type Error struct {
	Op   string // "acquire", "post", "sync", "arrived", "release", "open"
	Rank int
	Peer int   // -1: no particular peer
	Edge int   // -1: no particular edge
	Step int64 // tile step of the run; -1 until the executor fills it in
	Err  error
}

// Error reads "rank 3: arrived from rank 2, edge 17, step 4411: peer is gone".
func (e *Error) Error() string {
	s := fmt.Sprintf("rank %d: %s", e.Rank, e.Op)
	if e.Peer >= 0 {
		switch e.Op {
		case "arrived":
			s += fmt.Sprintf(" from rank %d", e.Peer)
		case "acquire", "post", "sync", "open":
			s += fmt.Sprintf(" to rank %d", e.Peer)
		default:
			s += fmt.Sprintf(", rank %d", e.Peer)
		}
	}
	if e.Edge >= 0 {
		s += fmt.Sprintf(", edge %d", e.Edge)
	}
	if e.Step >= 0 {
		s += fmt.Sprintf(", step %d", e.Step)
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// PeerGone reports whether a peer has failed, so that this error is only a consequence of a failure elsewhere.
func (e *Error) PeerGone() bool { return errors.Is(e.Err, ErrGone) }
