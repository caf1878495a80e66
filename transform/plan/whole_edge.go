package plan

import "slices"

// A WholeEdge tells, of a plan whose levels are kept whole, what a tile has to do outside
// the iteration space: which locations it gives the content of their cells, for
// iterations of whichever tile read them. The runtime does that, and predictions count
// it. It has scratch memory: one goroutine may use it.
type WholeEdge struct {
	Lo, Hi []int // the locations of a level that the tile owns

	p      *Plan
	drift  []int
	steady bool       // see isSteady
	boxes  []levelBox // of levels that are at hand, by level modulo their number
	near   levelBox   // what levels of a tile concern, see Concerns
	filled []ValueBox // of the level
	spare  []ValueBox // scratch
}

// A levelBox is a box that holds the iterations of a level, of all tiles.
type levelBox struct {
	level  int
	known  bool
	some   bool // there are any
	exact  bool // all of the box are
	lo, hi []int
}

// A ValueBox is a box of locations of a value, of one level: from coordinate 1 on.
type ValueBox struct {
	Value  int
	Lo, Hi []int
}

// mostBoxes is how many boxes of levels are kept at hand at most.
const mostBoxes = 1 << 10

// NewWholeEdge prepares to tell that of the tiles of p.
func NewWholeEdge(p *Plan) *WholeEdge {
	n := len(p.Side)
	// The tiles of a band of levels follow one another: its boxes are found once.
	levels := min(p.Side[0], mostBoxes) + 4*p.Margin[0] + 4
	e := &WholeEdge{p: p, boxes: make([]levelBox, levels), drift: p.Drift()}
	e.near.lo, e.near.hi = make([]int, n), make([]int, n)
	e.steady = isSteady(p, e.drift)
	e.Lo, e.Hi = make([]int, n), make([]int, n)
	for k := range e.boxes {
		e.boxes[k].lo, e.boxes[k].hi = make([]int, n), make([]int, n)
	}
	return e
}

// Tile turns to the tile first..last: the first ones own what lies below the space.
func (e *WholeEdge) Tile(first, last []int) {
	for x := range e.Lo {
		e.Lo[x], e.Hi[x] = first[x], last[x]
		if first[x] == e.p.Lo[x] {
			e.Lo[x] -= e.p.Margin[x]
		}
	}
}

// Concerns reports whether levels of the tile, without iterations, may have locations
// that iterations read: those of its levels and of the next ones lie, with what they
// read, in a box that is the same for all tiles of these levels.
func (e *WholeEdge) Concerns() bool {
	p, near := e.p, &e.near
	if !near.known || near.level != e.Lo[0] {
		near.level, near.known, near.some = e.Lo[0], true, false
		for level := e.Lo[0]; level <= e.Hi[0]+p.Margin[0]; level++ {
			b := e.box(level)
			for x := 1; b.some && x < len(near.lo); x++ {
				lo, hi := b.lo[x]-p.Margin[x], b.hi[x]
				if near.some {
					lo, hi = min(lo, near.lo[x]), max(hi, near.hi[x])
				}
				near.lo[x], near.hi[x] = lo, hi
			}
			near.some = near.some || b.some
		}
	}
	some := near.some
	for x := 1; x < len(near.lo); x++ {
		some = some && e.Lo[x] <= near.hi[x] && near.lo[x] <= e.Hi[x]
	}
	return some
}

// Outside returns boxes of the locations of a level that the tile owns, that lie outside
// the space and that iterations read; they may overlap. Of a level without iterations
// they may hold others besides: then sparse is true, and Read has what is read of a row.
// ok is false if levels are not boxes: then it is easier row by row.
func (e *WholeEdge) Outside(level int) (all []ValueBox, sparse, ok bool) {
	p := e.p
	here := e.box(level)
	if here.some && !here.exact {
		return nil, false, false
	}
	inside := here.some
	for x := 1; x < len(e.Lo); x++ {
		inside = inside && e.Lo[x] >= here.lo[x] && e.Hi[x] <= here.hi[x]
	}
	if inside || e.filledBefore(level) {
		return nil, false, true
	}
	e.spare = append(e.spare, e.filled...)
	e.filled = e.filled[:0]
	for v := range p.Nest.Values {
		for _, d := range p.Nest.Values[v].Need {
			if b := e.box(level + d[0]); b.some && !b.exact {
				return nil, false, false
			}
		}
	}
	for v := range p.Nest.Values {
		if !here.some {
			e.hull(v, level)
			continue
		}
		for _, d := range p.Nest.Values[v].Need {
			if readers := e.box(level + d[0]); readers.some {
				e.outside(v, d, readers, here)
			}
		}
	}
	return e.filled, !here.some, true
}

// Read returns the span of row q, of a level without iterations, that holds the
// locations of value v that iterations read, within the tile; lo > hi if there are none.
func (e *WholeEdge) Read(v int, q []int) (lo, hi int) {
	last := len(q) - 1
	lo, hi = e.Hi[last]+1, e.Lo[last]-1
need:
	for _, d := range e.p.Nest.Values[v].Need {
		b := e.box(q[0] + d[0])
		if !b.some {
			continue
		}
		for x := 1; x < last; x++ {
			if at := q[x] + d[x]; at < b.lo[x] || at > b.hi[x] {
				continue need
			}
		}
		lo, hi = min(lo, b.lo[last]-d[last]), max(hi, b.hi[last]-d[last])
	}
	return max(lo, e.Lo[last]), min(hi, e.Hi[last])
}

