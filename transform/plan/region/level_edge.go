package region

import (
	"slices"

	"loopc/transform/plan"
)

// A LevelEdge tells what a tile has to do outside the iteration space, by boxes of a
// level: which locations it gives the content of their cells. Where levels are kept whole
// it owns those that lie in it, and iterations of whichever tile read them; else it has a
// margin below it, and only its own iterations count. The runtime does that, and
// predictions count it. It has scratch memory: one goroutine may use it.
type LevelEdge struct {
	Lo, Hi []int // the locations of a level that the tile owns

	p      *plan.Plan
	Drift  []int // of levels that are kept whole
	steady bool  // see isSteady
	begins bool  // the kernel finds what lies below all levels
	still  []int // of compressed levels, from an iteration to that of the next level at the same place; nil: content differs
	first  []int // the tile
	last   []int
	at     int // the level that filled is of, if any is
	any    bool
	Needs  [][]needBox // per value
	boxes  []levelBox  // of levels that are at hand, by level modulo their number
	near   levelBox    // what levels of a tile concern, see Concerns
	filled Outside     // of the level
	spare  []ValueBox  // scratch
}

// An innerEdge is what lies outside a level in tiles that have iterations, and readers, on
// all sides but along the rows.
type innerEdge struct {
	bounds bool  // it is known where such tiles lie
	lo, hi []int // where; along the rows, the tile that the boxes are of
	known  bool  // what lies outside
	alike  bool  // the level below has the like, see copied
	Outside
}

// An Outside is what lies outside the space, in boxes that may overlap.
type Outside struct {
	Boxes []ValueBox
	// Copied is how many of the first boxes have content that may be copied, box by box when
	// the level's iterations have been computed, from locations that lie LevelEdge.Still before.
	Copied int
	// Sparse tells that a level without iterations may have other locations besides in the
	// boxes: Read has what is read of a row.
	Sparse bool
}

// NewLevelEdge prepares to tell that of the tiles of p. It returns nil if cells outside
// the space do not have their initial content: these are looked at row by row.
func NewLevelEdge(p *plan.Plan) *LevelEdge {
	n := len(p.Side)
	if !p.Nest.InitialValues() {
		return nil
	}
	levels := 2*p.Margin[0] + 2
	if p.KeepsWhole() {
		// The tiles of a band of levels follow one another: its boxes are found once.
		levels = min(p.Side[0], mostBoxes) + 4*p.Margin[0] + 4
	}
	e := &LevelEdge{p: p, boxes: make([]levelBox, levels)}
	for v := range p.Nest.Values {
		e.Needs = append(e.Needs, needBoxes(p.Nest.Values[v].Need))
	}
	if p.KeepsWhole() {
		e.Drift = p.Drift()
		e.steady = isSteady(p, e.Drift)
		if still := still(p.Nest); p.Compressed() && isSteady(p, still) && e.between(still) {
			e.still = still
		}
	}
	for _, s := range []*[]int{&e.Lo, &e.Hi, &e.first, &e.last, &e.near.lo, &e.near.hi} {
		*s = make([]int, n)
	}
	for k := range e.boxes {
		b := &e.boxes[k]
		b.lo, b.hi = make([]int, n), make([]int, n)
		if b.own = b.lo; !p.KeepsWhole() {
			b.own = make([]int, n)
		}
	}
	return e
}

// between reports whether a vector lies between none and the drift, in all coordinates. Then
// the location so far before one that is filled lies in its tile or one before it, and has been
// filled; and what replaces that location lies in this tile, or one behind it, and not before
// the one that is filled: lines that go up lose nothing.
func (e *LevelEdge) between(by []int) bool {
	for x, b := range by {
		if b < 0 || b > e.Drift[x] {
			return false
		}
	}
	return true
}

// Begins tells that levels below all iterations need nothing: the kernel reads what their
// cells contain where it was given.
func (e *LevelEdge) Begins() { e.begins = true }

