package walk

import (
	"math"
	"slices"
	"sort"

	"loopc/transform/plan"
)

// finals finds the final results of a tile: those that no later write overwrites and that lie in the returned slice of the array.
type finals struct {
	p      *plan.Plan
	lo, hi []int // the box of the tile's iterations
	slices [][]slice
	levels []Span // per value: levels that may have final results, as far as slices tell whose index depends on the level only
	// stays has, per value and per write that may overwrite its results, the inequalities that an
	// iteration satisfies exactly if that write of its cell exists.
	stays [][]*plan.Space
	q, at []int // scratch
	spans []Span
}

// A slice is one fixed index of a returned slice: only cells that have this index along dimension m of the array are returned.
type slice struct {
	m     int
	fixed int  // the index
	along int  // coefficient of the last coordinate
	level bool // the index depends on the level only
}

// A Span is columns of a row.
type Span struct{ Lo, Hi int }

func newFinals(p *plan.Plan, lo, hi []int) finals {
	n := len(p.Side)
	f := finals{p: p, lo: lo, hi: hi, q: make([]int, n), at: make([]int, n)}
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		var all []slice
		levels := Span{-math.MaxInt, math.MaxInt}
		for m, at := range p.Nest.Arrays[val.Array].Slice {
			if at != nil {
				s := slice{m: m, fixed: at.Eval(p.Params, nil)}
				iters := val.Cell[m].Iters
				if len(iters) == n {
					s.along = iters[n-1]
				}
				s.level = len(iters) <= 1 || !slices.ContainsFunc(iters[1:], func(c int) bool { return c != 0 })
				if s.level {
					levels.meet(val.Cell[m], p.Params, s.fixed)
				}
				all = append(all, s)
			}
		}
		f.levels = append(f.levels, levels)
		f.slices = append(f.slices, all)
		var stays []*plan.Space
		for _, o := range val.Overwrites {
			stays = append(stays, p.Space.Leaving(o))
		}
		f.stays = append(f.stays, stays)
	}
	return f
}

// meet narrows a span of levels to those in which an index, which depends on the level only, has a value.
func (s *Span) meet(index plan.Affine, params []int, value int) {
	by := 0
	if len(index.Iters) > 0 {
		by = index.Iters[0]
	}
	s.Lo, s.Hi = Clip(index.Eval(params, nil), by, value, value, s.Lo, s.Hi)
}

// MayBe reports whether some result of value v in the levels from..to of the tile may be final. It returns false if each result is
// overwritten later, or lies outside the returned slice; in nests that work in place, this is usual.
func (f *finals) MayBe(v, from, to int) bool {
	if f.always(v) {
		return true
	}
	if levels := f.levels[v]; to < levels.Lo || from > levels.Hi {
		return false
	}
	copy(f.q, f.lo)
	copy(f.at, f.hi)
	f.q[0], f.at[0] = from, to
	// The box of the tile may be much larger than that of a level.
	return f.p.Space.Shrink(f.q, f.at) && f.mayBe(v)
}

// RowMayBe does what MayBe does, for the rows of the levels at coordinates 1 to n-2 of row.
func (f *finals) RowMayBe(v int, row []int, from, to int) bool {
	if f.always(v) {
		return true
	}
	last := len(row) - 1
	copy(f.q, row)
	copy(f.at, row)
	f.q[0], f.at[0] = from, to
	f.q[last], f.at[last] = f.lo[last], f.hi[last]
	return f.mayBe(v)
}

// narrow shrinks the box lo..hi of a level along dimensions 1 to n-2, to the rows that may have final results of value v. A sum over a loop
// has them in one row of many.
func (f *finals) narrow(v int, lo, hi []int) {
	if f.always(v) {
		return
	}
	for x := 1; x < len(lo)-1; x++ {
		// A part of a box without final results has none either, so the rows that may have some are found by bisection from each end.
		copy(f.q, lo)
		copy(f.at, hi)
		lo[x] += sort.Search(hi[x]-lo[x], func(k int) bool {
			f.at[x] = lo[x] + k
			return f.mayBe(v)
		})
		f.q[x], f.at[x] = lo[x], hi[x]
		hi[x] -= sort.Search(hi[x]-lo[x], func(k int) bool {
			f.q[x] = hi[x] - k
			return f.mayBe(v)
		})
	}
}

// always reports whether each result of value v is final.
func (f *finals) always(v int) bool {
	return len(f.p.Nest.Values[v].Overwrites) == 0 && len(f.slices[v]) == 0
}

// allFinal reports whether all results of value v in the level of iteration q are final.
func (f *finals) allFinal(v int, q []int) bool {
	val := &f.p.Nest.Values[v]
	for _, s := range f.slices[v] {
		if !s.level || val.Cell[s.m].Eval(f.p.Params, q) != s.fixed {
			return false
		}
	}
	return len(val.Overwrites) == 0
}

// mayBe reports whether some result of value v in the box f.q..f.at may be final.
func (f *finals) mayBe(v int) bool {
	for _, stays := range f.stays[v] {
		if stays.BoxInside(f.q, f.at) {
			return false
		}
	}
	for _, s := range f.slices[v] {
		if f.misses(v, &s) {
			return false
		}
	}
	return true
}

// misses reports whether no result of value v in the box f.q..f.at has the index of a slice.
func (f *finals) misses(v int, s *slice) bool {
	// The least and the greatest index along the dimension.
	cell := &f.p.Nest.Values[v].Cell[s.m]
	least := cell.Eval(f.p.Params, nil)
	most := least
	for x, c := range cell.Iters {
		least += min(c*f.q[x], c*f.at[x])
		most += max(c*f.q[x], c*f.at[x])
	}
	return s.fixed < least || s.fixed > most
}

// Final returns the final ones of the results lo..hi of value v in row q. They are valid until the next call.
func (f *finals) Final(v int, q []int, lo, hi int) []Span {
	f.spans = f.spans[:0]
	for _, s := range f.slices[v] {
		last := len(q) - 1
		copy(f.at, q[:last])
		f.at[last] = 0
		at := f.p.Nest.Values[v].Cell[s.m].Eval(f.p.Params, f.at)
		lo, hi = Clip(at, s.along, s.fixed, s.fixed, lo, hi)
	}
	f.notOverwritten(v, q, lo, hi, 0)
	return f.spans
}

// notOverwritten appends those of the results lo..hi, all of iterations, that none of the writes from Overwrites[o] on overwrites.
func (f *finals) notOverwritten(v int, q []int, lo, hi, o int) {
	if lo > hi {
		return
	}
	if o == len(f.stays[v]) {
		f.spans = append(f.spans, Span{lo, hi})
		return
	}
	a, b := f.stays[v][o].Span(q, lo, hi)
	if a > b {
		f.notOverwritten(v, q, lo, hi, o+1)
		return
	}
	f.notOverwritten(v, q, lo, a-1, o+1)
	f.notOverwritten(v, q, b+1, hi, o+1)
}
