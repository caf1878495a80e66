package walk

import (
	"math/bits"
	"slices"

	"loopc/transform/plan"
)

// A levelEdge finds, level by level, the exterior locations that a tile must fill, as boxes. In skewed storage the tile owns the locations
// in its box, and iterations of any tile may read them. Otherwise the tile has a halo below it, and only its own iterations count. Both the
// runtime and the cost model use it. It has scratch memory: one goroutine may use it.
type levelEdge struct {
	Lo, Hi []int // the locations of a level that the tile owns

	p      *plan.Plan
	Offset []int // offset of skewed storage
	steady bool  // see isSteady
	move   []int // the iterations of a level are those of the level before, moved so; nil: they may differ
	top    int   // the last level for which move holds
	drifts bool  // Offset is move, times Offset[0]: levels that use the same memory lie a multiple of move apart
	begins bool  // the kernel itself reads the initial content below all levels
	still  []int // in a compressed grid, the vector from a location to the one in the next level with the same content; nil: contents differ
	first  []int // the tile's box
	last   []int
	at     int         // the level of filled
	any    bool        // filled holds the boxes of level at
	Needs  [][]needBox // per value
	boxes  []levelBox  // boxes of recent levels, by level modulo their number
	near   levelBox    // contains all locations that tiles with the levels of this tile may have to fill, see Concerns
	filled exterior    // the result of Exterior for level at
	spare  []valueBox  // scratch
}

// An exterior lists exterior locations in boxes, which may overlap.
type exterior struct {
	Boxes []valueBox
	// Copied is the number of leading boxes whose content may be copied: location p from p -
	// levelEdge.Still, box by box, after the level's iterations are computed.
	Copied int
	// Sparse says that the level has no iterations, and that the boxes contain locations that no iteration reads. Read returns the span of a
	// row that iterations read.
	Sparse bool
}

// newLevelEdge returns a levelEdge for the tiles of p. It returns nil if exterior cells may hold other content than their initial content,
// and change while a level is computed (plan.Nest.Late): then rows are examined one by one.
func newLevelEdge(p *plan.Plan) *levelEdge {
	n := len(p.Side)
	computed := func(v plan.Value) bool { return len(v.Fallbacks) > 0 || p.Nest.Arrays[v.Array].Boundary != nil }
	if _, _, after := p.Nest.Late(); !after && slices.ContainsFunc(p.Nest.Values, computed) {
		return nil
	}
	levels := 2*p.HaloWidth[0] + 2 // room for a level and its readers
	if p.KeepsWhole() {
		levels = 4*p.HaloWidth[0] + 4 // and for the level that it overwrites, and for the readers of that level
		if slices.ContainsFunc(p.Tiles[1:], func(tiles int) bool { return tiles > 1 }) {
			// Tiles with the same levels follow one another, so the boxes of these levels are kept.
			if p.Side[0] <= mostBoxes {
				levels += p.Side[0]
			}
		}
	}
	levels = 1 << bits.Len(uint(levels-1))
	e := &levelEdge{p: p, boxes: make([]levelBox, levels)}
	for v := range p.Nest.Values {
		e.Needs = append(e.Needs, needBoxes(p.Nest.Values[v].Need))
	}
	if p.KeepsWhole() {
		e.Offset = p.StorageOffset()
		e.steady = isSteady(p, e.Offset)
		e.chooseMove()
		if d := still(p.Nest); p.Compressed() && isSteady(p, d) && e.between(d) {
			e.still = d
		}
	}
	for _, s := range []*[]int{&e.Lo, &e.Hi, &e.first, &e.last, &e.near.lo, &e.near.hi} {
		*s = make([]int, n)
	}
	corners := make([]int, 3*n*levels) // one allocation: a short run may have a box for each of its rows
	next := func() (corner []int) {
		corner, corners = corners[:n:n], corners[n:]
		return corner
	}
	for k := range e.boxes {
		b := &e.boxes[k]
		b.lo, b.hi = next(), next()
		b.own = b.lo
		if !p.KeepsWhole() {
			b.own = next()
		}
	}
	return e
}

// between reports whether every coordinate of d lies between 0 and the offset. Then the content of an exterior location p can be copied
// from p - d: that location lies in the same tile or an earlier one, and has been filled. It is overwritten by this tile or a later one,
// and not before the copy, if lines are copied in ascending order.
func (e *levelEdge) between(d []int) bool {
	for x, c := range d {
		if c < 0 || c > e.Offset[x] {
			return false
		}
	}
	return true
}

// Begins says that levels below all iterations need no filling: the kernel reads the given array there.
func (e *levelEdge) Begins() { e.begins = true }