// box returns the box of a level.
func (e *WholeEdge) box(level int) *levelBox {
	p := e.p
	b := &e.boxes[(level-p.Lo[0]+len(e.boxes)*2)%len(e.boxes)]
	if !b.known || b.level != level {
		b.level, b.known = level, true
		b.some = p.LevelBox(level, b.lo, b.hi)
		b.exact = !b.some || p.Space.BoxInside(b.lo, b.hi)
	}
	return b
}

// filledBefore reports whether all that a level of boxes needs outside the space has its
// content already: the same cells, in the same place, with a content that does not
// depend on the level, were filled when the level was whose place it takes.
func (e *WholeEdge) filledBefore(level int) bool {
	p := e.p
	before := level - e.drift[0]
	if !e.steady || before < p.Lo[0] || !e.shifted(before, level) {
		return false
	}
	for v := range p.Nest.Values {
		for _, d := range p.Nest.Values[v].Need {
			if e.box(level+d[0]).some && !e.shifted(before+d[0], level+d[0]) {
				return false
			}
		}
	}
	return true
}

// shifted reports whether the box of level b, which is the drift above a, is that of a
// moved by the drift, and both are exact.
func (e *WholeEdge) shifted(a, b int) bool {
	s, t := e.box(a), e.box(b)
	same := s.some && t.some && s.exact && t.exact
	for x := 1; x < len(s.lo); x++ {
		same = same && s.lo[x]+e.drift[x] == t.lo[x] && s.hi[x]+e.drift[x] == t.hi[x]
	}
	return same
}

// isSteady reports whether the initial content of the cells of all values is the same at
// locations that are a drift apart.
func isSteady(p *Plan, drift []int) bool {
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		arr := &p.Nest.Arrays[val.Array]
		for m := range val.Cell {
			moved := val.Cell[m].Eval(p.Params, drift) - val.Cell[m].Eval(p.Params, nil)
			if moved != 0 && (arr.Initial != Computed || !slices.Contains(arr.InitIgnores, m)) {
				return false
			}
		}
	}
	return true
}

// hull notes a box of all locations of value v of a level without iterations that the
// tile owns and iterations read.
func (e *WholeEdge) hull(v, level int) {
	all := e.newBox(v)
	some := false
	for _, d := range e.p.Nest.Values[v].Need {
		b := e.box(level + d[0])
		for x := 1; b.some && x < len(d); x++ {
			lo, hi := max(e.Lo[x], b.lo[x]-d[x]), min(e.Hi[x], b.hi[x]-d[x])
			if some {
				lo, hi = min(lo, all.Lo[x]), max(hi, all.Hi[x])
			}
			all.Lo[x], all.Hi[x] = lo, hi
		}
		some = some || b.some
	}
	for x := 1; x < len(e.Lo); x++ {
		some = some && all.Lo[x] <= all.Hi[x]
	}
	if some {
		e.filled = append(e.filled, all)
	} else {
		e.spare = append(e.spare, all)
	}
}

// outside notes the locations of value v that the tile owns, that lie outside the
// box here of iterations, and that readers read at distance d.
func (e *WholeEdge) outside(v int, d []int, readers, here *levelBox) {
	f := e.newBox(v)
	empty := false
	for x := 1; x < len(d); x++ {
		f.Lo[x], f.Hi[x] = max(e.Lo[x], readers.lo[x]-d[x]), min(e.Hi[x], readers.hi[x]-d[x])
		empty = empty || f.Lo[x] > f.Hi[x]
	}
	// What lies below the iterations along a dimension, and above them; then the rest.
	for x := 1; x < len(d) && !empty; x++ {
		if below := here.lo[x] - 1; f.Lo[x] <= below {
			e.note(f, x, f.Lo[x], min(below, f.Hi[x]))
			f.Lo[x] = below + 1
		}
		if above := here.hi[x] + 1; f.Hi[x] >= above {
			e.note(f, x, max(above, f.Lo[x]), f.Hi[x])
			f.Hi[x] = above - 1
		}
		empty = f.Lo[x] > f.Hi[x]
	}
	e.spare = append(e.spare, f)
}

// note notes the part lo..hi of f along dimension x, unless it is noted already.
func (e *WholeEdge) note(f ValueBox, x, lo, hi int) {
	if lo > hi {
		return
	}
	g := e.newBox(f.Value)
	copy(g.Lo, f.Lo)
	copy(g.Hi, f.Hi)
	g.Lo[x], g.Hi[x] = lo, hi
	for _, o := range e.filled {
		known := o.Value == g.Value
		for x := 1; known && x < len(g.Lo); x++ {
			known = o.Lo[x] <= g.Lo[x] && g.Hi[x] <= o.Hi[x]
		}
		if known {
			e.spare = append(e.spare, g)
			return
		}
	}
	e.filled = append(e.filled, g)
}

func (e *WholeEdge) newBox(v int) ValueBox {
	if n := len(e.spare); n > 0 {
		f := e.spare[n-1]
		e.spare = e.spare[:n-1]
		f.Value = v
		return f
	}
	n := len(e.Lo)
	return ValueBox{v, make([]int, n), make([]int, n)}
}
