// Package redist moves the content of arrays between ranks from one distribution
// to another: from the nest that computed it to the nest that reads it next, each
// of which has a plan of its own.
//
// A rank owns the cells that it wrote last. It holds them in views, a bit set for
// each cell that it owns (array.View.Written); of a cell that any nest has written
// there is exactly one owner. Which cells a rank needs for a nest is a box, that
// the nest's plan tells to everybody. So is a box that holds what a rank may own,
// of each nest that wrote the array. Where a box of the one kind meets a box of
// the other, a transfer goes straight from owner to reader; where none meet, as
// between two nests that are distributed alike, nothing does. What a transfer
// holds is known to its sender alone, and said in it, run by run of cells.
//
// Memory is bounded by the rank's own views, the box that it needs, and the slots
// of the edges.
package redist

import "loopc/runtime/array"

// A Box is the cells of an array between two corners, both inclusive. Without
// corners it holds none.
type Box struct{ Lo, Hi []int }

// Empty reports whether b holds no cells.
func (b Box) Empty() bool { return b.Lo == nil }

// Meet returns the cells of both boxes.
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

// Rows calls f for the first cell of each row of b, in C order. The cell is valid
// during the call. It ends when f returns false.
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

// rows is the number of rows of b.
func (b Box) rows() int {
	if b.Empty() {
		return 0
	}
	last := len(b.Lo) - 1
	return b.Cells() / (b.Hi[last] - b.Lo[last] + 1)
}

// Of returns the box that a view holds.
func Of(v *array.View) Box {
	for k := range v.Lo {
		if v.Lo[k] > v.Hi[k] {
			return Box{}
		}
	}
	return Box{v.Lo, v.Hi}
}

// Boxes returns the cells of b that are left, as few boxes as rows below one
// another make: spans appends to its list the spans along the last dimension, in
// ascending order, of the cells that are left in the row through cell.
func (b Box) Boxes(spans func(list [][2]int, cell []int) [][2]int) []Box {
	var out []Box
	var open []int // boxes of out that end with the row before
	var list [][2]int
	var before []int
	b.Rows(func(cell []int) bool {
		last := len(cell) - 1
		list = spans(list[:0], cell)
		next := len(before) > 0 && last > 0 && cell[last-1] == before[last-1]+1
		for k := 0; next && k < last-1; k++ {
			next = cell[k] == before[k]
		}
		before = append(before[:0], cell...)
		same := next && len(open) == len(list)
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
			lo, hi := append([]int(nil), cell...), append([]int(nil), cell...)
			lo[last], hi[last] = s[0], s[1]
			open = append(open, len(out))
			out = append(out, Box{lo, hi})
		}
		return true
	})
	return out
}

// Compact returns views that own what v owns, in less memory if most of v is owned
// by others; none if v owns nothing.
func Compact(v *array.View) []*array.View {
	marked := v.Marked()
	switch {
	case marked == 0:
		return nil
	case marked > v.Cells()/4:
		return []*array.View{v}
	}
	last := len(v.Lo) - 1
	boxes := Of(v).Boxes(func(list [][2]int, cell []int) [][2]int {
		at := v.Offset(cell)
		_ = v.WrittenRunsIn(at, at+v.Hi[last]-v.Lo[last]+1, func(begin, end int) error { // which never fails
			list = append(list, [2]int{v.Lo[last] + begin - at, v.Lo[last] + end - 1 - at})
			return nil
		})
		return list
	})
	if len(boxes) > marked/4+64 {
		return []*array.View{v} // a chessboard, say
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

// offset is the place of a cell among those of b in C order.
func (b Box) offset(cell []int) int {
	at := 0
	for k, x := range cell {
		at = at*(b.Hi[k]-b.Lo[k]+1) + x - b.Lo[k]
	}
	return at
}

// Owned calls f for every longest run of cells of want in a row of v that are
// marked, all if v does not track that: the first of them, and how many they are.
// The cell is valid during the call.
func Owned(v *array.View, want Box, f func(cell []int, n int) error) error {
	both := Of(v).Meet(want)
	if both.Empty() {
		return nil
	}
	last := len(both.Lo) - 1
	width := both.Hi[last] - both.Lo[last] + 1
	var failed error
	run := make([]int, last+1)
	both.Rows(func(cell []int) bool {
		at := v.Offset(cell)
		copy(run, cell)
		if v.Written == nil {
			failed = f(run, width)
			return failed == nil
		}
		failed = v.WrittenRunsIn(at, at+width, func(begin, end int) error {
			run[last] = cell[last] + begin - at
			return f(run, end-begin)
		})
		return failed == nil
	})
	return failed
}

// CopyOwned copies the marked cells of v that lie in to, all if v does not track
// them.
func CopyOwned(to, v *array.View) {
	_ = Owned(v, Of(to), func(cell []int, n int) error { // which never fails
		array.Copy(to.Data, to.Offset(cell), 1, v.Data, v.Offset(cell), 1, n, v.Size)
		return nil
	})
}
