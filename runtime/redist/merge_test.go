package redist

import (
	"testing"

	"loopc/runtime/array"
)

// TestMerge merges the rows of a triangle, one of which lacks a cell. Rows far apart must stay
// separate views.
func TestMerge(t *testing.T) {
	row := func(i, first, last int) *array.View {
		v, err := array.Make("int64", []int{i, first}, []int{i, last})
		if err != nil {
			t.Fatal(err)
		}
		v.TrackWritten()
		v.MarkWritten(0, v.Cells(), 1)
		for j := first; j <= last; j++ {
			array.Cast[int64](v.Data)[v.Offset([]int{i, j})] = int64(100*i + j)
		}
		return &v
	}
	const n = 9
	var rows []*array.View
	for i := n; i >= 1; i-- {
		rows = append(rows, row(i, i, n))
	}
	rows[3].Unmark(2, 1) // cell (6, 8)
	all := Merge(rows)
	if len(all) != 1 || all[0].Marked() != n*(n+1)/2-1 {
		t.Fatalf("%d views, the first one with %d marked cells", len(all), all[0].Marked())
	}
	seen := 0
	err := Owned(all[0], Of(all[0]), func(cell []int, count int) error {
		for k := range count {
			i, j := cell[0], cell[1]+k
			if got := array.Cast[int64](all[0].Data)[all[0].Offset([]int{i, j})]; j < i || i == 6 && j == 8 || got != int64(100*i+j) {
				t.Errorf("cell (%d, %d) has %d", i, j, got)
			}
			seen++
		}
		return nil
	})
	if err != nil || seen != n*(n+1)/2-1 {
		t.Errorf("%d cells, %v", seen, err)
	}
	if far := []*array.View{row(1, 1, 3), row(90, 1, 3)}; len(Merge(far)) != 2 {
		t.Error("rows far apart are merged")
	}
}
