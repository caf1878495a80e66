package cost

import "loopc/transform/plan"

// A lanes says how a kernel takes the iterations along one coordinate, which across names. It first takes groups; the field all is the
// number of iterations of a group. It then takes vectors, the last one with idle lanes if the rest does not fill it. Some iterations are
// computed by themselves (scalar): across rows, a single one that remains, or fewer than half a vector; across levels, fewer than a quarter
// of a vector.
type lanes struct{ across, all, vector int }

func (k *Kernel) lanesOf() lanes { return lanes{k.Across, k.Rows, max(1, k.Lanes)} }

// A laneCount is how a kernel takes the iterations along the lanes at one place along the other coordinates.
type laneCount struct {
	runs      int // vectors, and iterations by themselves
	ungrouped int // lanes of vectors outside the groups
	masked    int // lanes of the last vector, if idle lanes remain in it
	scalar    int // iterations by themselves
}

// count returns the laneCount of n neighboring iterations.
func (l lanes) count(n int) (c laneCount) {
	if l.all == 0 || n <= 0 {
		return c
	}
	left, few := n%l.all, n%l.vector
	if few > 1 && (n >= l.vector || 2*few >= l.vector && few > 2) {
		few = 0
	}
	left -= few
	vectors := plan.CeilDiv(left, l.vector)
	c.runs = n/l.all*(l.all/l.vector) + vectors + few
	c.ungrouped = vectors * l.vector
	if c.ungrouped > n {
		c.masked = l.vector
	}
	c.scalar = few
	return c
}

// of returns the coordinate of a level along which the lanes of a nest of depth n lie; -1 if the nest has too few dimensions.
func (l lanes) of(n int) int {
	switch {
	case l.all == 0, l.across == plan.AcrossLevels:
		return -1 // none, or counted by a slabCounter
	case l.across == plan.AlongRow:
		return n - 1
	}
	if n < 3 {
		return -1 // a level is a row
	}
	return n - 2
}

// A laneWork is how a kernel with lanes takes the iterations of a tile: estimates if levels are sampled.
type laneWork struct {
	runs   float64 // rows of vectors, and rows by themselves
	lone   float64 // lanes, idle ones included, of vectors that are computed alone: outside the groups of Kernel.Rows iterations, or, if lanes are levels, without another stream
	masked float64 // lanes, idle ones included, of vectors that are computed with a mask
	scalar float64 // iterations by themselves
	idle   float64 // if lanes are levels: idle lanes of all steps
}

// box adds the work of the box of a level, multiplied by times.
func (w *laneWork) box(l lanes, lo, hi []int, times float64) {
	n := len(lo)
	x := l.of(n)
	if x < 0 {
		return
	}
	others := times // iterations at one place along the lanes, multiplied by times
	for k := 1; k < n; k++ {
		if k != x {
			others *= float64(hi[k] - lo[k] + 1)
		}
	}
	many := hi[x] - lo[x] + 1
	c := l.count(many)
	w.lone += others * float64(c.ungrouped)
	w.masked += others * float64(c.masked)
	w.scalar += others * float64(c.scalar)
	if x == n-1 {
		w.runs += others
		return
	}
	w.runs += others / float64(hi[n-1]-lo[n-1]+1) * float64(c.runs)
}
