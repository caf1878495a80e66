package walk

import (
	"slices"

	"loopc/transform/plan"
)

// A levelBox is a box that contains iterations of a level: in skewed storage, of all tiles; otherwise those in the tile or its halo.
type levelBox struct {
	level    int
	known    bool
	iterates bool // the level has iterations
	exact    bool // every location of the box is an iteration
	lo, hi   []int
	own      []int // low corner of the iterations for which the tile fills cells: lo in skewed storage; otherwise the halo is left out
	reads    bool  // there are iterations for which the tile fills cells
	inner    innerEdge
}

// same reports whether b and c differ in nothing but their level.
func (b *levelBox) same(c *levelBox) bool {
	return b.iterates == c.iterates && b.exact == c.exact && b.reads == c.reads && (!b.iterates || slices.Equal(b.lo[1:], c.lo[1:]) && slices.Equal(b.hi[1:], c.hi[1:]))
}

// A valueBox is a box of locations of a value, of one level: from coordinate 1 on.
type valueBox struct {
	Value  int
	Lo, Hi []int
}

// mostBoxes is the greatest number of levels whose boxes are kept.
const mostBoxes = 1 << 10

// Levels returns the levels of the tile that have iterations of the tile, or exterior cells that iterations of any tile read; from > to if
// there are none. A reader lies at most a halo width above what the tile owns. lo and hi are scratch.
func (e *levelEdge) Levels(lo, hi []int) (from, to int) {
	copy(lo, e.Lo)
	for x := range hi {
		hi[x] = e.Hi[x] + e.p.HaloWidth[x]
	}
	if !e.p.Space.Shrink(lo, hi) {
		return 1, 0
	}
	return max(e.Lo[0], lo[0]-e.p.HaloWidth[0]), min(e.Hi[0], hi[0])
}

// meets reports whether the tile owns locations in the box.
func (e *levelEdge) meets(near *levelBox) bool {
	overlap := near.iterates
	for x := 1; x < len(near.lo); x++ {
		overlap = overlap && e.Lo[x] <= near.hi[x] && near.lo[x] <= e.Hi[x]
	}
	return overlap
}

// box returns the box of a level.
func (e *levelEdge) box(level int) *levelBox {
	p := e.p
	b := e.place(level)
	if !b.known || b.level != level {
		b.level, b.known = level, true
		b.inner.bounds, b.inner.known, b.inner.alike = false, false, false
		if e.moved(b) {
			return b
		}
		if p.KeepsWhole() {
			b.iterates = p.LevelBox(level, b.lo, b.hi)
			b.reads = b.iterates && level >= p.Lo[0] && level <= p.Hi[0] // other windows fill cells for their levels
		} else {
			e.within(b)
		}
		b.exact = !b.iterates || p.Space.BoxInside(b.lo, b.hi)
	}
	return b
}

// place returns the entry of boxes for a level. Levels share the entries cyclically; the number of entries is a power of two.
func (e *levelEdge) place(level int) *levelBox {
	return &e.boxes[(level-e.p.Lo[0])&(len(e.boxes)-1)]
}

// moved computes the box b of a level as that of the level before, moved, if that is known, and reports
// whether it is: where levels have few iterations, this takes much less time than finding the box.
func (e *levelEdge) moved(b *levelBox) bool {
	if e.move == nil || b.level <= e.p.Lo[0] || b.level > e.top {
		return false
	}
	before := e.place(b.level - 1)
	if !before.known || before.level != b.level-1 || !before.iterates || !before.exact {
		return false
	}
	for x, by := range e.move {
		b.lo[x], b.hi[x] = before.lo[x]+by, before.hi[x]+by
	}
	b.iterates, b.exact, b.reads = true, true, true
	return true
}

// chooseMove sets move to the vector between two levels that keeps the indices of the user's inner loops,
// if all bounds of the space except those of the levels move with it: the boxes of levels then do, too.
func (e *levelEdge) chooseMove() {
	p, by := e.p, still(e.p.Nest)
	e.top = p.Hi[0]
	for _, in := range p.Space.Ineq {
		slope, other := 0, false
		for x, a := range in.A {
			slope += a * by[x]
			other = other || x > 0 && a != 0
		}
		if other && slope != 0 {
			return
		}
		if !other && in.A[0] < 0 {
			e.top = min(e.top, plan.FloorDiv(in.C, -in.A[0]))
		}
	}
	if by[0] != 1 {
		return
	}
	e.move, e.drifts = by, true
	for x, by := range by {
		e.drifts = e.drifts && e.Offset[x] == by*e.Offset[0]
	}
}

