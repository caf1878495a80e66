package walk

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/transform/plan"
)

// TestNeedBoxes requires that boxes of distances hold the given ones and no others, each once,
// and that all neighbors but one of the step before come to six boxes.
func TestNeedBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 3))
	merged := 0
	for range 2000 {
		var need [][]int
		given := map[string]bool{}
		for range rng.IntN(30) {
			d := []int{rng.IntN(2), rng.IntN(4) - 1, rng.IntN(3), rng.IntN(4)}
			need = append(need, d)
			given[fmt.Sprint(d)] = true
		}
		cells := 0
		for _, b := range needBoxes(need) {
			if b.lo[0] != b.hi[0] {
				t.Fatalf("%v: the box %v..%v has several distances along coordinate 0", need, b.lo, b.hi)
			}
			n := plan.BoxCells(b.lo, b.hi)
			cells += n
			merged += n - 1
			d := make([]int, 4)
			for at := range n {
				for x := 3; x >= 0; x-- {
					side := b.hi[x] - b.lo[x] + 1
					d[x] = b.lo[x] + at%side
					at /= side
				}
				if !given[fmt.Sprint(d)] {
					t.Fatalf("%v: the box %v..%v holds %v", need, b.lo, b.hi, d)
				}
			}
		}
		if cells != len(given) {
			t.Fatalf("%v: the boxes hold %d distances, want %d", need, cells, len(given))
		}
	}
	if merged < 1000 {
		t.Errorf("only %d distances share a box: nothing was tested", merged)
	}
	var all [][]int
	for at := range 27 {
		if at != 13 {
			all = append(all, []int{1, at / 9, at / 3 % 3, at % 3})
		}
	}
	if n := len(needBoxes(all)); n != 6 {
		t.Errorf("26 neighbors are %d boxes, want 6", n)
	}
}
