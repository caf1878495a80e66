// Package trace records who did what when in a run, and writes it down as
// trace events in JSON, which Perfetto (ui.perfetto.dev) and Chrome
// (about:tracing) show.
//
// Each goroutine of a run that has something to tell has a Lane of its own in a
// Recorder, so that recording takes no lock. Each process writes what it has
// recorded, rank by rank, to parts; whoever started the ranks merges these into
// one file. Read gets the events back out of it.
//
// In the file a rank is a process. Each of its CPUs is a track, with the tiles
// that it computed and what it waited for; ghost cells are unpacked and faces
// packed level by level while a tile is computed, and belong to its span.
// What it waits for in the middle of a tile, a face that is packed meanwhile, comes
// in one piece before its span.
// Messages are on tracks by themselves: to each neighbor, several if messages to
// it are on their way at once, and from each. An arrow leads from a message to
// the tile that waits for it. The clocks of ranks are laid over one another by those of
// their hosts, see clock.go.
package trace

// Kind is what was done.
type Kind uint8

const (
	Compute    Kind = iota // a worker computed a tile
	WaitData               // it waited for a message
	WaitCredit             // it waited for a slot to pack a message into
	WaitSync               // blocking, it waited until its messages were in the neighbors' memory
	// Send: a message was sent, from when the worker posted it until the
	// transport had handed all of it to the system, or, within a process, to
	// the neighbor.
	Send
	// Receive: the transport read a message, from its header until all of it was
	// in the memory where it is used. There is none within a process.
	Receive

	written // a Send ended; becomes part of it
)

// kindNames are the names of kinds, in the file too.
var kindNames = [...]string{"compute", "wait for data", "wait for credit", "wait for sync", "send", "receive"}

// String names the kind.
func (k Kind) String() string { return kindNames[k] }

// An Event is something that took from Begin to End. Numbers that mean nothing
// for it are -1.
type Event struct {
	Kind Kind
	Rank int
	CPU  int // of the rank; -1 for what the transport does: Send, Receive
	Step int // of the plan, see plan.Plan.StepOf
	// Column has the tile coordinates of the column of tiles, 0 along the mapping
	// dimension, and Tile the coordinate along it: of the tile that was computed,
	// that waited, or whose results were sent last in the message. For Receive
	// it is the tile that waited. A nil Column means none.
	Column []int
	Tile   int
	Points int // iterations of the tile, for Compute
	// The message that was sent, received or waited for: the other rank, the
	// edge, which message of that edge it is, from 0, and its length in bytes.
	// Waiting has none of them between CPUs of one rank, and WaitCredit has no
	// length.
	Peer, Edge, Sequence int
	Bytes                int
	Begin, End           float64 // seconds from the start of the run
}