// within computes the box b of iterations in the tile and its halo.
func (e *levelEdge) within(b *levelBox) {
	copy(b.lo, e.Lo)
	copy(b.hi, e.Hi)
	b.lo[0], b.hi[0] = b.level, b.level
	b.iterates = e.p.Space.Shrink(b.lo, b.hi)
	// If dimension 0 is the mapping dimension, live levels stay in the block, and the next tiles of the window read them.
	top := e.last[0]
	if e.p.Map == 0 {
		top = e.p.Hi[0]
	}
	b.reads = b.iterates && b.level >= e.first[0] && b.level <= top
	for x := 1; x < len(b.own); x++ {
		b.own[x] = max(b.lo[x], e.first[x])
		b.reads = b.reads && b.own[x] <= b.hi[x]
	}
}

// meets reports whether f and g have a location in common. If up and down are given, g is first moved by up - down.
func (f *valueBox) meets(g *valueBox, up, down []int) bool {
	for x := 1; x < len(f.Lo); x++ {
		by := 0
		if up != nil {
			by = up[x] - down[x]
		}
		if f.Hi[x] < g.Lo[x]+by || g.Hi[x]+by < f.Lo[x] {
			return false
		}
	}
	return true
}

// hull adds a box of all locations of value v that the tile owns and iterations read, in a level without iterations.
func (e *levelEdge) hull(v, level int) {
	all := e.newBox(v)
	found := false
	for _, d := range e.Needs[v] {
		b := e.box(level + d.lo[0])
		for x := 1; b.reads && x < len(d.lo); x++ {
			lo, hi := max(e.Lo[x], b.own[x]-d.hi[x]), min(e.Hi[x], b.hi[x]-d.lo[x])
			if found {
				lo, hi = min(lo, all.Lo[x]), max(hi, all.Hi[x])
			}
			all.Lo[x], all.Hi[x] = lo, hi
		}
		found = found || b.reads
	}
	for x := 1; x < len(e.Lo); x++ {
		found = found && all.Lo[x] <= all.Hi[x]
	}
	if found {
		e.filled.Boxes = append(e.filled.Boxes, all)
	} else {
		e.spare = append(e.spare, all)
	}
}

// exterior adds boxes of locations of value v. The tile owns these locations; they lie outside the box of the level's iterations (here),
// and the iterations in the box readers read them at the distances of d.
func (e *levelEdge) exterior(v int, d *needBox, readers, here *levelBox) {
	f := e.newBox(v)
	empty := false
	for x := 1; x < len(d.lo); x++ {
		f.Lo[x], f.Hi[x] = max(e.Lo[x], readers.own[x]-d.hi[x]), min(e.Hi[x], readers.hi[x]-d.lo[x])
		empty = empty || f.Lo[x] > f.Hi[x]
	}
	// The locations below and above the iterations along one dimension, then along the next.
	for x := 1; x < len(d.lo) && !empty; x++ {
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

// note adds the part lo..hi of f along dimension x, unless another box contains it.
func (e *levelEdge) note(f valueBox, x, lo, hi int) {
	if lo > hi {
		return
	}
	g := e.newBox(f.Value)
	copy(g.Lo, f.Lo)
	copy(g.Hi, f.Hi)
	g.Lo[x], g.Hi[x] = lo, hi
	for _, o := range e.filled.Boxes {
		known := o.Value == g.Value
		for x := 1; known && x < len(g.Lo); x++ {
			known = o.Lo[x] <= g.Lo[x] && g.Hi[x] <= o.Hi[x]
		}
		if known {
			e.spare = append(e.spare, g)
			return
		}
	}
	e.filled.Boxes = append(e.filled.Boxes, g)
}

func (e *levelEdge) newBox(v int) valueBox {
	if n := len(e.spare); n > 0 {
		f := e.spare[n-1]
		e.spare = e.spare[:n-1]
		f.Value = v
		return f
	}
	n := len(e.Lo)
	return valueBox{v, make([]int, n), make([]int, n)}
}

// isSteady reports whether, for all values, locations p and p - offset have the same initial content.
func isSteady(p *plan.Plan, offset []int) bool {
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		arr := &p.Nest.Arrays[val.Array]
		for m := range val.Cell {
			moved := val.Cell[m].Eval(p.Params, offset) - val.Cell[m].Eval(p.Params, nil)
			if moved != 0 && (arr.Initial != plan.Computed || !slices.Contains(arr.InitIgnores, m)) {
				return false
			}
		}
	}
	return true
}

// still returns the vector from an iteration to the one in the next level that has the same indices of the user's inner loops.
func still(n *plan.Nest) []int {
	by := make([]int, len(n.Skew))
	for x, row := range n.Skew {
		by[x] = row[0]
	}
	return by
}
