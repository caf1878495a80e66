package kernel

import (
	"fmt"
	"math"

	"loopc/transform/plan"
)

// How often the loops of a nest, run on entire arrays, bring the same cell into a cache.

// A visit is how the iterations of a nest go through the cells of an array.
type visit struct {
	size   float64   // bytes that move with a cell
	extent []float64 // cells along each dimension
	by     [][]int   // per dimension and loop: the distance from the cell of an iteration to that of the loop's next one
}

// within returns the bytes of the cells that the loops from number k on visit, while the others stand still; trips are the
// numbers of iterations of the loops.
func (v *visit) within(trips []float64, k int) float64 {
	bytes := v.size
	for m, by := range v.by {
		cells := 1.0
		for x := k; x < len(trips); x++ {
			cells += math.Abs(float64(by[x])) * (trips[x] - 1)
		}
		bytes *= min(cells, v.extent[m])
	}
	return bytes
}

// A reuse is what is known of the loops of a nest in a certain order.
type reuse struct {
	trips  []float64 // iterations, by loop
	visits []visit   // of the arrays that a core's cache does not hold besides others
}

// moved returns the bytes that an iteration moves into or out of a cache of the given size: an iteration of some loop uses few
// enough that the cache still has them in the next one, but the loop as a whole uses more. Cells are then the same for all
// iterations of that loop, or each moves once in every execution of it. If the cache holds all, nothing moves.
func (r *reuse) moved(size float64) float64 {
	fits := 0 // the outermost loop whose iterations, with all loops inside, the cache holds
	for ; fits < len(r.trips) && r.bytes(fits) > size; fits++ {
	}
	if fits == 0 {
		return 0
	}
	each := r.bytes(fits - 1)
	for _, n := range r.trips[fits-1:] {
		each /= n
	}
	return each
}

// bytes is the sum of visit.within over all visits.
func (r *reuse) bytes(k int) (all float64) {
	for i := range r.visits {
		all += r.visits[i].within(r.trips, k)
	}
	return all
}

// newReuse returns the reuse of loops by which the coordinates of p grow as given: [x][k] is the growth of coordinate x with
// loop k. ok is false if some loop has no bounds, or some cells are not known.
func newReuse(p *plan.Plan, growth [][]int) (r reuse, ok bool) {
	if r.trips, ok = tripsOf(p, growth); !ok || !p.Nest.Listed {
		return r, false
	}
	seen := map[string]bool{}
	add := func(a int, subs []plan.Affine) {
		arr := &p.Nest.Arrays[a]
		if arr.Role == plan.Internal || cellsOf(p, arr)*float64(arr.Size) <= heldBytes {
			return
		}
		v := visit{size: float64(arr.Size)}
		if arr.Role != plan.In {
			v.size *= 2
		}
		_, extent, _ := arr.Extent(p.Params) // impossible arrays were refused before
		for m, sub := range subs {
			v.extent = append(v.extent, float64(extent[m]))
			v.by = append(v.by, inLoops(sub, growth))
		}
		if key := fmt.Sprint(a, v.by); !seen[key] { // neighbors are the same cells
			seen[key] = true
			r.visits = append(r.visits, v)
		}
	}
	for v := range p.Nest.Values {
		add(p.Nest.Values[v].Array, p.Nest.Values[v].Cell)
	}
	for i := range p.Nest.Reads {
		if read := &p.Nest.Reads[i]; read.Whole {
			return r, false
		} else {
			add(read.Array, read.Subs)
		}
	}
	return r, true
}

// inLoops returns the coefficients of the loops in a form over coordinates that grow as given.
func inLoops(f plan.Affine, growth [][]int) []int {
	at := make([]int, len(growth))
	for x, c := range f.Iters {
		for k, g := range growth[x] {
			at[k] += c * g
		}
	}
	return at
}

// tripsOf returns the number of iterations of each loop, from its least to its greatest value in the space of p, whose
// coordinates grow with the loops as given.
func tripsOf(p *plan.Plan, growth [][]int) (trips []float64, ok bool) {
	const far = 1 << 40
	n := len(growth)
	lo, hi := make([]int, n), make([]int, n)
	for k := range n {
		lo[k], hi[k] = -far, far
	}
	for range n { // bounds of a loop may depend on other loops
		for _, f := range p.Nest.Space {
			at := inLoops(f, growth)
			most := (plan.Affine{Const: f.Const, Params: f.Params}).Eval(p.Params, nil)
			for k, c := range at {
				most += max(c*lo[k], c*hi[k])
			}
			for k, c := range at { // c·loop ≥ -(what the rest is at most)
				rest := most - max(c*lo[k], c*hi[k])
				switch {
				case c > 0:
					lo[k] = max(lo[k], -plan.FloorDiv(rest, c))
				case c < 0:
					hi[k] = min(hi[k], plan.FloorDiv(rest, -c))
				}
			}
		}
	}
	for k := range n {
		if lo[k] <= -far/2 || hi[k] >= far/2 {
			return nil, false
		}
		trips = append(trips, float64(max(1, hi[k]-lo[k]+1)))
	}
	return trips, true
}

// levelGrowth is the growth of coordinates by which vector kernels compute rows: levels, and the coordinates of each without the
// shift between levels.
func levelGrowth(n *plan.Nest) (all [][]int) {
	for x, c := range Slopes(n) {
		row := make([]int, len(n.Dims))
		row[0], row[x] = c, 1
		all = append(all, row)
	}
	return all
}
