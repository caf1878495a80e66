package array

import (
	"sync"

	"loopc/runtime/simd"
)

// InOrder returns the view of the copy that Ordered makes, in memory of the size of the cells lo..hi.
func (v *View) InOrder(row int, lo, hi []int, memory []byte) View {
	out := View{Elem: v.Elem, Size: v.Size, Lo: lo, Hi: hi, Stride: make([]int, len(lo)), Data: memory}
	out.Stride[row] = 1
	n := max(0, hi[row]-lo[row]+1)
	for m := len(lo) - 1; m >= 0; m-- {
		if m != row {
			out.Stride[m] = n
			n *= max(0, hi[m]-lo[m]+1)
		}
	}
	return out
}

// Ordered returns a copy of the cells lo..hi of v, in which cells along dimension row are neighbors;
// the other dimensions keep their order. The view must hold the cells. The copy lies in memory, which
// must have the size of the cells. Up to workers goroutines make it if there are many cells.
func (v *View) Ordered(row int, lo, hi []int, memory []byte, workers int) View {
	out := v.InOrder(row, lo, hi, memory)
	n := out.Cells()
	if n == 0 {
		return out
	}
	// Each goroutine copies a part of the copy's outermost dimension; no other one writes that part.
	first := 0
	if row == 0 && len(lo) > 1 {
		first = 1
	}
	size := hi[first] - lo[first] + 1
	workers = max(1, min(workers, size, n/leastOrdered))
	var all sync.WaitGroup
	for w := range workers {
		from, to := append([]int(nil), lo...), append([]int(nil), hi...)
		from[first], to[first] = lo[first]+w*size/workers, lo[first]+(w+1)*size/workers-1
		if w == workers-1 {
			out.reorder(v, row, from, to)
			break
		}
		all.Go(func() { out.reorder(v, row, from, to) })
	}
	all.Wait()
	return out
}

// leastOrdered is the fewest cells for which a goroutine is worth its start.
const leastOrdered = 1 << 15

// reorder copies the cells lo..hi from the view from to v, plane by plane: a plane spans the dimension
// in which cells of the copy are neighbors, and the dimension in which cells of the source are.
func (v *View) reorder(from *View, row int, lo, hi []int) {
	last := len(lo) - 1
	cell := append([]int(nil), lo...)
	rows, columns := hi[last]-lo[last]+1, hi[row]-lo[row]+1
	if row == last {
		rows = 1
	}
	for {
		at, to := from.Offset(cell), v.Offset(cell)
		switch v.Size {
		case 1:
			transpose[uint8](v, to, v.Stride[last], from, at, from.Stride[row], rows, columns)
		case 2:
			transpose[uint16](v, to, v.Stride[last], from, at, from.Stride[row], rows, columns)
		case 4:
			interleave[int32](v, to, v.Stride[last], from, at, from.Stride[row], rows, columns)
		default:
			interleave[int64](v, to, v.Stride[last], from, at, from.Stride[row], rows, columns)
		}
		k := len(cell) - 1
		for ; k >= 0; k-- {
			if k == row || k == last {
				continue
			}
			if cell[k]++; cell[k] <= hi[k] {
				break
			}
			cell[k] = lo[k]
		}
		if k < 0 {
			return
		}
	}
}

// transposed is the side of the squares in which cells are copied. It is so small that the lines of
// source and copy stay in the first cache.
const transposed = 32

// transpose copies a plane of cells: cell c of row r goes from at + c·fromStep + r to to + r·toStep + c.
func transpose[T uint8 | uint16 | int32 | int64](into *View, to, toStep int, from *View, at, fromStep, rows, columns int) {
	dst, src := Cast[T](into.Data), Cast[T](from.Data)
	for r := 0; r < rows; r += transposed {
		high := min(transposed, rows-r)
		for c := 0; c < columns; c += transposed {
			wide := min(transposed, columns-c)
			square(dst[to+r*toStep+c:], toStep, src[at+c*fromStep+r:], fromStep, high, wide)
		}
	}
}

// interleave does what transpose does, with vectors that have a cell of several columns each. The last columns may be copied twice.
func interleave[T simd.Lane](into *View, to, toStep int, from *View, at, fromStep, rows, columns int) {
	var group [16]simd.Row[T]
	lanes := 0
	if simd.AVX512() {
		lanes = 64 / into.Size
	} else if simd.AVX2() {
		lanes = 32 / into.Size
	}
	if lanes == 0 || rows < lanes || columns < lanes {
		transpose[T](into, to, toStep, from, at, fromStep, rows, columns)
		return
	}
	dst, src := Cast[T](into.Data), Cast[T](from.Data)
	z := simd.NewInterleaver[T](lanes)
	for c := 0; c < columns; c += lanes {
		c = min(c, columns-lanes)
		for l := range lanes {
			group[l].Cells = src[at+(c+l)*fromStep:][:rows]
		}
		z.Interleave(dst, to+c, toStep, group[:lanes])
	}
}

// square transposes one square: four columns of the source at a time.
func square[T uint8 | uint16 | int32 | int64](dst []T, toStep int, src []T, fromStep, rows, columns int) {
	c := 0
	for ; c+4 <= columns; c += 4 {
		s0, s1 := src[c*fromStep:][:rows], src[(c+1)*fromStep:][:rows]
		s2, s3 := src[(c+2)*fromStep:][:rows], src[(c+3)*fromStep:][:rows]
		for r := range s0 {
			d := (*[4]T)(dst[r*toStep+c:])
			d[0], d[1], d[2], d[3] = s0[r], s1[r], s2[r], s3[r]
		}
	}
	for ; c < columns; c++ {
		for r, x := range src[c*fromStep:][:rows] {
			dst[r*toStep+c] = x
		}
	}
}
