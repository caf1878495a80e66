package plan

import (
	"cmp"
	"slices"
)

// An EdgeOf names the stream of faces from one column to a neighboring one.
type EdgeOf struct {
	From, To int // columns
	Dir      int // index into Directions
	Rank     [2]int
	CPU      [2]int
	ID       int // unique among the edges from Rank[0] to Rank[1]
	// Slots is the most messages sent and not yet consumed, by the steps of the
	// plan. With as many the credit graph has no cycle, for the steps are an
	// order in which everything can happen: a worker runs its tiles in it, a face
	// is there when its reader comes, and a slot is free when its writer does.
	Slots int
}

// Remote reports whether the edge leads from one rank to another.
func (e *EdgeOf) Remote() bool { return e.Rank[0] != e.Rank[1] }

// LeastSlots is the least number of slots of an edge between workers, unless fewer messages
// travel within a rank. Two suffice for progress from a worker to the next one, but not for
// overlap. A face holds its slot for three stages: it is packed while its tile is
// computed, then it is on its way, then it is read in place while the neighbor's tile is
// computed. With two slots a tile therefore takes compute + send/2 at least; with three,
// the longer of compute and send.
const LeastSlots = 3

// Edges returns every edge of the run, in the order of sending columns and
// directions. Edges between two columns of one rank have an ID too.
func (p *Plan) Edges() []EdgeOf {
	if p.Empty {
		return nil
	}
	col, to := make([]int, len(p.Tiles)), make([]int, len(p.Tiles))
	var out []EdgeOf
	for c := range p.Columns() {
		p.ColumnAt(c, col)
		for d := range p.dirs {
			if e, ok := p.edge(c, d, col, to); ok {
				out = append(out, e)
			}
		}
	}
	number(out)
	return out
}

// EdgesOf returns those of Edges that begin or end at a rank. It looks at the columns of
// the rank alone: a rank of very many must not go through the edges of all others.
func (p *Plan) EdgesOf(rank int) []EdgeOf {
	col, from, to := make([]int, len(p.Tiles)), make([]int, len(p.Tiles)), make([]int, len(p.Tiles))
	var out []EdgeOf
	for cpu := range Product(p.Mesh) {
		for _, c := range p.WorkerColumns(rank, cpu) {
			p.ColumnAt(c, col)
			for d := range p.dirs {
				if e, ok := p.edge(c, d, col, to); ok {
					out = append(out, e)
				}
				for k := range from {
					from[k] = col[k] - p.dirs[d].Step[k]
				}
				if f := p.ColumnOf(from); f >= 0 {
					if e, ok := p.edge(f, d, from, to); ok && e.Remote() { // others are found from their other end
						out = append(out, e)
					}
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b EdgeOf) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Dir, b.Dir)) })
	number(out)
	return out
}

// edge returns the edge that leaves column c, at col, in direction d, without its ID; ok is
// false if no column is there. to is scratch.
func (p *Plan) edge(c, d int, col, to []int) (e EdgeOf, ok bool) {
	for k := range to {
		to[k] = col[k] + p.dirs[d].Step[k]
	}
	t := p.ColumnOf(to)
	if t < 0 {
		return e, false
	}
	e = EdgeOf{From: c, To: t, Dir: d}
	e.Rank[0], e.CPU[0] = p.Worker(col)
	e.Rank[1], e.CPU[1] = p.Worker(to)
	e.Slots = p.slots(col, to, e.Remote(), e.Rank[0] == e.Rank[1] && e.CPU[0] == e.CPU[1])
	return e, true
}

// number gives edges their IDs: those from one rank to another are counted.
func number(edges []EdgeOf) {
	next := map[[2]int]int{}
	for i := range edges {
		e := &edges[i]
		e.ID = next[e.Rank]
		next[e.Rank]++
	}
}

// slots is EdgeOf.Slots for the edge between the columns at from and to: between
// ranks, or of one worker, or neither.
func (p *Plan) slots(from, to []int, remote, alone bool) int {
	sub := 0
	if p.Sub > 1 {
		sub = p.SubStep(to, 0) - p.SubStep(from, 0)
	}
	return p.SlotsFor(p.StepOf(to, 0)-p.StepOf(from, 0), sub, remote, alone)
}

