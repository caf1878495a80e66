package kernel

import (
	"fmt"
	"math"
	"slices"

	"loopc/transform/plan"
)

// movedInto returns the bytes that an iteration moves into a cache of the given size, if rows are computed one by one. They are
// computed in the order of the coordinates. Iterations with the same value of some coordinate use so few cells that the cache still has
// them for the next value, but all values use more than it holds. Then each cell moves once while this coordinate goes through
// its values. If the cache holds all cells, none moves. Arrays of up to held bytes do not count.
func movedInto(p *plan.Plan, cache float64, held int) (each float64) {
	n, sides, slopes, visits := p.Nest, levelSides(p), Slopes(p.Nest), slices.Clone(p.Nest.Reads)
	for v := range n.Values {
		visits = append(visits, plan.Access{Array: n.Values[v].Array, Subs: n.Values[v].Cell})
	}
	for from := range sides {
		used, counted := 0.0, map[string]bool{} // while the coordinates before from stand still
		for _, visit := range visits {
			arr, key, cells := &n.Arrays[visit.Array], fmt.Sprint(visit.Array), 1.0
			for _, sub := range visit.Subs {
				reach := 1.0
				for x, c := range onLevels(sub.Iters, slopes) {
					if x >= from {
						reach += math.Abs(float64(c)) * float64(sides[x]-1)
					}
				}
				cells, key = cells*reach, key+fmt.Sprint(trimmed(sub.Iters))
			}
			if !counted[key] { // visits at constant distances are of the same cells
				counted[key] = true
				used += min(cells, cellsOf(p, arr), float64(plan.Product(sides[from:]))) * movedSize(p, arr, held)
			}
		}
		if used <= cache {
			return each
		}
		each = used / float64(plan.Product(sides[from:]))
	}
	return each
}

// movedSize is the number of bytes that move with a cell of an array that is larger than held bytes; 0 for other arrays.
func movedSize(p *plan.Plan, arr *plan.Array, held int) (bytes float64) {
	if size := float64(arr.Size); arr.Role != plan.Internal && cellsOf(p, arr)*size > float64(held) {
		bytes = size
	}
	if arr.Role != plan.In {
		bytes *= 2 // read and written
	}
	return bytes
}

// onLevels returns the coefficients of a form in coordinates without slopes: no level is shifted against the one before.
func onLevels(iters, slopes []int) []int {
	out := slices.Clone(iters)
	for x := 1; x < len(out); x++ {
		out[0] += out[x] * slopes[x]
	}
	return out
}
