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
		ends[d] = randomEnds(w.rng, a.role == "in" && w.chance(2))
		for side := range ends[d] {
			if !ends[d][side].Wraps() && w.chance(4) {
				ends[d][side] = boundary.None
			}
		}
	}
	if any && !a.flat {
		a.ends = ends
	}
}

// randomEnds returns kinds of boundary for a dimension: wrapping at both ends, or two kinds
// that do not wrap.
func randomEnds(rng *rand.Rand, wrap bool) (ends boundary.Ends) {
	kinds := slices.DeleteFunc(boundary.All(), func(k boundary.Kind) bool { return k.Wraps() != wrap })
	ends = boundary.Ends{one(rng, kinds...), one(rng, kinds...)}
	if wrap {
		ends[1] = ends[0]
	}
	return ends
}
