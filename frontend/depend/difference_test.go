package depend

import (
	"math/rand/v2"
	"testing"

	"loopc/ir/lattice"
)

// TestDifference takes many boxes from a box. Each cell that is left is in one part, and no other cell is; where the boxes are many, few
// of them have to be looked at for a part.
func TestDifference(t *testing.T) {
	const side, most = 12, 140
	box := func(lo, hi [2]int64) *lattice.System {
		s := lattice.New(2)
		for x := range 2 {
			row := make(lattice.Row, 3)
			row[x], row[2] = 1, -lo[x]
			s.Add(row)
			row = make(lattice.Row, 3)
			row[x], row[2] = -1, hi[x]
			s.Add(row)
		}
		return s
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range 60 {
		var others []*lattice.System
		left := [side][side]int{}
		for x := range side {
			for y := range side {
				left[x][y] = 1
			}
		}
		for range 1 + k*most/60 {
			var lo, hi [2]int64
			for x := range 2 {
				lo[x] = rng.Int64N(side)
				hi[x] = min(side-1, lo[x]+rng.Int64N(3))
			}
			others = append(others, box(lo, hi))
			for x := lo[0]; x <= hi[0]; x++ {
				for y := lo[1]; y <= hi[1]; y++ {
					left[x][y] = 0
				}
			}
		}
		difference(box([2]int64{}, [2]int64{side - 1, side - 1}), others, func(part *lattice.System) bool {
			for x := range int64(side) {
				for y := range int64(side) {
					if holds(part, x, y) {
						left[x][y]--
					}
				}
			}
			return true
		})
		if left != ([side][side]int{}) {
			t.Fatalf("%d boxes: too few parts have a cell (> 0), or too many (< 0): %v", len(others), left)
		}
	}
}

// holds reports whether a point is in a system of two columns.
func holds(s *lattice.System, x, y int64) bool {
	for _, r := range s.Rows() {
		if r[0]*x+r[1]*y+r[2] < 0 {
			return false
		}
	}
	return true
}
