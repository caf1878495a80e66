package transport

import "time"

// A Passage is how a face got from memory into the network, or out of it.
type Passage struct {
	Peer, Edge int
	Sequence   uint64 // which face of the edge it is, from 0
	Bytes      int
	Begin, End time.Time
}

// An Observer is told of passages. Nobody looks at the clock for a func that is
// nil.
type Observer struct {
	// Written is called when a face has been handed to the system, by the
	// goroutine that writes to its peer; faces that leave together have the same
	// times.
	Written func(Passage)
	// Received is called when a face has arrived in the memory where it is read,
	// and before the rank can know, by the goroutine that reads from its peer.
	// It began when its header was there.
	Received func(Passage)
}

// An Observable is a transport between processes. In one, a face has arrived
// when it is posted, and there is nothing to see.
type Observable interface {
	// Observe must be called before the first edge is opened.
	Observe(Observer)
}

// A Carrier is a transport that does not reach all peers in the same way.
type Carrier interface {
	// Carrier names what carries the faces of edges to and from peer: "tcp", "shm".
	Carrier(peer int) string
}
