package halo

import (
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A face between two columns of a rank may be read while it is packed: the receiving tile does
// not wait until the sending tile is complete, but reads the part of the slot that is packed so
// far. A position measures this part: the number of rows of the sending tile that are packed,
// level by level, ghost cells included.

// An EarlySender is told up to which position a face is packed. Positions grow.
type EarlySender interface{ Sent(position int) }

// An EarlyReceiver knows how far a face is packed. Await waits until it is packed up to a
// position, and returns the position up to which it is packed by then. It may panic with
// *Interrupted.
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

// A passage is the state of a face that the receiver reads while it is packed.
type passage struct {
	sender      EarlySender   // of the sending side; nil: nobody reads the face early
	receiver    EarlyReceiver // of the receiving side; nil: the face was complete when it arrived
	first, last []int         // the box of the sending tile, without ghost cells
	some        bool          // the sending tile has iterations; levels are their first and last level
	levels      [2]int
	base        int // the lowest level packed, which has ghost cells only
	rows        int // rows of one level, ghost rows included
	// Of the receiving side: the latest position that Await returned, and whether the slabs of
	// the receiving tile have the same levels as those of the sending one.
	known   int
	aligned bool
}

// Lead begins an early send: tile k of the sending column at from, for which the face was laid,
// will report to sender how far it has packed the face.
func (f *Face) Lead(p *plan.Plan, from []int, k int, sender EarlySender) {
	f.sender = sender
	f.pass(p, from, k)
}

// Follow does for the receiving tile what Lead does for the sending one.
func (f *Face) Follow(p *plan.Plan, from []int, k int, receiver EarlyReceiver) {
	f.receiver = receiver
	f.pass(p, from, k)
}

// pass computes the fields that both sides share.
func (t *passage) pass(p *plan.Plan, from []int, k int) {
	if t.first == nil {
		t.first, t.last = make([]int, len(p.Side)), make([]int, len(p.Side))
	}
	if t.some = p.PointsBox(from, k, t.first, t.last); t.some {
		t.levels = [2]int{t.first[0], t.last[0]}
	}
	p.TileBox(from, k, t.first, t.last)
	t.base, t.rows, t.known = t.first[0]-p.HaloWidth[0], 1, 0
	for x := 1; x < len(t.first)-1; x++ {
		t.rows *= t.last[x] - t.first[x] + 1 + p.HaloWidth[x]
	}
}

// sent tells the receivers of the column's faces that all levels below the given one are
// packed, and the first rows of the slab that begins with it: rows is their number.
func (c *Column) sent(level, rows int) {
	for _, f := range c.Out {
		if t := &f.passage; f.Slot != nil && t.sender != nil {
			t.sender.Sent((level-t.base)*t.rows + rows)
		}
	}
}

// awaitLevels waits until all levels up to the given one are packed.
func (f *Face) awaitLevels(level int) {
	t := &f.passage
	end := t.last[0] + 1 - t.base
	f.await(min(level+1-t.base, end)*t.rows, end*t.rows/walk.SlackInFace, end*t.rows)
}

// awaitRow waits until row q of the slab level..top is packed.
func (f *Face) awaitRow(p *plan.Plan, q []int, level, top int) {
	t := &f.passage
	if !t.aligned {
		f.awaitLevels(top)
		return
	}
	number := 0
	for x := 1; x < len(q)-1; x++ {
		number = number*(t.last[x]-t.first[x]+1+p.HaloWidth[x]) + q[x] - (t.first[x] - p.HaloWidth[x])
	}
	begin := (level - t.base) * t.rows
	f.await(begin+number+1, walk.SlackInSlab(t.rows), begin+t.rows)
}

// await waits until the face is packed up to a position. A receiver that has to wait at all
// waits for up to ahead rows more, but not beyond end, which the sender will reach soon.
func (f *Face) await(position, ahead, end int) {
	if t := &f.passage; t.known < position {
		t.known = t.receiver.Await(max(position, min(position+ahead, end)))
	}
}
