package halo

import (
	"loopc/transform/plan"
)

// A face between two columns of a rank may be handed over while it is packed: then the
// tile that gets it need not wait until the one that packs it is complete, but reads in
// the slot what has been packed so far. How far that is, is a position: the number of
// rows of the sending tile that are packed, level by level, ghost cells included.

// A EarlySender is told by the sender that a face is packed up to a position; positions grow.
type EarlySender interface{ Sent(position int) }

// An EarlyReceiver tells the receiver how far a face is packed, once that is position at least.
// It may panic with *Interrupted.
type EarlyReceiver interface{ Await(position int) int }

// Interrupted is what a tile panics with that waits for the rest of a face in vain.
type Interrupted struct{ Err error }

// Error is that of Err.
func (i *Interrupted) Error() string { return i.Err.Error() }

// Positions is how many positions any face of p has, 0 not counted.
func Positions(p *plan.Plan) int {
	total := 1
	for x := range len(p.Side) - 1 {
		total *= p.Side[x] + p.Margin[x]
	}
	return total
}

// A passage is what both sides know of a face that is handed over while it is packed.
type passage struct {
	sender      EarlySender   // the sender's; nil: nobody follows
	receiver    EarlyReceiver // the receiver's; nil: the face was complete when it came
	first, last []int         // the locations of the sending tile, without ghost cells
	some        bool          // it has iterations: of these levels
	levels      [2]int
	base        int // its lowest level, a ghost
	rows        int // of one of its levels, ghosts included
	// The receiver's: the position that it has heard of; and whether its slabs are of the
	// same levels as the sender's.
	known   int
	aligned bool
}

// Lead says that the face, which was laid for tile k of the sending column at from, is
// handed over while the tile packs it.
func (f *Face) Lead(p *plan.Plan, from []int, k int, sender EarlySender) {
	f.sender = sender
	f.pass(p, from, k)
}

// Follow is Lead for the tile that gets the face.
func (f *Face) Follow(p *plan.Plan, from []int, k int, receiver EarlyReceiver) {
	f.receiver = receiver
	f.pass(p, from, k)
}

// pass finds what both sides know.
func (t *passage) pass(p *plan.Plan, from []int, k int) {
	if t.first == nil {
		t.first, t.last = make([]int, len(p.Side)), make([]int, len(p.Side))
	}
	if t.some = p.PointsBox(from, k, t.first, t.last); t.some {
		t.levels = [2]int{t.first[0], t.last[0]}
	}
	p.TileBox(from, k, t.first, t.last)
	t.base, t.rows, t.known = t.first[0]-p.Margin[0], 1, 0
	for x := 1; x < len(t.first)-1; x++ {
		t.rows *= t.last[x] - t.first[x] + 1 + p.Margin[x]
	}
}

// sent tells the receivers of the column's faces that all levels below one are packed,
// and so many rows of the slab that begins with it.
func (c *Column) sent(level, rows int) {
	for _, f := range c.Out {
		if t := &f.passage; f.Slot != nil && t.sender != nil {
			t.sender.Sent((level-t.base)*t.rows + rows)
		}
	}
}

// awaitLevels waits until levels up to one are packed.
func (f *Face) awaitLevels(level int) {
	t := &f.passage
	end := t.last[0] + 1 - t.base
	f.await(min(level+1-t.base, end)*t.rows, plan.AheadInFace(end*t.rows), end*t.rows)
}

// awaitRow waits until row q of the levels from level to top is packed, which are those
// of a slab.
func (f *Face) awaitRow(p *plan.Plan, q []int, level, top int) {
	t := &f.passage
	if !t.aligned {
		f.awaitLevels(top)
		return
	}
	number := 0
	for x := 1; x < len(q)-1; x++ {
		number = number*(t.last[x]-t.first[x]+1+p.Margin[x]) + q[x] - (t.first[x] - p.Margin[x])
	}
	begin := (level - t.base) * t.rows
	f.await(begin+number+1, plan.AheadInSlab(t.rows), begin+t.rows)
}

// await waits until the face is packed up to a position. If it has to wait, it lets the
// sender get so much ahead, but not beyond end, which will be reached soon.
func (f *Face) await(position, ahead, end int) {
	if t := &f.passage; t.known < position {
		t.known = t.receiver.Await(max(position, min(position+ahead, end)))
	}
}
