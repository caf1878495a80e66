package redist

import "testing"

// TestRow has boxes of every number of dimensions, none included, whose one cell is a row.
func TestRow(t *testing.T) {
	for _, c := range []struct {
		b      Box
		lo, hi int
	}{
		{Box{[]int{}, []int{}}, 0, 0},
		{Box{[]int{3}, []int{7}}, 3, 7},
		{Box{[]int{3, -2}, []int{7, 4}}, -2, 4},
	} {
		lo, hi := c.b.Row()
		if lo != c.lo || hi != c.hi {
			t.Errorf("the rows of %v are %d..%d, want %d..%d", c.b, lo, hi, c.lo, c.hi)
		}
		rows, width := 0, hi-lo+1
		c.b.Rows(func([]int) bool { rows++; return true })
		if rows*width != c.b.Cells() {
			t.Errorf("%v has %d rows of %d cells, and %d cells", c.b, rows, width, c.b.Cells())
		}
	}
}

// TestCommon counts the cells and rows that boxes have in common, in the box that Meet returns.
func TestCommon(t *testing.T) {
	boxes := []Box{
		{}, {[]int{}, []int{}},
		{[]int{3}, []int{7}}, {[]int{5}, []int{9}}, {[]int{8}, []int{9}},
		{[]int{0, 0, 0}, []int{3, 4, 5}}, {[]int{1, 2, 3}, []int{9, 9, 9}}, {[]int{2, 0, 5}, []int{2, 9, 5}}, {[]int{4, 0, 0}, []int{9, 9, 9}},
	}
	for _, a := range boxes {
		for _, b := range boxes {
			if len(a.Lo) != len(b.Lo) && !a.Empty() && !b.Empty() {
				continue
			}
			both := a.Meet(b)
			wantCells, wantRows := both.Cells(), 0
			both.Rows(func([]int) bool { wantRows++; return true })
			if cells, rows := a.common(b); cells != wantCells || rows != wantRows {
				t.Errorf("%v and %v have %d cells in %d rows, want %d in %d", a, b, cells, rows, wantCells, wantRows)
			}
		}
	}
}
