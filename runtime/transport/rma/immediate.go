package rma

import "fmt"

// An immediate is what a write tells its target beside the bytes: 32 bits,
//
//	31–30 kind
//	29–14 handle of the end of an edge that is meant
//	13–0  sequence, the low bits of a count; of credits, how many
//
// The handle is a number that the target has given its end when it opened it, so
// that it is unique at the target and says whether a sender or a receiver is meant.
// Counts are reconstructed from their low bits: none can be further from what the
// target knows than the edge has slots, which are fewer than half of the numbers
// that fit.
type immediate uint32

const (
	sequenceBits = 14
	sequenceMask = 1<<sequenceBits - 1
	handleBits   = 16
	handleMask   = 1<<handleBits - 1

	maxHandles = 1 << handleBits           // ends of edges of a rank
	maxSlots   = 1<<(sequenceBits-1) - 1   // slots of an edge
	kindShift  = sequenceBits + handleBits // of the kind
)

// What the sender of an edge tells its receiver. Writes of a face arrive in any
// order, and so do faces.
const (
	kindFirst = iota // the first piece of face number sequence is there, and its header
	kindMore         // another piece of it is there
	kindAsk          // acknowledge when sequence faces are there
)

// What the receiver of an edge tells its sender.
const (
	kindCredit = iota // so many more faces have been released
	kindAck           // sequence faces are there
)

// newImmediate returns the immediate that tells kind about the end with the handle.
func newImmediate(kind int, handle uint32, count uint64) immediate {
	return immediate(uint32(kind)<<kindShift | handle<<sequenceBits | uint32(count&sequenceMask))
}

func (i immediate) kind() int      { return int(i >> kindShift) }
func (i immediate) handle() uint32 { return uint32(i) >> sequenceBits & handleMask }
func (i immediate) count() uint64  { return uint64(i) & sequenceMask }

// ahead returns how far the count in i is ahead of one that is known.
func (i immediate) ahead(known uint64) uint64 { return (uint64(i) - known) & sequenceMask }

// String shows what is in i.
func (i immediate) String() string {
	return fmt.Sprintf("immediate %#08x (kind %d, end %d, count %d)", uint32(i), i.kind(), i.handle(), i.count())
}
