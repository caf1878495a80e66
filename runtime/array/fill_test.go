package array

import (
	"slices"
	"testing"
)

func TestFill(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 1000, 5000} {
		cells := make([]int16, n+1)
		if Fill(cells[:n], 7); !slices.Equal(cells, append(slices.Repeat([]int16{7}, n), 0)) {
			t.Errorf("%d cells are %v", n, cells)
		}
	}
}

// TestAlike: sections end where the sign of a distance changes, which the cells of a row count down.
func TestAlike(t *testing.T) {
	sign := func(x int64) int { return min(1, max(int(x), -1)) }
	for ahead := int64(-3); ahead <= 12; ahead++ {
		for n := range 10 {
			want := 0
			for want < n && sign(ahead-int64(want)) == sign(ahead) {
				want++
			}
			if got := Alike(n, ahead); got != want {
				t.Errorf("%d cells, %d ahead: %d are alike, not %d", n, ahead, got, want)
			}
		}
	}
}
