package halo

import (
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A face between two columns of a rank may be read while it is packed: the receiving tile does not wait until the sending tile is complete,
// but reads the part of the slot that is packed so far. A position measures this part: the number of rows of the sending tile that are
// packed, level by level, ghost cells included.

// An EarlySender is told up to which position a face is packed. Positions grow.
type EarlySender interface{ Sent(position int) }

// An EarlyReceiver knows how far a face is packed. Await waits until it is packed up to a position, and returns the position up to which it is
// packed by then. It may panic with *Interrupted.
type EarlyReceiver interface{ Await(position int) int }

// Interrupted is the panic of a tile that waits for a face which will never be complete.
type Interrupted struct{ Err error }

// Error is the text of Err.
func (i *Interrupted) Error() string { return i.Err.Error() }

// Positions is the greatest position that a face of p can reach; the first is 0.
func Positions(p *plan.Plan) int {
	total := 1
	for x := range len(p.Side) - 1 {
		total *= p.Side[x] + p.HaloWidth[x]
	}
	return total
}

// An earlyFace is the state of a face that the receiver reads while it is packed.
type earlyFace struct {
	sender   EarlySender   // of the sending side; nil: nobody reads the face early
	receiver EarlyReceiver // of the receiving side; nil: the face was complete when it arrived
	first    []int         // the box of the sending tile, without ghost cells
	last     []int
	levels   [2]int // the first and the last level of its iterations, if it has any
	iterates bool   // it has iterations
	lowest   int    // level of position 0: the first level of ghost cells below the tile
	rows     int    // of one level, ghost rows included
	// Of the receiving side: the latest position that Await returned, and whether the slabs of
	// the receiving tile have the same levels as those of the sending one.
	known   int
	aligned bool
}

// SendEarly begins an early send: tile k of the sending column at from, which packs the face, will report to sender how far it is packed.
func (f *Face) SendEarly(p *plan.Plan, from []int, k int, sender EarlySender) {
	f.sender = sender
	f.begin(p, from, k)
}

// ReceiveEarly does for the receiving tile what SendEarly does for the sending one.
func (f *Face) ReceiveEarly(p *plan.Plan, from []int, k int, receiver EarlyReceiver) {
	f.receiver = receiver
	f.begin(p, from, k)
}

// begin computes the fields that both sides share.
func (t *earlyFace) begin(p *plan.Plan, from []int, k int) {
	if t.first == nil {
		t.first, t.last = make([]int, len(p.Side)), make([]int, len(p.Side))
	}
	if t.iterates = p.PointsBox(from, k, t.first, t.last); t.iterates {
		t.levels = [2]int{t.first[0], t.last[0]}
	}
	p.TileBox(from, k, t.first, t.last)
	t.lowest, t.known = t.first[0]-p.HaloWidth[0], 0
	t.rows = 1
	for x := 1; x < len(t.first)-1; x++ {
		t.rows *= t.rowsAlong(p, x)
	}
}

// rowsAlong is the number of rows of a level along dimension x, ghost rows included.
func (t *earlyFace) rowsAlong(p *plan.Plan, x int) int {
	return t.last[x] - t.first[x] + 1 + p.HaloWidth[x]
}

// rowNumber is the number of row q within its level, from 0.
func (t *earlyFace) rowNumber(p *plan.Plan, q []int) int {
	number := 0
	for x := 1; x < len(q)-1; x++ {
		number = number*t.rowsAlong(p, x) + q[x] - (t.first[x] - p.HaloWidth[x])
	}
	return number
}

// position is the position at which all levels below the given one are packed, and so many rows of the given one.
func (t *earlyFace) position(level, rows int) int { return (level-t.lowest)*t.rows + rows }

// sent tells the receivers of the column's faces that all levels below the given one are
// packed, and the first rows of the slab that begins with it: rows is their number.
func (c *Column) sent(level, rows int) {
	for _, f := range c.Out {
		if f.Slot != nil && f.sender != nil {
			f.sender.Sent(f.position(level, rows))
		}
	}
}

// awaitLevels waits until all levels up to the given one are packed.
func (f *Face) awaitLevels(level int) {
	end := f.position(f.last[0]+1, 0)
	f.await(min(f.position(level+1, 0), end), end/walk.SlackInFace, end)
}

// awaitRow waits until row q of the slab level..top is packed.
func (f *Face) awaitRow(p *plan.Plan, q []int, level, top int) {
	if !f.aligned {
		f.awaitLevels(top)
		return
	}
	f.await(f.position(level, f.rowNumber(p, q)+1), walk.SlackInSlab(f.rows), f.position(level+1, 0))
}

// await waits until the face is packed up to a position. A receiver that has to wait at all
// waits for up to slack rows more, but not beyond end, which the sender will reach soon.
func (f *Face) await(position, slack, end int) {
	if f.known < position {
		f.known = f.receiver.Await(max(position, min(position+slack, end)))
	}
}
