package sched

import (
	"cmp"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// A strip has some rows of an internal array: those that a front computes next, and above them the rows that these read. The
// rows are in the order in which they are computed; the other dimensions of the array have one index.
type strip struct {
	*kernel.FrontStrip
	arr      *plan.Array
	loops    kernel.Loops // computes the initial content
	data     []byte
	rows     int   // that are computed at a time
	cells    int   // from a row to the next
	lo, hi   int   // bounds of the array along a row
	top, end int   // bounds of the array along Dim
	step     int   // along Dim, from a row to the next
	zero     []int // the indices of the cell of row 0 and column 0
	cell     []int

	// The cells of a row that iterations compute are those from column least to column most, and those that they access are from..to.
	from, to, least, most int

	sides  int // how many rows of the strip already have initial content beside their computed cells
	before int // how many rows the last call of hold has prepared; 0: there was none

	result array.View // what the caller receives of the array; no cells: nothing
	fixed  []int      // by dimension: the index of the slice or, if the slice has all indices, that of the view's first cell
}

// A strip has one group of rows, or several groups of up to stripBytes.
const stripBytes = 8 << 10

// newStrip returns a strip that a front of the nest of p describes; nil if the bounds of its array cannot be computed. group is
// how many rows the front computes together, and result what the caller receives of the array.
func newStrip(of *kernel.FrontStrip, p *plan.Plan, loops kernel.Loops, group int, result array.View) *strip {
	s := &strip{FrontStrip: of, arr: &p.Nest.Arrays[of.Array], loops: loops, result: result}
	lo, extent, err := s.arr.Extent(p.Params)
	if err != nil {
		return nil
	}
	last := len(lo) - 1
	s.lo, s.hi, s.top, s.end = lo[last], lo[last]+extent[last]-1, lo[of.Dim], lo[of.Dim]+extent[of.Dim]-1
	s.step, s.cell, s.zero = of.Subs[of.Dim].Iters[0], make([]int, last+1), make([]int, last+1)
	s.cells = plan.Apart(max(1, extent[last]), s.arr.Size, lineBytes/s.arr.Size)
	s.rows = group * max(1, stripBytes/(group*s.cells*s.arr.Size))
	s.data = array.LargeBytes(s.cells*(s.rows+of.Above)*s.arr.Size, 1)
	for m, x := range s.arr.Slice {
		s.fixed = append(s.fixed, cmp.Or(x, &s.arr.Lo[m]).Eval(p.Params, nil))
	}
	return s
}

// view returns the strip's memory as a view of the array in which row 0 is the first one in memory.
func (s *strip) view() array.View {
	dims := len(s.cell)
	v := array.View{Elem: s.arr.Elem, Size: s.arr.Size, Data: s.data, Lo: make([]int, dims), Hi: make([]int, dims), Stride: make([]int, dims)}
	v.Lo[dims-1], v.Stride[dims-1], v.Stride[s.Dim] = s.lo, 1, s.step*s.cells
	return v
}

// give copies what the caller receives of the n rows from row at on.
func (s *strip) give(at, n int) {
	copy(s.cell, s.zero)
	s.cell[len(s.cell)-1] = s.least
	for k := range n {
		s.cell[s.Dim] = s.zero[s.Dim] + s.step*(at+k)
		from, end, received := s.least, s.most, s.fixed != nil && len(s.result.Data) > 0
		to, free := 0, 0 // the position in the result, and the dimension there
		for m, x := range s.fixed {
			switch fixed := s.arr.Slice[m] != nil; {
			case fixed && m == len(s.cell)-1:
				from, end = max(from, x), min(end, x)
			case fixed:
				received = received && s.cell[m] == x
			default:
				to += (s.cell[m] - x) * s.result.Stride[free]
				free++
			}
		}
		if size := s.arr.Size; received && from <= end {
			copy(s.result.Data[to*size:][:(end-from+1)*size], s.data[((s.Above+k)*s.cells+from-s.lo)*size:])
		}
	}
}

// begin prepares for rows with the columns lo..hi, from row at on.
func (s *strip) begin(at, lo, hi int) {
	last := len(s.zero) - 1
	x, by := s.zero[last], s.Subs[last].Iters[1]
	s.least, s.most = x+min(by*lo, by*hi), x+max(by*lo, by*hi)
	s.from, s.to = max(s.lo, s.least+s.Left), min(s.hi, s.most+s.Right)
	s.fill(0, at-s.Above, s.Above)
}

// hold prepares the strip for the computation of n rows from row at on, with the columns lo..hi. They follow the rows of the last call.
func (s *strip) hold(at, n, lo, hi int) {
	if s.before == 0 {
		s.begin(at, lo, hi)
	} else {
		size := s.arr.Size
		for k := range s.Above {
			from, to := ((k+s.before)*s.cells+s.from-s.lo)*size, (k*s.cells+s.from-s.lo)*size
			copy(s.data[to:][:(s.to-s.from+1)*size], s.data[from:])
		}
	}
	if s.Once {
		s.besides(at, n)
	} else {
		s.fill(s.Above, at, n)
	}
	s.before = n
}

// fill gives n rows from row at on their initial content. place is the position of row at in the strip.
func (s *strip) fill(place, at, n int) {
	for k := range n {
		i := s.zero[s.Dim] + s.step*(at+k)
		if i < s.top || i > s.end || s.arr.Initial != plan.Computed || s.from > s.to {
			continue
		}
		s.content(i, s.from, len(s.cell)-1, s.to-s.from+1, place+k, 1)
	}
}

// besides gives the cells beside the computed ones their initial content, in n rows from row at on.
func (s *strip) besides(at, n int) {
	if s.arr.Initial != plan.Computed {
		return
	}
	k := 0
	if slices.Contains(s.arr.InitIgnores, s.Dim) { // a place keeps its content: all rows have the same
		k, s.sides = s.sides, max(s.sides, n)
	}
	for x := s.from; x <= s.to && k < n; x++ {
		if x == s.least && s.least <= s.most {
			x = s.most // past the computed cells
			continue
		}
		s.beginColumn(x, at, k, n)
	}
}

// beginColumn gives the cells x of rows at+k..at+n-1 their initial content.
func (s *strip) beginColumn(x, at, k, n int) {
	for ; k < n && !s.has(at+k); k++ {
	}
	for ; k < n && !s.has(at+n-1); n-- {
	}
	if k < n {
		s.content(s.zero[s.Dim]+s.step*(at+k), x, s.Dim, n-k, s.Above+k, s.step*s.cells)
	}
}

// has reports whether the array has a row.
func (s *strip) has(row int) bool {
	i := s.zero[s.Dim] + s.step*row
	return i >= s.top && i <= s.end
}

// content gives n cells along dimension dim their initial content. The first one has index i along Dim and index x along the
// row, and lies in the row at position place of the strip.
func (s *strip) content(i, x, dim, n, place, stride int) {
	last := len(s.cell) - 1
	at := place*s.cells + x - s.lo
	if stride < 0 { // Init goes by ascending index: its first cell is the last one here
		i, at = i-(n-1), at-(n-1)*stride
	}
	copy(s.cell, s.zero)
	s.cell[s.Dim], s.cell[last] = i, x
	s.loops.Init(s.Array, s.cell, dim, n, s.data, at, stride)
}
