package transport

import "time"

// A Passage is the transfer of a face between memory and the network.
type Passage struct {
	Peer, Edge int
	Sequence   uint64 // number of the face on its edge, from 0
	Bytes      int
	Begin, End time.Time
}

// An Observer is notified of passages. If a function is nil, the clock is not read for it.
type Observer struct {
	// Written is called when a face has been passed to the operating system, by the goroutine that writes to the peer. Faces that are
	// written together have the same times.
	Written func(Passage)
	// Received is called when a face has arrived in its slot, before the rank can see it,
	// by the goroutine that reads from the peer. The passage begins with the face's header.
	Received func(Passage)
}

// An Observable is a transport between processes. Within a process a face arrives when it is posted, so there is nothing to observe.
type Observable interface {
	// Observe must be called before the first edge is opened.
	Observe(Observer)
}

// A Carrier is a transport that may use different media for different peers.
type Carrier interface {
	// Carrier names the medium of the edges to and from peer: "tcp", "shm".
	Carrier(peer int) string
}
