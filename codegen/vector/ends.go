package vector

import (
	"slices"

	"loopc/ir"
	"loopc/runtime/boundary"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// Iterations near the ends of a row may read beyond the bounds of an array, where the boundary gives other cells. The
// vectors at the ends of rows load no such cells: lanes that read beyond the bounds take the cells that the frame names.

// An End says what reads of one or several streams beyond the bounds of the array give, along the row.
type End struct {
	Sub        ir.Affine // the subscript that moves along the row, at the stream's cell
	Array, Dim int
	Along      int  // change of the subscript from an iteration to the next, 1 or -1
	Size       int  // of a cell, in bytes
	Live       bool // the streams have results, which lie in the array itself only if the block is entire arrays
	// Before and After are the most cells that an iteration reads beyond the bounds, before the cells of the row's first
	// iteration and after those of its last one.
	Before, After int

	back, reach int // the farthest reads beyond the bounds, in columns before and after the iteration
}

// mostBeyond is the most cells beyond the bounds that lanes take.
const mostBeyond = 4

// findEnds finds the reads beyond the bounds of their array along rows. If some read is beyond them by an unknown number of cells,
// there are no ends: then the portable kernel computes these iterations (see Within).
func (s *Shape) findEnds() {
	if s.Scheme != Contiguous {
		return
	}
	s.endOf, s.beyondEnds = map[int]int{}, map[int][2]int{}
	s.eachRead(func(r *ir.Read, from ir.ReadFrom) {
		if s.endOf != nil && s.n.Analysis != nil && s.n.Analysis.Reads[r.ID].Beyond && !s.addEnd(r, from) {
			s.Ends, s.endOf, s.beyondEnds = nil, nil, nil
		}
	})
}

// addEnd adds a read beyond bounds to the ends of its stream. It returns false if the portable kernel must compute iterations
// near the ends of rows.
func (s *Shape) addEnd(r *ir.Read, from ir.ReadFrom) bool {
	a := s.reads[r.ID]
	x := &s.Streams[a.stream]
	live := x.Memory == Live // blocks have exterior cells
	end := End{Dim: -1, Array: r.Array, Size: size(x.Elem), Live: live, Along: x.Along}
	for m, sub := range r.Subs {
		if c := s.Coefficient(sub, s.last); c != 0 {
			if end.Dim >= 0 || c != x.Along {
				return live
			}
			end.Dim, end.Sub = m, sub
		}
	}
	if end.Dim < 0 {
		return true // the whole row reads one cell
	}
	under, over, ok := s.past(r.Array, end.Dim, end.Sub)
	kinds := s.Kinds(&end)
	switch {
	case live && x.written, end.Dim != s.rowDim(r.Array), !s.sameInRows(end.Sub), !ok:
		return live
	case under > 0 && kinds[0] == boundary.None, over > 0 && kinds[1] == boundary.None:
		return live
	}
	if end.Before, end.After = under, over; end.Along < 0 {
		end.Before, end.After = over, under
	}
	s.beyondEnds[r.ID] = [2]int{end.Before, end.After}
	if under+over == 0 {
		return true
	}
	end.Sub.Const += a.back * end.Along
	if end.Before > 0 {
		end.back = a.back
	}
	if end.After > 0 {
		end.reach = -a.back
	}
	return s.joinEnd(a.stream, end)
}

// Kinds are the kinds of boundary at an end. Where guards keep iterations from results beyond the bounds, any cell of the array does: nothing
// uses it.
func (s *Shape) Kinds(e *End) (kinds boundary.Ends) {
	if arr := &s.n.Arrays[e.Array]; arr.Boundary != nil {
		kinds = arr.Boundary[e.Dim]
	}
	for side := range kinds {
		if kinds[side] == boundary.None && e.Live && s.direct(e.Array) {
			kinds[side] = boundary.Copied
		}
	}
	return kinds
}

// direct reports whether a kernel in entire arrays computes in the cells of an array with results that the caller has. Lookups have a
// straight part instead of ends.
func (s *Shape) direct(array int) bool {
	arr := &s.p.Arrays[array]
	return arr.Role != plan.Internal && arr.Slice == nil && len(s.Tables()) == 0 && kernel.NewRotating(s.p) == nil
}

// ReadsBeyond reports whether a read of stream k may be beyond the bounds of its array.
func (s *Shape) ReadsBeyond(k int) (found bool) {
	for id, a := range s.reads {
		found = found || a.stream == k && s.n.Analysis != nil && s.n.Analysis.Reads[id].Beyond
	}
	return found
}

// joinEnd gives a stream an end. Streams share an end if the same cells of their rows are beyond the bounds.
func (s *Shape) joinEnd(stream int, end End) bool {
	bounds := func(e *End) []ir.Affine {
		return []ir.Affine{e.Sub, s.n.Arrays[e.Array].Lo[e.Dim], s.n.Arrays[e.Array].Hi[e.Dim]}
	}
	k := slices.IndexFunc(s.Ends, func(e End) bool {
		return sameSubs(bounds(&e), bounds(&end)) && s.Kinds(&e) == s.Kinds(&end) && e.Along == end.Along && e.Size == end.Size && e.Live == end.Live
	})
	if old, ok := s.endOf[stream]; ok && old != k {
		return false
	}
	if k < 0 {
		k = len(s.Ends)
		s.Ends = append(s.Ends, end)
	}
	e := &s.Ends[k]
	e.Before, e.After, e.back, e.reach = max(e.Before, end.Before), max(e.After, end.After), max(e.back, end.back), max(e.reach, end.reach)
	s.endOf[stream] = k
	return true
}

// sameInRows reports whether a subscript has the same value at the first iterations of all rows of a call.
func (s *Shape) sameInRows(sub ir.Affine) bool {
	for x := 1; x < s.last; x++ {
		if s.Coefficient(sub, x) != 0 {
			return false
		}
	}
	slope := kernel.Slopes(s.p)[s.last]
	return s.last > 1 || s.Coefficient(sub, 0)+slope*s.Coefficient(sub, s.last) == 0
}

// past returns by how many cells subscript sub may be below and above the bounds of dimension m of an array. It is not ok if that
// depends on parameters, or is more than mostBeyond.
func (s *Shape) past(array, m int, sub ir.Affine) (under, over int, ok bool) {
	loop, ok := sub.OnlyLoop()
	if !ok || loop < 0 {
		return 0, 0, false
	}
	c := sub.Iter(loop)
	first, last := s.n.Loops[loop].Lo, s.n.Loops[loop].Hi
	if c < 0 {
		first, last = last, first
	}
	// At a bound b of the loop, the subscript is sub with b in place of the loop. The nearest bound decides.
	rest := ir.Affine{Const: sub.Const, Params: sub.Params}
	beyond := func(bounds []ir.Affine, sign int, of ir.Affine) int {
		least := mostBeyond + 1
		for _, b := range bounds {
			d := rest.PlusTimes(c, b).PlusTimes(-1, of)
			if d.Equal(ir.Affine{Const: d.Const}) {
				least = min(least, max(0, sign*d.Const))
			}
		}
		return least
	}
	arr := &s.n.Arrays[array]
	under, over = beyond(first, -1, arr.Lo[m]), beyond(last, 1, arr.Hi[m])
	return under, over, max(under, over) <= mostBeyond
}

// TakesEnd reports whether lanes take the cells that a read gives beyond the bounds along the row.
func (s *Shape) TakesEnd(read int) bool {
	_, ok := s.beyondEnds[read]
	return ok
}

// Leaves reports whether subscript sub may be below and above the bounds of dimension m of an array.
func (s *Shape) Leaves(array, m int, sub ir.Affine) [2]bool {
	under, over, ok := s.past(array, m, sub)
	return [2]bool{!ok || under > 0, !ok || over > 0}
}

// FrameEnd is the first word of Ends[k]: the cells before and after the row within the bounds, and the distances of the cells that reads
// beyond the bounds give, in bytes, first those before the row.
func (s *Shape) FrameEnd(k int) int {
	at := s.FrameLast() + min(len(s.Ends), 1) // without ends, there is no word FrameLast
	for _, e := range s.Ends[:k] {
		at += 2 + e.Before + e.After
	}
	return at
}

// FrameLast is the word with the number of last iterations of a row that no whole vector may have.
func (s *Shape) FrameLast() int { return s.FrameStride(len(s.Streams)) }

// Reach is how far reads beyond the bounds at an end are after the iteration.
func (e *End) Reach() int { return e.reach }
