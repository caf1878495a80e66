package kernel

import (
	"cmp"
	"math"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// What runs of loops as they are written store and move, in cells and bytes.

// valueBytes is the size of the results of an iteration.
func valueBytes(n *plan.Nest) (size int) {
	for v := range n.Values {
		size += n.Arrays[n.Values[v].Array].Size
	}
	return size
}

// rotatingBytes is the number of bytes of one level of all values.
func rotatingBytes(p *plan.Plan) int {
	return int(plan.BytesOf(append([]int{valueBytes(p.Nest)}, levelSides(p)[1:]...)...))
}

// rotatingTraffic returns the bytes of the levels that rotating arrays store, and the bytes that one iteration loads and
// stores there; 0 and 0 if no array rotates.
func rotatingTraffic(p *plan.Plan) (total, each float64) {
	r := NewRotating(p.Nest)
	if r == nil {
		return 0, 0
	}
	return float64(r.Stored * rotatingBytes(p)), float64(2 * valueBytes(p.Nest))
}

// edgeSeconds predicts what it takes to copy the cells of a level that boundaries give: see Rotating.Below.
func (r *Rotating) edgeSeconds(p *plan.Plan) (seconds float64) {
	sides := levelSides(p)
	for v := range p.Nest.Values {
		for m, wide := range r.Below {
			if x := len(iters(p.Nest, v, m)) - 1; x > 0 && p.Nest.Arrays[p.Nest.Values[v].Array].Boundary != nil {
				seconds += float64(wide+r.Above[m]) * float64(plan.BytesOf(sides[1:]...)) / float64(sides[x]) * edgeCell
			}
		}
	}
	return seconds
}

// freshArrays is the number of bytes that the loops touch for the first time. vector says that a vector kernel computes the rows.
func freshArrays(p *plan.Plan, vector bool) (bytes float64) {
	if vector {
		bytes, _ = rotatingTraffic(p)
	}
	for a := range p.Nest.Arrays {
		if arr := &p.Nest.Arrays[a]; arr.Returned() && arr.Role != plan.InOut {
			_, extent := arr.SliceExtent(p.Params)
			bytes += float64(plan.BytesOf(append([]int{arr.Size}, extent...)...))
		}
	}
	return bytes
}

// levelSides returns the number of levels, and along each further coordinate the number of iterations of a level. The plan's
// bounds enclose all levels, each of which is shifted by its slope against the level before.
func levelSides(p *plan.Plan) (all []int) {
	for x, c := range Slopes(p.Nest) {
		all = append(all, max(1, p.Hi[x]-p.Lo[x]+1-max(c, -c)*(p.Hi[0]-p.Lo[0])))
	}
	return all
}

// cellsOf returns the number of cells of an array; it is infinite if the array cannot be.
func cellsOf(p *plan.Plan, arr *plan.Array) float64 {
	_, extent, err := arr.Extent(p.Params)
	if err != nil {
		return math.Inf(1)
	}
	return float64(plan.BytesOf(append([]int{1}, extent...)...))
}

// orderedCells is the number of cells that a run copies because their array has another order than rows (RowDim).
func orderedCells(p *plan.Plan) (all float64) {
	for a := range p.Nest.Arrays {
		if arr := &p.Nest.Arrays[a]; arr.RowDim != 0 {
			all += cellsOf(p, arr)
		}
	}
	return all
}

// beyondCaches predicts the seconds of an iteration for loads from beyond the caches of machine m. each returns the bytes that an
// iteration moves into a cache of a given size, and total are those of the arrays.
func beyondCaches(total float64, each func(cache float64) float64, m *cost.Machine) (seconds float64) {
	if total > nearBytes {
		seconds = each(nearBytes) * nearByte
	}
	if total > farBytes {
		seconds = max(seconds, each(farBytes)/cmp.Or(m.Stream, cost.DefaultMachine().Stream))
	}
	return seconds
}

// contentSeconds predicts the seconds to fill cells that no iteration writes. Those of the arrays reached are few. vector says that
// a vector kernel computes in entire arrays: see Sections.
func contentSeconds(p *plan.Plan, points float64, l AsLoops, vector bool) (all float64) {
	for a := range p.Nest.Arrays {
		if arr := &p.Nest.Arrays[a]; arr.Initial == plan.Computed && !slices.Contains(l.Reached, a) {
			each := initialCell
			if vector && slices.Contains(l.Sections, a) {
				each = sectionCell
			}
			all += max(0, cellsOf(p, arr)-points) * each
		}
	}
	return all
}

// copiedContent returns the bytes of inout arrays: tiles read a copy of their content.
func copiedContent(p *plan.Plan) (bytes float64) {
	for a := range p.Nest.Arrays {
		if arr := &p.Nest.Arrays[a]; arr.Role == plan.InOut {
			bytes += cellsOf(p, arr) * float64(arr.Size)
		}
	}
	return bytes
}

// copiedResults returns the bytes of results that tiles copy into the arrays which the nest of p returns.
func copiedResults(p *plan.Plan) (bytes float64) {
	for v := range p.Nest.Values {
		if val := &p.Nest.Values[v]; !val.Direct && p.Nest.Arrays[val.Array].Role != plan.Internal {
			bytes += cellsOf(p, &p.Nest.Arrays[val.Array]) * float64(p.Nest.Arrays[val.Array].Size)
		}
	}
	return bytes
}

// lastingCells returns the number of cells of the largest array that the nest of p writes and returns.
func lastingCells(p *plan.Plan) (most float64) {
	for v := range p.Nest.Values {
		if arr := &p.Nest.Arrays[p.Nest.Values[v].Array]; arr.Role != plan.Internal {
			most = max(most, cellsOf(p, arr))
		}
	}
	return most
}

// storedBytes is an upper bound of the memory for internal arrays, if the loops run as they are written. The loops may store
// a few levels of an array only: these are assumed to lie along the shortest dimension, so that each is as large as can be.
// rows says that a vector kernel computes the rows.
func storedBytes(p *plan.Plan, rows bool) (all float64) {
	if r := NewRotating(p.Nest); rows && r != nil {
		bytes := rotatingBytes(p)
		return float64(bytes) * float64(r.Slots(bytes))
	}
	for a := range p.Nest.Arrays {
		arr := &p.Nest.Arrays[a]
		written := slices.ContainsFunc(p.Nest.Values, func(v plan.Value) bool { return v.Array == a })
		ofOtherNest := !written && arr.Initial == 0 // arrays of other nests are internal, too, but store nothing here
		if arr.Role != plan.Internal || ofOtherNest {
			continue
		}
		_, extent, err := arr.Extent(p.Params)
		if err != nil {
			return math.Inf(1)
		}
		bytes, least := float64(arr.Size), math.Inf(1)
		for _, n := range extent {
			bytes *= float64(n)
			least = min(least, float64(n))
		}
		if len(extent) >= len(p.Nest.Skew) && least > storedLevels {
			bytes *= storedLevels / least
		}
		all += bytes
	}
	return all
}

// arrayBytes are bytes of the given and returned arrays of a nest: total of all, and again of those whose cells it visits several
// times. each are the bytes that an iteration reads and writes in arrays that a core's cache does not hold.
type arrayBytes struct{ total, again, each float64 }

// arraysOf returns the bytes of the arrays of the nest of p, which has so many iterations.
func arraysOf(p *plan.Plan, points float64) (b arrayBytes) {
	for a := range p.Nest.Arrays {
		arr := &p.Nest.Arrays[a]
		if arr.Role == plan.Internal {
			continue
		}
		cells := cellsOf(p, arr)
		bytes := cells * float64(arr.Size)
		b.total, b.each = b.total+bytes, b.each+movedSize(p, arr, heldBytes)
		if mostPasses*cells <= points {
			b.again += bytes
		}
	}
	return b
}

// MachineOf returns m for the nest of a program, or for one of several nests: these use the memory of one another again, or of
// their last run, and little of it is fresh.
func MachineOf(m *cost.Machine, several bool) *cost.Machine {
	if !several {
		return m
	}
	again := *m
	again.Fresh = 0
	return &again
}
