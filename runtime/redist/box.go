// Package redist redistributes arrays between ranks: from the distribution of the nest that
// wrote an array to the distribution of the nest that reads it next. Each nest has its own plan.
//
// A rank owns the cells that no other rank has written since it wrote them. It holds them in views with a bit for each cell that it owns
// (array.View.Written). A cell that any nest has written has exactly one owner.
//
// From the plans, every rank knows two kinds of boxes: the cells that each rank needs for a nest, and the cells that each rank may own, for
// each nest that wrote the array. If a box that one rank may own intersects a box that another needs, a transfer goes directly from owner
// to reader. If no such boxes intersect, as between nests with equal distributions, nothing is sent. Only the sender knows which cells of
// the box it owns, so each message lists its cells as runs.
//
// A rank's memory is bounded by its own views, the box that it needs, and the slots of its edges.
package redist

import (
	"slices"

	"loopc/runtime/array"
)

// A Box is the cells of an array between two corners, both inclusive. If the corners are nil, it has
// no cells. If the corners are empty lists, for an array without dimensions, it has one cell.
type Box struct{ Lo, Hi []int }

// Between returns the box between two corners, which are nil or empty for an array without dimensions.
func Between(lo, hi []int) Box {
	if len(lo) == 0 {
		return Box{[]int{}, []int{}}
	}
	return Box{lo, hi}
}

// Empty reports whether b holds no cells.
func (b Box) Empty() bool { return b.Lo == nil }

// Meet returns the intersection of both boxes.
func (b Box) Meet(o Box) Box {
	if b.Empty() || o.Empty() {
		return Box{}
	}
	out := Box{make([]int, len(b.Lo)), make([]int, len(b.Lo))}
	for k := range b.Lo {
		out.Lo[k], out.Hi[k] = max(b.Lo[k], o.Lo[k]), min(b.Hi[k], o.Hi[k])
		if out.Lo[k] > out.Hi[k] {
			return Box{}
		}
	}
	return out
}

// Hull returns the smallest box that contains both boxes.
func (b Box) Hull(o Box) Box {
	switch {
	case b.Empty():
		return o
	case o.Empty():
		return b
	}
	out := Box{make([]int, len(b.Lo)), make([]int, len(b.Lo))}
	for k := range b.Lo {
		out.Lo[k], out.Hi[k] = min(b.Lo[k], o.Lo[k]), max(b.Hi[k], o.Hi[k])
	}
	return out
}

// Cells is the number of cells of b.
func (b Box) Cells() int {
	if b.Empty() {
		return 0
	}
	n := 1
	for k := range b.Lo {
		n *= b.Hi[k] - b.Lo[k] + 1
	}
	return n
}

// Rows calls f for the first cell of each row of b, in C order. The slice is valid during the call only. Rows stops when f returns false.
func (b Box) Rows(f func(cell []int) bool) {
	if b.Empty() {
		return
	}
	cell := append([]int(nil), b.Lo...)
	for {
		if !f(cell) {
			return
		}
		k := len(cell) - 2
		for ; k >= 0; k-- {
			if cell[k]++; cell[k] <= b.Hi[k] {
				break
			}
			cell[k] = b.Lo[k]
		}
		if k < 0 {
			return
		}
	}
}

// common returns the number of cells and the number of rows in the intersection of both boxes. It does not allocate.
func (b Box) common(o Box) (cells, rows int) {
	if b.Empty() || o.Empty() {
		return 0, 0
	}
	cells, rows = 1, 1
	for k := range b.Lo {
		n := min(b.Hi[k], o.Hi[k]) - max(b.Lo[k], o.Lo[k]) + 1
		if n <= 0 {
			return 0, 0
		}
		cells *= n
		if k < len(b.Lo)-1 {
			rows *= n
		}
	}
	return cells, rows
}

// Row returns the first and the last index of the rows of b, along its last dimension. The one
// cell of a box without dimensions is a row from 0 to 0.
func (b Box) Row() (lo, hi int) {
	if last := len(b.Lo) - 1; last >= 0 {
		return b.Lo[last], b.Hi[last]
	}
	return 0, 0
}

// rowOf returns Row as a span.
func rowOf(b Box) span {
	lo, hi := b.Row()
	return span{lo, hi}
}

// A span is the indices lo..hi along a row.
type span struct{ lo, hi int }

func (s span) width() int { return s.hi - s.lo + 1 }

// Of returns the box that a view holds, whether its cells are in memory or not. The zero View holds none.
func Of(v *array.View) Box {
	if v.Size == 0 {
		return Box{}
	}
	for k := range v.Lo {
		if v.Lo[k] > v.Hi[k] {
			return Box{}
		}
	}
	return Between(v.Lo, v.Hi)
}

