// Package transport is how faces travel from rank to rank: one interface, its
// errors, and the ring of slots that implementations share. Implementations
// live in packages below this one; executors see only this package.
//
// A transport offers edges. An edge carries the faces of one column of tiles to
// one neighboring column, in order, through a fixed number of slots that the
// transport owns (heap, mapped memory, or memory registered with a network
// card): the sender packs straight into a slot, the receiver reads straight out
// of one. Credits are slots: a sender without a free slot waits.
package transport

import (
	"context"
	"errors"
	"fmt"
)

// MaxEdges bounds edge numbers: an edge's ID is at least 0 and less than this.
const MaxEdges = 1 << 15

// An Edge is one stream of faces between this rank and Peer, as the plan has
// it. Both ends open it with the same ID, Capacity and Slots.
type Edge struct {
	Peer     int // rank at the other end
	ID       int // the same number at both ends, unique per (sender, receiver)
	Capacity int // bytes of a slot: no face is longer
	Slots    int // faces sent and not yet released, at most
}

// A Transport connects one rank to the others of a run.
type Transport interface {
	Rank() int
	Size() int
	// OpenSend and OpenRecv open this rank's end of an edge, once, before any
	// face is sent on it. The two ends may open in either order and at any
	// time: the receiver's opening grants the sender its first credits, and a
	// sender that disagrees on Capacity or Slots gets ErrMismatch.
	OpenSend(Edge) (SendEdge, error)
	OpenRecv(Edge) (RecvEdge, error)
	// Flush starts sending everything posted so far: one writev per peer. It
	// does not wait for it to be sent.
	Flush() error
	// Stats returns what was sent so far.
	Stats() Stats
	// Close ends this rank's part. After a run without errors it first waits
	// until everything posted has reached the peers and the peers are done
	// too; with cause other than nil it tells the peers the cause and does not wait.
	Close(cause error) error
}

// A SendEdge is the sending end of an edge; it belongs to one goroutine.
type SendEdge interface {
	// Acquire waits until a slot is free and returns it, Capacity bytes long
	// and aligned to 64 bytes. Its content is arbitrary.
	Acquire(ctx context.Context) ([]byte, error)
	// Post sends the first n bytes of the slot last acquired, and returns at
	// once; the face leaves with the next Flush.
	Post(n int) error
	// Sync waits until every face posted has arrived in the memory of the
	// peer, consumed or not: this is what makes a send blocking. It flushes.
	Sync(ctx context.Context) error
}

// A HandingEdge is a SendEdge whose faces go through the system's memory.
type HandingEdge interface {
	SendEdge
	// Handed waits until the system has taken every face posted and flushed. They may
	// still be on their way: this is what makes a send buffered.
	Handed(ctx context.Context) error
}

// A RecvEdge is the receiving end of an edge; it belongs to one goroutine.
type RecvEdge interface {
	// Arrived waits for the next face and returns it where it lies, as long as
	// it was posted. It stays valid until Released.
	Arrived(ctx context.Context) ([]byte, error)
	// Release gives back the slot of the oldest face not yet released: the
	// sender gains a credit.
	Release() error
}

// Stats counts faces and their bytes, headers not included.
type Stats struct {
	Messages, Bytes int64
}

// What can be wrong with a peer. Test with errors.Is.
var (
	ErrGone      = errors.New("peer is gone")
	ErrMismatch  = errors.New("peer opened the edge with another capacity or number of slots")
	ErrTooLong   = errors.New("face is longer than the edge's capacity")
	ErrProtocol  = errors.New("peer broke the protocol")
	ErrClosed    = errors.New("transport is closed")
	ErrHandshake = errors.New("handshake refused")
)

// Error says which edge failed, and when. Every error of an edge is an *Error.
type Error struct {
	Op   string // "acquire", "post", "sync", "arrived", "release", "open"
	Rank int
	Peer int   // -1 if no single peer is meant
	Edge int   // -1 if no edge is meant
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

// PeerGone says whether the failure is that of a peer: what it reports follows
// from something that went wrong elsewhere.
func (e *Error) PeerGone() bool { return errors.Is(e.Err, ErrGone) }
