package cost

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
)

// TestLevelBoxes compares the iterations of tiles in random spaces, whose levels are boxes, with those of each level by itself. Some
// bounds are rounded, and some tiles have iterations in few of their levels.
func TestLevelBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 4))
	boxes, rounded, few, saved := 0, 0, 0, 0
	for range 30000 {
		const most = 40
		n := 2 + rng.IntN(3)
		s := &plan.Space{Depth: n}
		for range 1 + rng.IntN(4) {
			a := make([]int, n)
			a[0] = rng.IntN(7) - 3
			a[1+rng.IntN(n-1)] = []int{-2, -1, -1, 1, 1, 2}[rng.IntN(6)]
			in := zero(s.Ineq)
			in.A, in.C = a, rng.IntN(6*most)-2*most
			s.Ineq = append(s.Ineq, in)
		}
		c := &contents{p: &plan.Plan{Space: s}, linear: unrounded(s), lo: make([]int, n), hi: make([]int, n), faceLo: make([]int, n), faceHi: make([]int, n)}
		c.hi[0] = rng.IntN(most)
		for x := 1; x < n; x++ {
			c.hi[x] = rng.IntN(30)
		}
		var got, want content
		ok, filled := true, 0
		for level := c.lo[0]; level <= c.hi[0] && ok; level++ {
			lo, hi := slices.Clone(c.lo), slices.Clone(c.hi)
			lo[0], hi[0] = level, level
			if s.Shrink(lo, hi) {
				want.add(extentOf(lo, hi), 1)
				ok = s.BoxInside(lo, hi)
				filled++
			}
		}
		if is := c.boxes(&got); is != ok || ok && (got.points != want.points || got.rows != want.rows) {
			t.Fatalf("levels 0 to %d of %v: boxes %t, %d iterations in %d rows, want %t, %d in %d", c.hi[0], s.Ineq, is, got.points, got.rows, ok, want.points, want.rows)
		}
		switch {
		case !ok:
			continue
		case !c.linear:
			rounded++
		case 0 < filled && filled < c.hi[0]/8:
			few++
		}
		boxes++
		saved += max(0, c.hi[0]-c.counted/extentCost)
	}
	if boxes < 10000 || rounded < 1000 || few < 60 || saved < 5*boxes {
		t.Errorf("%d tiles of boxes, %d with bounds that are rounded, %d with iterations in few of their levels; %d levels were not examined; the test proves little", boxes, rounded, few, saved)
	}
}

// zero returns an element of this type.
func zero[E any]([]E) (e E) { return e }
