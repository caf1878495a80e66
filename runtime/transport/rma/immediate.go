package rma

import "fmt"

// An immediate is a 32-bit value that a write delivers to its target with the bytes:
//
//	31–30 kind
//	29–14 handle of the end of an edge to which the value is sent
//	13–0  sequence, the low bits of a count; of credits, how many
//
// The handle is a number that the target has chosen for its end of the edge, unique among
// the target's senders and receivers. Counts are reconstructed from their low bits: they
// differ from the count that the target knows by at most the number of slots, which is less
// than half of the range of sequence.
type immediate uint32

const (
	sequenceBits = 14
	sequenceMask = 1<<sequenceBits - 1
	handleBits   = 16
	handleMask   = 1<<handleBits - 1

	maxHandles = 1 << handleBits           // ends of edges per rank
	maxSlots   = 1<<(sequenceBits-1) - 1   // slots of an edge
	kindShift  = sequenceBits + handleBits // of the kind
)

// Kinds from the sender of an edge to its receiver. The writes of a face, and faces, arrive
// in any order.
const (
	kindFirst = iota // the header and the first piece of face number sequence have arrived
	kindMore         // another piece of this face has arrived
	kindAsk          // acknowledge when sequence faces have arrived
)

// Kinds from the receiver of an edge to its sender.
const (
	kindCredit = iota // sequence more faces have been released
	kindAck           // sequence faces have arrived
)

// newImmediate returns the immediate of a kind for the end with the handle.
func newImmediate(kind int, handle uint32, count uint64) immediate {
	return immediate(uint32(kind)<<kindShift | handle<<sequenceBits | uint32(count&sequenceMask))
}

func (i immediate) kind() int      { return int(i >> kindShift) }
func (i immediate) handle() uint32 { return uint32(i) >> sequenceBits & handleMask }
func (i immediate) count() uint64  { return uint64(i) & sequenceMask }

// ahead returns the difference of the count in i and a known count.
func (i immediate) ahead(known uint64) uint64 { return (uint64(i) - known) & sequenceMask }

// String returns the text of the parts of i.
func (i immediate) String() string {
	return fmt.Sprintf("immediate %#08x (kind %d, end %d, count %d)", uint32(i), i.kind(), i.handle(), i.count())
}