// Boxes returns a subset of b as boxes. The function spans defines the subset: for the row through cell, it appends the spans of the subset
// to list, in ascending order. Equal spans of adjacent rows are merged.
func (b Box) Boxes(spans func(list [][2]int, cell []int) [][2]int) []Box {
	var out []Box
	var open []int // boxes of out that end at the previous row
	var list [][2]int
	var before []int
	b.Rows(func(cell []int) bool {
		last := len(cell) - 1
		list = spans(list[:0], cell)
		adjacent := len(before) > 0 && last > 0 && cell[last-1] == before[last-1]+1
		for k := 0; adjacent && k < last-1; k++ {
			adjacent = cell[k] == before[k]
		}
		before = append(before[:0], cell...)
		same := adjacent && len(open) == len(list)
		for i := 0; same && i < len(list); i++ {
			same = out[open[i]].Lo[last] == list[i][0] && out[open[i]].Hi[last] == list[i][1]
		}
		if same {
			for _, i := range open {
				out[i].Hi[last-1]++
			}
			return true
		}
		open = open[:0]
		for _, s := range list {
			lo, hi := append([]int{}, cell...), append([]int{}, cell...)
			if last >= 0 {
				lo[last], hi[last] = s[0], s[1]
			}
			open = append(open, len(out))
			out = append(out, Box{lo, hi})
		}
		return true
	})
	return out
}

// Marked returns boxes with exactly the marked cells of v, or all cells if v does not track writes.
func Marked(v *array.View) []Box {
	all := Of(v)
	if v.Written == nil && !all.Empty() {
		return []Box{all}
	}
	return all.Boxes(func(list [][2]int, cell []int) [][2]int {
		row := rowOf(all)
		_ = runs(v, cell, row.width(), func(from, n int) error { // never fails
			list = append(list, [2]int{row.lo + from, row.lo + from + n - 1})
			return nil
		})
		return list
	})
}

// runs calls f for every maximal run of marked cells (all cells if v does not track writes) among
// the width cells that begin at cell. f gets the run's distance from cell and its length.
func runs(v *array.View, cell []int, width int, f func(from, n int) error) error {
	if v.Written == nil {
		return f(0, width)
	}
	at := v.Offset(cell)
	return v.WrittenRuns(at, at+width, func(begin, end int) error { return f(begin-at, end-begin) })
}

// Merge returns one view with the marked cells of the given views, which have no marked cell in common. If the box around the views has
// four times as many cells as are marked, or more, it returns the views as they are.
func Merge(views []*array.View) []*array.View {
	var box Box
	marked := 0
	for k, v := range views {
		held := Of(v)
		if v.Written == nil || held.Empty() {
			return views
		}
		marked += v.Marked()
		if k == 0 {
			box = Box{slices.Clone(held.Lo), slices.Clone(held.Hi)}
		}
		for m := range held.Lo {
			box.Lo[m], box.Hi[m] = min(box.Lo[m], held.Lo[m]), max(box.Hi[m], held.Hi[m])
		}
	}
	if len(views) < 2 || marked <= box.Cells()/4 {
		return views
	}
	all, err := array.Make(views[0].Elem, box.Lo, box.Hi)
	if err != nil {
		return views
	}
	all.TrackWritten()
	for _, v := range views {
		_ = Owned(v, box, func(cell []int, n int) error { // never fails
			at := all.Offset(cell)
			array.Copy(all.Data, at, 1, v.Data, v.Offset(cell), 1, n, v.Size)
			all.MarkWritten(at, n, 1)
			return nil
		})
	}
	return []*array.View{&all}
}

// Compact returns views with the marked cells of v, which take less memory than v if other ranks own
// most of v's cells; no views if no cell is marked.
func Compact(v *array.View) []*array.View {
	marked := v.Marked()
	switch {
	case marked == 0:
		return nil
	case marked > v.Cells()/4:
		return []*array.View{v}
	}
	boxes := Marked(v)
	if len(boxes) > marked/4+64 {
		return []*array.View{v} // for example if marked cells form a chessboard
	}
	var out []*array.View
	for _, b := range boxes {
		part, err := array.Make(v.Elem, b.Lo, b.Hi)
		if err != nil {
			panic("BUG: redist: " + err.Error())
		}
		CopyOwned(&part, v)
		part.TrackWritten()
		part.MarkWritten(0, part.Cells(), 1)
		out = append(out, &part)
	}
	return out
}

// offset is the position of a cell in b, in C order.
func (b Box) offset(cell []int) int {
	at := 0
	for k, x := range cell {
		at = at*(b.Hi[k]-b.Lo[k]+1) + x - b.Lo[k]
	}
	return at
}

// Owned calls f for every maximal run, within a row of v, of marked cells in want (all cells in want if v does not track writes). f gets
// the run's first cell, a slice valid during the call only, and the length of the run.
func Owned(v *array.View, want Box, f func(cell []int, n int) error) error {
	both := Of(v).Meet(want)
	if both.Empty() {
		return nil
	}
	last, width := len(both.Lo)-1, rowOf(both).width()
	var failed error
	run := make([]int, len(both.Lo))
	both.Rows(func(cell []int) bool {
		copy(run, cell)
		failed = runs(v, cell, width, func(from, n int) error {
			if last >= 0 {
				run[last] = cell[last] + from
			}
			return f(run, n)
		})
		return failed == nil
	})
	return failed
}

// CopyOwned copies into dst the marked cells of v (all cells if v does not track writes) that both views hold.
func CopyOwned(dst, v *array.View) {
	_ = Owned(v, Of(dst), func(cell []int, n int) error { // never fails
		array.Copy(dst.Data, dst.Offset(cell), 1, v.Data, v.Offset(cell), 1, n, v.Size)
		return nil
	})
}
