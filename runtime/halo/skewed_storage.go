package halo

import (
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// Where levels are kept whole (see plan.KeepsWhole), a tile has no ghost cells: it
// reads what its neighbors have written where they wrote it. What is left to fill are
// locations outside the iteration space, each by the tile that owns it, for the
// iterations of all tiles.

// A skewedStorage runs the tiles of a worker.
type skewedStorage struct {
	w          *Worker
	at, to     []int              // the tile's iterations of the level
	prefetcher *kernel.Prefetcher // of the kernel; nil: it has none
}

func newSkewedStorage(w *Worker) *skewedStorage {
	n := len(w.plan.Side)
	r := &skewedStorage{w: w, at: make([]int, n), to: make([]int, n)}
	if w.kernel.Prefetch != nil && n == 4 && w.plan.Map > 0 && w.plan.Map < n-1 && w.plan.Side[1] < plan.FewPlanes {
		r.prefetcher = new(kernel.Prefetcher)
		w.kernel.Prefetch(r.prefetcher)
	}
	if w.kernel.Begin != nil && w.kernel.Begin(w.plan.Lo[0]) {
		w.walk.Edge.Begins()
	}
	return r
}

// tile computes levels from..to of the tile that column c stands at, and returns the number of
// iterations.
func (r *skewedStorage) tile(c *Column, from, to int) (points int) {
	w := r.w
	w.kernel.Bind(c.block)
	if r.prefetcher != nil && from <= to {
		r.prefetch(c)
	}
	for level := from; level <= to; level++ {
		own, does := w.walk.Does(level)
		if does {
			points += c.level(level, own)
		}
		if own {
			w.back.store(c.block, level)
		}
	}
	return points
}

// What strips should take of the first cache, those along the dimension before the rows and
// those along the rows: less in tests, whose levels are small [note kernel-constants].
var (
	stripBytes      = 40 << 10
	rowBytes        = 24 << 10
	planeBlockBytes = plan.LayerBytes // rows of planes that are computed together
)

// strips computes the iterations of a level, in strips along the dimension before the
// rows if there is another one between, and else along the rows if what the kernel does
// with them is mostly to move them: so narrow that what a strip reads at one place along
// the dimension before that stays in the first cache until it reads it at the next. Any
// order of strips that goes up is right, for no flow distance leads back.
func (r *skewedStorage) strips(c *Column, op *walk.Op) {
	copy(r.at, op.Lo)
	copy(r.to, op.Hi)
	last := len(r.at) - 1
	if r.w.kernel.Prefetch != nil && r.to[last-2]-r.at[last-2] < plan.FewPlanes {
		r.planeBlocks(c)
		return
	}
	y, most, unit := last-1, stripBytes, 1 // strips are cut at multiples of unit
	if y < 2 {
		if !r.w.kernel.Copies || last < 2 || r.at[1] == r.to[1] {
			r.compute(c)
			return
		}
		y, most, unit = last, rowBytes, c.block.LineCells
	}
	p := r.w.plan
	place := 0 // bytes of one place of y, of all values: of levels, not of given arrays
	for v := range p.Nest.Values {
		place += p.Nest.Arrays[p.Nest.Values[v].Array].Size
	}
	place *= p.Margin[y-1] + 2
	if y < last {
		place *= r.to[last] - r.at[last] + 1 + p.Margin[last]
	}
	from, to := r.at[y], r.to[y]
	count := plan.CeilDiv(to-from+1, max(1, most/place))
	side := plan.CeilDiv(plan.CeilDiv(to-from+1, count), unit) * unit
	for at := from; at <= to; at = r.to[y] + 1 {
		r.at[y], r.to[y] = at, min(to, at+side-1)
		if y == last && at == from {
			r.to[y] = min(to, r.to[y]+beforeLine(c.block, r.at))
		}
		r.compute(c)
	}
}

// planeBlocks computes the iterations of a level that has few planes, some planes at a time: so
// many that what rows at one place read of them and of what lies before and behind stays in
// the first cache until those at the next place have read it.
func (r *skewedStorage) planeBlocks(c *Column) {
	p, last := r.w.plan, len(r.at)-1
	y := last - 2
	row := 0 // bytes of a row of all values
	for v := range p.Nest.Values {
		row += p.Nest.Arrays[p.Nest.Values[v].Array].Size
	}
	row *= r.to[last] - r.at[last] + 1 + p.Margin[last]
	most := p.Layers(planeBlockBytes, row)
	from, to := r.at[y], r.to[y]
	side := plan.CeilDiv(to-from+1, plan.CeilDiv(to-from+1, most))
	for r.at[y] = from; r.at[y] <= to; r.at[y] = r.to[y] + 1 {
		r.to[y] = min(to, r.at[y]+side-1)
		r.compute(c)
	}
}

// compute computes the iterations at..to of a level. Where rows do not begin at a cache
// line, as those of a tile that follows another along the row, the columns before the
// first line go first: vectors that each lie in two lines take longer [note kernel-constants].
func (r *skewedStorage) compute(c *Column) {
	last := len(r.at) - 1
	head := beforeLine(c.block, r.at)
	if head == 0 || r.w.plan.Compressed() || // rows read what is replaced farther along in those before
		r.to[last]-r.at[last]+1 < headLeast*head {
		r.w.kernel.Box(r.at, r.to)
		return
	}
	from, to := r.at[last], r.to[last]
	r.to[last] = from + head - 1
	r.w.kernel.Box(r.at, r.to)
	r.at[last], r.to[last] = from+head, to
	r.w.kernel.Box(r.at, r.to)
	r.at[last] = from
}

// headLeast is how many times as long as its part before the first cache line a row
// is, at least, that is computed in two.
const headLeast = 2