// Tile sets the tile first..last. In skewed storage, the first tile along a dimension also owns the locations below the space.
func (e *levelEdge) Tile(first, last []int) {
	e.any = false
	copy(e.first, first)
	copy(e.last, last)
	for x := range e.Lo {
		e.Lo[x], e.Hi[x] = first[x], last[x]
		if !e.p.KeepsWhole() || first[x] == e.p.Lo[x] {
			e.Lo[x] -= e.p.HaloWidth[x]
		}
	}
	if !e.p.KeepsWhole() {
		for k := range e.boxes {
			e.boxes[k].known = false
		}
	}
}

// Concerns reports whether the tile, if it has no iterations, may still own locations that iterations read. It tests a box that contains
// the iterations of the tile's levels and of the levels that read them, and everything that these iterations read. The box is the same for
// all tiles of these levels.
func (e *levelEdge) Concerns() bool {
	p, near := e.p, &e.near
	if !near.known || near.level != e.Lo[0] {
		near.level, near.known, near.iterates = e.Lo[0], true, false
		if e.Hi[0]-e.Lo[0] >= mostBoxes { // a tile with very many levels has one box for all of them
			copy(near.lo, p.Lo)
			copy(near.hi, p.Hi)
			near.lo[0], near.hi[0] = max(p.Lo[0], e.Lo[0]), min(p.Hi[0], e.Hi[0]+p.HaloWidth[0])
			near.iterates = near.lo[0] <= near.hi[0] && p.Space.Shrink(near.lo, near.hi)
			for x := 1; x < len(near.lo); x++ {
				near.lo[x] -= p.HaloWidth[x]
			}
			return e.meets(near)
		}
		for level := e.Lo[0]; level <= e.Hi[0]+p.HaloWidth[0]; level++ {
			b := e.box(level)
			for x := 1; b.iterates && x < len(near.lo); x++ {
				lo, hi := b.lo[x]-p.HaloWidth[x], b.hi[x]
				if near.iterates {
					lo, hi = min(lo, near.lo[x]), max(hi, near.hi[x])
				}
				near.lo[x], near.hi[x] = lo, hi
			}
			near.iterates = near.iterates || b.iterates
		}
	}
	return e.meets(near)
}

// Exterior returns the exterior locations of a level that the tile owns and iterations read. ok is false if levels are not boxes: then rows
// are examined one by one. The result is valid until the next call.
func (e *levelEdge) Exterior(level int) (out exterior, ok bool) {
	p := e.p
	if e.begins && level < p.Lo[0] {
		return out, true
	}
	here := e.box(level)
	if here.iterates && !here.exact {
		return out, false
	}
	if e.insideOf(here) || e.filledBefore(level) {
		return out, true
	}
	isInner := false // the tile is an inner tile of the level, see innerEdge
	if p.KeepsWhole() && here.iterates {
		if !here.inner.bounds {
			e.learn(level, here)
		}
		if isInner = here.inner.holds(e); isInner && here.inner.known {
			return here.inner.of(e), true
		}
	}
	if e.asBefore(level) {
		e.at = level
		return e.filled, true
	}
	if e.any = e.readersAreBoxes(level); !e.any {
		return out, false
	}
	e.list(level, here)
	e.at = level
	if isInner {
		here.inner.keep(e.filled)
	}
	return e.filled, true
}

// insideOf reports whether the tile has no location outside the box of a level.
func (e *levelEdge) insideOf(here *levelBox) bool {
	for x := 1; x < len(e.Lo); x++ {
		if e.Lo[x] < here.lo[x] || e.Hi[x] > here.hi[x] {
			return false
		}
	}
	return here.iterates
}

// readersAreBoxes reports whether the levels whose iterations read a level are boxes.
func (e *levelEdge) readersAreBoxes(level int) bool {
	for _, needs := range e.Needs {
		for _, d := range needs {
			if b := e.box(level + d.lo[0]); b.iterates && !b.exact {
				return false
			}
		}
	}
	return true
}

// list finds what Exterior returns for a level of boxes.
func (e *levelEdge) list(level int, here *levelBox) {
	e.spare = append(e.spare, e.filled.Boxes...)
	e.filled = exterior{Boxes: e.filled.Boxes[:0], Sparse: !here.iterates && !e.p.KeepsWhole()}
	for v, needs := range e.Needs {
		if !here.iterates {
			e.hull(v, level)
			continue
		}
		for _, d := range needs {
			if readers := e.box(level + d.lo[0]); readers.reads {
				e.exterior(v, &d, readers, here)
			}
		}
	}
	if here.inner.alike {
		e.copied(here)
	}
}