// Tile turns to the tile first..last: of levels that are kept whole, the first ones own
// what lies below the space.
func (e *LevelEdge) Tile(first, last []int) {
	e.any = false
	copy(e.first, first)
	copy(e.last, last)
	for x := range e.Lo {
		e.Lo[x], e.Hi[x] = first[x], last[x]
		if !e.p.KeepsWhole() || first[x] == e.p.Lo[x] {
			e.Lo[x] -= e.p.Margin[x]
		}
	}
	if !e.p.KeepsWhole() {
		for k := range e.boxes {
			e.boxes[k].known = false
		}
	}
}

// Concerns reports whether levels of the tile, without iterations, may have locations
// that iterations read: those of its levels and of the next ones lie, with what they
// read, in a box that is the same for all tiles of these levels.
func (e *LevelEdge) Concerns() bool {
	p, near := e.p, &e.near
	if !near.known || near.level != e.Lo[0] {
		near.level, near.known, near.some = e.Lo[0], true, false
		if e.Hi[0]-e.Lo[0] >= mostBoxes { // of a tile with very many levels, a box of all together
			copy(near.lo, p.Lo)
			copy(near.hi, p.Hi)
			near.lo[0], near.hi[0] = max(p.Lo[0], e.Lo[0]), min(p.Hi[0], e.Hi[0]+p.Margin[0])
			near.some = near.lo[0] <= near.hi[0] && p.Space.Shrink(near.lo, near.hi)
			for x := 1; x < len(near.lo); x++ {
				near.lo[x] -= p.Margin[x]
			}
			return e.meets(near)
		}
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
	return e.meets(near)
}

// Outside returns the locations of a level that the tile owns, that lie outside the space
// and that iterations read. ok is false if levels are not boxes: then it is easier row by
// row. What is returned is good until the next call.
func (e *LevelEdge) Outside(level int) (out Outside, ok bool) {
	p := e.p
	if e.begins && level < p.Lo[0] {
		return out, true
	}
	here := e.box(level)
	if here.some && !here.exact {
		return out, false
	}
	inside := here.some
	for x := 1; x < len(e.Lo); x++ {
		inside = inside && e.Lo[x] >= here.lo[x] && e.Hi[x] <= here.hi[x]
	}
	if inside || e.filledBefore(level) {
		return out, true
	}
	inner := p.KeepsWhole() && here.some
	if inner {
		if !here.inner.bounds {
			e.learn(level, here)
		}
		if inner = here.inner.holds(e); inner && here.inner.known {
			return here.inner.of(e), true
		}
	}
	if e.asBefore(level) {
		e.at = level
		return e.filled, true
	}
	e.any = false
	for v := range p.Nest.Values {
		for _, d := range e.Needs[v] {
			if b := e.box(level + d.lo[0]); b.some && !b.exact {
				return out, false
			}
		}
	}
	e.spare = append(e.spare, e.filled.Boxes...)
	e.filled = Outside{Boxes: e.filled.Boxes[:0], Sparse: !here.some && !p.KeepsWhole()}
	for v := range p.Nest.Values {
		if !here.some {
			e.hull(v, level)
			continue
		}
		for _, d := range e.Needs[v] {
			if readers := e.box(level + d.lo[0]); readers.reads {
				e.outside(v, &d, readers, here)
			}
		}
	}
	if here.inner.alike {
		e.copied(here)
	}
	e.at, e.any = level, true
	if inner {
		here.inner.keep(e.filled)
	}
	return e.filled, true
}

// learn finds where tiles have neighbors of a level.
func (e *LevelEdge) learn(level int, here *levelBox) {
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

// keep keeps what lies outside of this tile for others like it.
func (in *innerEdge) keep(out Outside) {
	in.known = true
	in.Outside = out
	in.Boxes = nil
	for _, f := range out.Boxes {
		in.Boxes = append(in.Boxes, ValueBox{f.Value, slices.Clone(f.Lo), slices.Clone(f.Hi)})
	}
}

// holds reports whether the tile of e is such a tile.
func (in *innerEdge) holds(e *LevelEdge) bool {
	last := len(e.Lo) - 1
	for x := 1; x < last; x++ {
		if e.Lo[x] < in.lo[x] || e.Hi[x] > in.hi[x] {
			return false
		}
	}
	return e.Lo[last] == in.lo[last] && e.Hi[last] == in.hi[last]
}

// of is what lies outside in the tile of e.
func (in *innerEdge) of(e *LevelEdge) Outside {
	last := len(e.Lo) - 1
	for _, f := range in.Boxes {
		copy(f.Lo[1:last], e.Lo[1:last])
		copy(f.Hi[1:last], e.Hi[1:last])
	}
	return in.Outside
}

// Own cuts the box at..to of locations of a level down to its iterations, and reports
// whether there are any; ok is false if those of the level are not a box.
func (e *LevelEdge) Own(level int, at, to []int) (some, ok bool) {
	here := e.box(level)
	if !here.some || !here.exact {
		return false, !here.some
	}
	some = true
	for x := 1; x < len(at); x++ {
		at[x], to[x] = max(at[x], here.lo[x]), min(to[x], here.hi[x])
		some = some && at[x] <= to[x]
	}
	return some, true
}

// asBefore reports whether the boxes of what a level needs are those of the level before
// it, which are at hand.
func (e *LevelEdge) asBefore(level int) bool {
	if !e.any || e.at != level-1 {
		return false
	}
	for d := 0; d <= e.p.Margin[0]; d++ {
		if !e.box(level + d).same(e.box(level + d - 1)) {
			return false
		}
	}
	return true
}

// Read returns the span of row q, of a level without iterations, that holds the
// locations of value v that iterations read, within the tile; lo > hi if there are none.
func (e *LevelEdge) Read(v int, q []int) (lo, hi int) {
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

// filledBefore reports whether all that a level of boxes needs outside the space has its
// content already: the same cells, in the same place, with a content that does not
// depend on the level, were filled when the level was whose place it takes.
func (e *LevelEdge) filledBefore(level int) bool {
	p := e.p
	if !e.steady {
		return false
	}
	before := level - e.Drift[0]
	return before >= p.Lo[0] && e.alike(before, level, e.Drift)
}

// alike reports whether level b and those that read it are boxes as level a and those that
// read that one are, moved by the vector by, of which b - a is coordinate 0.
func (e *LevelEdge) alike(a, b int, by []int) bool {
	if !e.shifted(a, b, by) {
		return false
	}
	for v := range e.p.Nest.Values {
		for _, d := range e.Needs[v] {
			if at := d.lo[0]; e.box(b+at).some && !e.shifted(a+at, b+at, by) {
				return false
			}
		}
	}
	return true
}

// shifted reports whether the box of level b is that of a moved by a vector, and both are
// exact.
func (e *LevelEdge) shifted(a, b int, by []int) bool {
	s, t := e.box(a), e.box(b)
	same := s.some && t.some && s.exact && t.exact
	for x := 1; x < len(s.lo); x++ {
		same = same && s.lo[x]+by[x] == t.lo[x] && s.hi[x]+by[x] == t.hi[x]
	}
	return same
}

// Still is the vector from a location to that of the next level at the same place of the
// user's loops, where the content of the two is the same; nil elsewhere.
func (e *LevelEdge) Still() []int { return e.still }

// copied puts those boxes first that Outside has listed whose content may be copied, where
// the level below has the like.
func (e *LevelEdge) copied(here *levelBox) {
	// What is copied to q was where location q + drift - still lies now.
	own, all, n := ValueBox{Lo: here.lo, Hi: here.hi}, e.filled.Boxes, 0
	for k := range all {
		f := &all[k]
		apart := !own.meets(f, e.Drift, e.still)
		for _, g := range all[:n] {
			apart = apart && (f.Value != g.Value || !f.meets(&g, nil, nil) && !g.meets(f, e.Drift, e.still))
		}
		if apart {
			all[k], all[n] = all[n], all[k]
			n++
		}
	}
	e.filled.Copied = n
}
