package plan

import (
	"cmp"
	"iter"
	"slices"
)

// An EdgeOf is an edge: the stream of faces from one column to a neighboring one.
type EdgeOf struct {
	From, To int // columns
	Dir      int // index into Directions
	Rank     [2]int
	CPU      [2]int
	ID       int // unique among the edges from Rank[0] to Rank[1]
	// Slots is the greatest number of messages that are sent and not yet consumed, if tiles run in the steps of the plan. With this
	// number of slots the credit graph has no cycle, because tiles can run in the order of the steps: then a face has arrived when its
	// reader runs, and a slot is free when its writer runs.
	Slots int
}

// Remote reports whether the edge leads from one rank to another.
func (e *EdgeOf) Remote() bool { return e.Rank[0] != e.Rank[1] }

// LeastSlots is the least number of slots of an edge between workers, unless fewer messages travel within a rank. Two slots suffice for
// progress, but not for overlap: a face holds its slot while its tile is computed, while it travels, and while the neighbor computes the
// tile that reads it. With two slots a tile therefore takes at least compute + send/2; with three, the longer of compute and send.
const LeastSlots = 3

// Edges returns every edge of the run, in the order of sending columns and directions. Edges between two columns of one rank have an ID
// too.
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

// EdgesOf returns the Edges that begin or end at a rank.
func (p *Plan) EdgesOf(rank int) []EdgeOf {
	out := slices.Collect(p.UnorderedEdgesOf(rank))
	slices.SortFunc(out, func(a, b EdgeOf) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Dir, b.Dir)) })
	number(out)
	return out
}

// UnorderedEdgesOf yields the edges of EdgesOf, without IDs. It visits the columns of this rank only, because there may be very many
// ranks, and columns one by one, because a reader of sums may stop early.
func (p *Plan) UnorderedEdgesOf(rank int) iter.Seq[EdgeOf] {
	return func(yield func(EdgeOf) bool) {
		col, from, to := make([]int, len(p.Tiles)), make([]int, len(p.Tiles)), make([]int, len(p.Tiles))
		for cpu := range Product(p.Mesh) {
			for c := range p.eachColumn(rank, cpu) {
				p.ColumnAt(c, col)
				for d := range p.dirs {
					if e, ok := p.edge(c, d, col, to); ok && !yield(e) {
						return
					}
					for k := range from {
						from[k] = col[k] - p.dirs[d].Step[k]
					}
					f := p.columnOf(from)
					if f < 0 {
						continue
					}
					// edges within the rank are found from their sending end
					if e, ok := p.edge(f, d, from, to); ok && e.Remote() && !yield(e) {
						return
					}
				}
			}
		}
	}
}

// edge returns the edge that leaves column c, at col, in direction d, without its ID. ok is
// false if there is no column in that direction. to is scratch.
func (p *Plan) edge(c, d int, col, to []int) (e EdgeOf, ok bool) {
	for k := range to {
		to[k] = col[k] + p.dirs[d].Step[k]
	}
	t := p.columnOf(to)
	if t < 0 {
		return e, false
	}
	e = EdgeOf{From: c, To: t, Dir: d}
	e.Rank[0], e.CPU[0] = p.Worker(col)
	e.Rank[1], e.CPU[1] = p.Worker(to)
	e.Slots = p.slots(col, to, e.Remote(), e.Rank[0] == e.Rank[1] && e.CPU[0] == e.CPU[1])
	return e, true
}

// number assigns IDs, counting the edges between each pair of ranks.
func number(edges []EdgeOf) {
	next := map[[2]int]int{}
	for i := range edges {
		e := &edges[i]
		e.ID = next[e.Rank]
		next[e.Rank]++
	}
}