// learn finds where the inner tiles of the level lie: see innerEdge.
func (e *levelEdge) learn(level int, here *levelBox) {
	in, last := &here.inner, len(e.Lo)-1
	in.bounds = true
	in.alike = e.still != nil && level > e.p.Lo[0] && e.alike(level-1, level, e.still)
	in.lo, in.hi = append(in.lo[:0], here.lo...), append(in.hi[:0], here.hi...)
	for v := range e.p.Nest.Values {
		for _, d := range e.Needs[v] {
			if readers := e.box(level + d.lo[0]); readers.reads {
				for x := 1; x < last; x++ {
					in.lo[x], in.hi[x] = max(in.lo[x], readers.own[x]-d.lo[x]), min(in.hi[x], readers.hi[x]-d.hi[x])
				}
			}
		}
	}
	in.lo[last], in.hi[last] = e.Lo[last], e.Hi[last]
}

// Own narrows the box at..to of a level to its iterations, and reports whether there are any.
// ok is false if the iterations of the level are not a box.
func (e *levelEdge) Own(level int, at, to []int) (some, ok bool) {
	here := e.box(level)
	if !here.iterates || !here.exact {
		return false, !here.iterates
	}
	some = true
	for x := 1; x < len(at); x++ {
		at[x], to[x] = max(at[x], here.lo[x]), min(to[x], here.hi[x])
		some = some && at[x] <= to[x]
	}
	return some, true
}

// asBefore reports whether the level has the same boxes as the level before, which are in filled.
func (e *levelEdge) asBefore(level int) bool {
	if !e.any || e.at != level-1 {
		return false
	}
	for d := 0; d <= e.p.HaloWidth[0]; d++ {
		if !e.box(level + d).same(e.box(level + d - 1)) {
			return false
		}
	}
	return true
}

// Read returns the span of row q, in a level without iterations, that contains the locations of
// value v in the tile that iterations read; lo > hi if there are none.
func (e *levelEdge) Read(v int, q []int) (lo, hi int) {
	last := len(q) - 1
	lo, hi = e.Hi[last]+1, e.Lo[last]-1
need:
	for _, d := range e.Needs[v] {
		b := e.box(q[0] + d.lo[0])
		if !b.reads {
			continue
		}
		for x := 1; x < last; x++ {
			if q[x]+d.hi[x] < b.own[x] || q[x]+d.lo[x] > b.hi[x] {
				continue need
			}
		}
		lo, hi = min(lo, b.own[last]-d.hi[last]), max(hi, b.hi[last]-d.lo[last])
	}
	return max(lo, e.Lo[last]), min(hi, e.Hi[last])
}

// filledBefore reports whether the exterior locations of a level have their content already: the level Offset[0] before, which the level
// overwrites, had exterior locations in the same memory, and they had the same content.
func (e *levelEdge) filledBefore(level int) bool {
	p := e.p
	if !e.steady {
		return false
	}
	before := level - e.Offset[0]
	return before >= p.Lo[0] && (e.drifts && level <= e.top || e.alike(before, level, e.Offset))
}

// alike reports whether the boxes of level b, and of the levels that read it, are those of level a moved by d, where d[0] = b - a.
func (e *levelEdge) alike(a, b int, d []int) bool {
	if !e.shifted(a, b, d) {
		return false
	}
	for v := range e.p.Nest.Values {
		for _, need := range e.Needs[v] {
			if at := need.lo[0]; e.box(b+at).iterates && !e.shifted(a+at, b+at, d) {
				return false
			}
		}
	}
	return true
}

// shifted reports whether the boxes of levels a and b are exact, and the box of b is the box of a moved by d.
func (e *levelEdge) shifted(a, b int, d []int) bool {
	s, t := e.box(a), e.box(b)
	same := s.iterates && t.iterates && s.exact && t.exact
	for x := 1; x < len(s.lo); x++ {
		same = same && s.lo[x]+d[x] == t.lo[x] && s.hi[x]+d[x] == t.hi[x]
	}
	return same
}

// Still returns the vector from a location to the one in the next level with the same indices
// of the user's inner loops, if both always have the same content; otherwise nil.
func (e *levelEdge) Still() []int { return e.still }

// copied moves those boxes to the front of Exterior's list whose content can be copied from the level below.
func (e *levelEdge) copied(here *levelBox) {
	// Location q is copied from q - still, unless q - still + Offset has overwritten that location: an iteration, or an earlier copy.
	own, all, n := valueBox{Lo: here.lo, Hi: here.hi}, e.filled.Boxes, 0
	for k := range all {
		f := &all[k]
		apart := !own.meets(f, e.Offset, e.still)
		for _, g := range all[:n] {
			apart = apart && (f.Value != g.Value || !f.meets(&g, nil, nil) && !g.meets(f, e.Offset, e.still))
		}
		if apart {
			all[k], all[n] = all[n], all[k]
			n++
		}
	}
	e.filled.Copied = n
}
