package irtest

import (
	"math/rand/v2"
	"slices"

	"loopc/runtime/boundary"
)

// boundary sometimes gives array a boundaries. An array that is written gets them only
// along loops that run over the whole dimension.
func (w *nestWriter) boundary(a *randomArray) {
	if !w.chance(4) {
		return
	}
	any := false
	ends := make([]boundary.Ends, len(a.loops))
	for d, l := range a.loops {
		if !w.nest[l].box || w.chance(3) {
			continue
		}
		any = true
		ends[d] = randomEnds(w.rng, a.role == "in", true)
	}
	if any && !a.flat {
		a.ends = ends
	}
}

// randomEnds returns the two kinds of boundary of a dimension. A given array sometimes has one kind
// that wraps, at both ends. Otherwise neither kind wraps, and if open is set, one in four is None.
// The number of draws from rng does not depend on the number of kinds, so that a new kind does not
// change other parts of random nests.
func randomEnds(rng *rand.Rand, given, open bool) (ends boundary.Ends) {
	draws := [...]uint64{rng.Uint64(), rng.Uint64()}
	wrap := given && rng.IntN(2) == 0
	kinds := slices.DeleteFunc(boundary.All(), func(k boundary.Kind) bool { return k.Wraps() != wrap })
	for side, x := range draws {
		if wrap {
			x = draws[0]
		}
		if wrap || !open || x%4 != 0 {
			ends[side] = kinds[x/4%uint64(len(kinds))]
		}
	}
	return ends
}
