// Package trace records a timeline of a run, and writes it as trace events in JSON, which
// Perfetto (ui.perfetto.dev) and Chrome (about:tracing) display.
//
// Each goroutine that records events has its own Lane in a Recorder, so recording needs no lock. Each process writes one part for each of
// its ranks; the launcher merges the parts into one file. Read reads the events of a file.
//
// In the file a rank is a process. Each of its CPUs is a track with the tiles that the CPU computed, and its waits. A tile's span includes
// unpacking ghost cells and packing faces. Waits in the middle of a tile, for a face of an early send, are shown as one span before the
// tile's. Messages have their own tracks: for each neighbor one track of receives, and as many tracks of sends as messages are under way at
// the same time. An arrow leads from a message to the tile that waits for it. The clocks of ranks are aligned by the clocks of their hosts,
// see clock.go.
package trace

// Kind is the kind of an event.
type Kind uint8

const (
	Compute    Kind = iota // a worker computed a tile
	Pack                   // in predictions only: a worker copied faces, or its CPU worked for a message; a run counts that as Compute
	WaitData               // a worker waited for a message
	WaitCredit             // a worker waited for a free slot to pack a message into
	WaitSync               // with blocking communication, a worker waited until its messages were in the neighbors' memory
	// Send: a message was sent, from the worker's post until the transport had passed all
	// of it to the operating system, or, within a process, to the neighbor.
	Send
	// Receive: the transport read a message, from its header until all of it was in its slot. Messages within a process have no Receive.
	Receive

	Written // the transport has passed a message to the operating system: the end of a Send, merged into it
)

// kindNames are the names of kinds, in the file too.
var kindNames = [...]string{"compute", "pack", "wait for data", "wait for credit", "wait for sync", "send", "receive"}

// String names the kind.
func (k Kind) String() string { return kindNames[k] }

// An Event is an interval of the timeline. Numbers that do not apply are -1.
type Event struct {
	Kind Kind
	Nest string // title of the nest of the tile, if the program has several; of events in files, only names of tiles have it
	Rank int
	CPU  int // of the rank; -1 for events of the transport: Send, Receive
	Step int // of the plan, see plan.Plan.StepOf
	// Column has the tile coordinates of a tile's column, 0 along the mapping dimension, and Tile the tile's coordinate along it. It is the
	// tile that was computed or that waited; for Send, the last tile whose results are in the message; for Receive, the tile that waited. A
	// nil Column means no tile.
	Column []int
	Tile   int
	Points int // iterations of the tile, for Compute
	// The message that was sent, received or waited for: the other rank, the edge, the message's number on this edge, from 0, and its
	// length in bytes. Waits between CPUs of one rank have none of these, and WaitCredit has no length.
	Peer, Edge, Sequence int
	Bytes                int
	Begin, End           float64 // seconds from the start of the run
}