// SlotsFor is slots where the reader is so many steps late, and within a step so many tiles.
func (p *Plan) SlotsFor(late, sub int, remote, alone bool) int {
	need, all := late+1, CeilDiv(p.Tiles[p.Map], p.Sub)
	if alone && p.Sub == 1 {
		return max(1, min(need, all)) // who packs is who reads: nothing overlaps
	}
	if !remote && p.Sub > 1 {
		// Faces inside a rank go tile by tile, N of them in a step.
		need, all = (late+1)*p.Sub, p.Tiles[p.Map]
		if late == 0 {
			need = sub + 1
		}
	}
	if p.whole {
		need = max(need, signalSlots)
	}
	if remote {
		// Where a nest is repeated, a rank may send the messages of the next repetition
		// while those of the last one are read.
		return max(LeastSlots, min(need, all))
	}
	return min(all, max(LeastSlots, need)) // more than there are messages would only be memory
}

// MessageCapacity is the length of the longest message in direction dir, in
// bytes: N faces between ranks, a single one inside a rank.
func (p *Plan) MessageCapacity(dir *Direction, remote bool) int {
	bytes := p.FaceCapacity(dir)
	if remote {
		bytes = int(BytesOf(bytes, p.Sub))
	}
	return bytes
}

// A Stream tells which tiles of an edge's sending column have a face for the
// receiving one, and which of the faces travel in one message. Both ends compute
// the same. It has scratch memory: one goroutine may use it.
type Stream struct {
	From []int // tile coordinates of the sending column
	Dir  *Direction

	p           *Plan
	first, last int // active tiles of the receiving column
	batch       int // tiles per message
	lo, hi      []int

	// Of the message that was looked at last, if batch > 1.
	message     int
	known       bool
	begin, end  int // first and last tile with a face
	bytes       int
	nextK, next int // tile whose face comes next, and its place
}

// Stream returns the stream of e; ok is false if nothing ever travels there.
func (p *Plan) Stream(e *EdgeOf) (s *Stream, ok bool) {
	n := len(p.Tiles)
	s = &Stream{p: p, Dir: &p.dirs[e.Dir], From: make([]int, n), lo: make([]int, n), hi: make([]int, n), batch: 1}
	if e.Remote() {
		s.batch = p.Sub
	}
	to := make([]int, n)
	p.ColumnAt(e.From, s.From)
	p.ColumnAt(e.To, to)
	s.first, s.last = p.Active(to, s.lo, s.hi)
	from, last := p.Active(s.From, s.lo, s.hi)
	ok = s.first <= s.last && from <= last
	if p.whole { // every tile that is run has a signal
		s.first, s.last = max(s.first, from), min(s.last, last)
	}
	return s, ok
}

// Tiles returns the tiles of which some may have a face.
func (s *Stream) Tiles() (first, last int) { return s.first, s.last }

// A FaceOf is the face of one tile as a part of its message.
type FaceOf struct {
	Bytes   int // of the face; 0: this tile sends none
	At      int // where it begins in its message
	Message int // bytes of the whole message
	// Begins and Ends tell that it is the first and the last face of its message.
	Begins, Ends bool
}

// Face returns the face that tile k of the sending column has, for tile k of the
// receiving one.
func (s *Stream) Face(k int) FaceOf {
	if s.batch == 1 {
		b := s.face(k)
		return FaceOf{Bytes: b, Message: b, Begins: b > 0, Ends: b > 0}
	}
	if m := FloorDiv(k, s.batch); !s.known || m != s.message || k < s.nextK {
		s.message, s.known, s.bytes, s.begin, s.end = m, true, 0, 0, -1
		s.nextK, s.next = m*s.batch, 0
		for t := m * s.batch; t < (m+1)*s.batch; t++ {
			b := s.face(t)
			if b == 0 {
				continue
			}
			if s.bytes == 0 {
				s.begin = t
			}
			s.end = t
			s.bytes += b
		}
	}
	for ; s.nextK < k; s.nextK++ {
		s.next += s.face(s.nextK)
	}
	b := s.face(k)
	if b == 0 {
		return FaceOf{}
	}
	return FaceOf{Bytes: b, At: s.next, Message: s.bytes, Begins: k == s.begin, Ends: k == s.end}
}

// face is the length of the face of tile k, 0 if it sends none.
func (s *Stream) face(k int) int {
	if k < s.first || k > s.last {
		return 0
	}
	return s.p.FaceBytes(s.From, k, s.Dir, s.lo, s.hi)
}
