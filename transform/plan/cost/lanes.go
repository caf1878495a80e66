package cost

import "loopc/transform/plan"

// A lanes is how a kernel computes: of the iterations along one coordinate, all
// together as long as there are so many, of the rest vector together; with lanes
// to spare if that does not come out even. Few are by themselves: across rows a
// single one beside those that fill a vector, or fewer than half a vector; across
// levels fewer than a quarter of a vector.
type lanes struct{ across, all, vector int }

func (k *Kernel) lanesOf() lanes { return lanes{k.Across, k.Rows, max(1, k.Lanes)} }

// A laneCount is what some iterations along the lanes, at one place along the
// other coordinates, come to.
type laneCount struct {
	runs   int // vectors, and iterations by themselves
	rest   int // lanes of vectors that are not all
	masked int // lanes of a vector that has too few, with none before to fill it
	scalar int // iterations by themselves
}

// count returns what n neighboring iterations come to.
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
	c.rest = vectors * l.vector
	if c.rest > n {
		c.masked = l.vector
	}
	c.scalar = few
	return c
}

// of is the coordinate of a level along which the lanes of a nest of depth n are, -1
// for none: nests may have too few.
func (l lanes) of(n int) int {
	switch {
	case l.all == 0, l.across == plan.AcrossLevels:
		return -1 // nothing, or what a slabCounter counts
	case l.across == plan.AlongRow:
		return n - 1
	}
	if n < 3 {
		return -1 // a level is a row
	}
	return n - 2
}

// A laneWork is what the iterations of a tile come to for a kernel with lanes:
// estimates where levels are sampled.
type laneWork struct {
	runs   float64 // rows of vectors, and rows by themselves
	lone   float64 // iterations of vectors that are not all that go together, idle lanes included
	masked float64 // iterations of vectors with too few lanes, idle lanes included
	scalar float64 // iterations by themselves
	idle   float64 // lanes that take no part in a step, of all steps, where lanes are levels
}

// box adds the work of the box of a level, that many times.
func (w *laneWork) box(l lanes, lo, hi []int, times float64) {
	n := len(lo)
	x := l.of(n)
	if x < 0 {
		return
	}
	others := times // iterations at one place along the lanes, by rows and by places
	for k := 1; k < n; k++ {
		if k != x {
			others *= float64(hi[k] - lo[k] + 1)
		}
	}
	many := hi[x] - lo[x] + 1
	c := l.count(many)
	w.lone += others * float64(c.rest)
	w.masked += others * float64(c.masked)
	w.scalar += others * float64(c.scalar)
	if x == n-1 {
		w.runs += others
		return
	}
	w.runs += others / float64(hi[n-1]-lo[n-1]+1) * float64(c.runs)
}