// slots computes EdgeOf.Slots for an edge; from and to are the coordinates of its columns. remote:
// the edge joins two ranks; alone: both columns belong to one worker.
func (p *Plan) slots(from, to []int, remote, alone bool) int {
	sub := 0
	if p.Sub > 1 {
		sub = p.SubStep(to, 0) - p.SubStep(from, 0)
	}
	n := len(to)
	first, last := p.Active(to, make([]int, n), make([]int, n))
	return p.SlotsFor(p.StepOf(to, 0)-p.StepOf(from, 0), sub, first, last, remote, alone)
}

// SlotsFor computes EdgeOf.Slots for a reader with active tiles first..last. The number of steps by which
// the reader is behind the sender is late; within a step, it is behind by sub sub-tiles.
func (p *Plan) SlotsFor(late, sub, first, last int, remote, alone bool) int {
	if !p.Alike {
		first, last = 0, p.Tiles[p.Map]-1 // other windows may have more active tiles
	}
	need, all := late+1, max(1, FloorDiv(last, p.Sub)-FloorDiv(first, p.Sub)+1)
	if alone && p.Sub == 1 {
		return max(1, min(need, all)) // one worker packs and reads: nothing overlaps
	}
	if !remote && p.Sub > 1 {
		// Within a rank each of the N sub-tiles of a step sends its own face.
		need, all = (late+1)*p.Sub, max(1, last-first+1)
		if late == 0 {
			need = sub + 1
		}
	}
	if p.whole {
		need = max(need, signalSlots)
	}
	if remote {
		// In a repeat, a rank may send messages of the next repetition while its neighbor still reads messages of the current one.
		return max(LeastSlots, min(need, all))
	}
	return min(all, max(LeastSlots, need)) // more slots than messages would be wasted
}

// MessageCapacity is the length in bytes of the longest message in direction dir: N faces between ranks, one face within a rank.
func (p *Plan) MessageCapacity(dir *Direction, remote bool) int {
	bytes := p.faceCapacity(dir)
	if remote {
		bytes = int(BytesOf(bytes, p.Sub))
	}
	return bytes
}

// A Stream says which tiles of an edge's sending column have a face for the receiving column, and which faces travel in one message.
// Both ends compute the same. It has scratch memory: one goroutine may use it.
type Stream struct {
	From []int // tile coordinates of the sending column
	Dir  *Direction

	p           *Plan
	first, last int // active tiles of the receiving column
	batch       int // tiles per message
	lo, hi      []int

	// Of the message that was asked for last, if batch > 1.
	message     int
	known       bool
	begin, end  int // first and last tile with a face
	bytes       int
	nextK, next int // the next tile with a face, and its place in the message
}

// Stream returns the stream of e; ok is false if it never carries a face, in any window.
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
	ok = s.first <= s.last && from <= last || !p.Alike
	if p.whole { // every tile that runs has a signal
		s.first, s.last = max(s.first, from), min(s.last, last)
	}
	return s, ok
}

// Tiles returns the first and the last tile that may have a face.
func (s *Stream) Tiles() (first, last int) { return s.first, s.last }

// A tileFace is the face of one tile, as a part of its message.
type tileFace struct {
	Bytes   int // of the face; 0: this tile sends none
	At      int // offset in its message
	Message int // bytes of the whole message
	// Begins and Ends say that it is the first or the last face of its message.
	Begins, Ends bool
}

// Face returns the face that tile k of the sending column has for tile k of the receiving column.
func (s *Stream) Face(k int) tileFace {
	if s.batch == 1 {
		b := s.face(k)
		return tileFace{Bytes: b, Message: b, Begins: b > 0, Ends: b > 0}
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
		return tileFace{}
	}
	return tileFace{Bytes: b, At: s.next, Message: s.bytes, Begins: k == s.begin, Ends: k == s.end}
}

// face returns the length of the face of tile k, 0 if the tile sends none.
func (s *Stream) face(k int) int {
	if k < s.first || k > s.last {
		return 0
	}
	return s.p.FaceBytes(s.From, k, s.Dir, s.lo, s.hi)
}
