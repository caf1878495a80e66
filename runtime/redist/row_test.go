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
