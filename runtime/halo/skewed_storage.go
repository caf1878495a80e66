package halo

import (
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// In skewed storage (see plan.KeepsWhole) a tile has no ghost cells: it reads the results of its neighbors where they were written. It only
// has to fill exterior cells: each is filled by one tile, for the iterations of all tiles.

// A skewedStorage runs the tiles of one worker in skewed storage.
type skewedStorage struct {
	w          *Worker
	at, to     []int              // scratch: the box that is computed
	prefetcher *kernel.Prefetcher // of the kernel; nil: it does not prefetch
}

func newSkewedStorage(w *Worker) *skewedStorage {
	n := len(w.plan.Side)
	r := &skewedStorage{w: w, at: make([]int, n), to: make([]int, n)}
	if w.kernel.Prefetch != nil && n == 4 && w.plan.Map > 0 && w.plan.Map < n-1 && w.plan.Side[1] < plan.FewPlanes {
		r.prefetcher = new(kernel.Prefetcher)
		w.kernel.Prefetch(r.prefetcher)
	}
	if w.kernel.Begin != nil && w.plan.Below == 0 && w.kernel.Begin(w.plan.Lo[0]) {
		w.walk.Edge.Begins()
	}
	return r
}

// tile computes levels from..to of the current tile of column c, and returns the number of iterations.
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

// Bytes of the first cache that a strip may use. Tests set smaller values, because their levels are small [note kernel-constants].
var (
	stripBytes      = 40 << 10        // strips divide the dimension before the rows
	rowBytes        = 24 << 10        // strips divide rows
	planeBlockBytes = plan.PlaneBytes // planeBlocks
)

// strips computes the iterations of a level in strips. Strips divide the dimension before the rows, if it is not the first of the level.
// Otherwise strips divide the rows, if the kernel mostly moves cells; other kernels compute the level at once. A strip is so narrow that
// its rows stay in the first cache until its next rows have read them. Strips may run in any ascending order, because no flow distance is
// negative.
func (r *skewedStorage) strips(c *Column, op *walk.Op) {
	copy(r.at, op.Lo)
	copy(r.to, op.Hi)
	last := len(r.at) - 1
	if r.w.kernel.Prefetch != nil && r.to[last-2]-r.at[last-2] < plan.FewPlanes {
		r.planeBlocks(c)
		return
	}
	y, cache, unit := last-1, stripBytes, 1 // strips are cut at multiples of unit
	if y < 2 {
		if !r.w.kernel.Copies || last < 2 || r.at[1] == r.to[1] {
			r.compute(c)
			return
		}
		y, cache, unit = last, rowBytes, c.block.LineCells
	}
	p := r.w.plan
	widthBytes := 0 // bytes that a strip reads and writes per unit of its width, without given arrays
	for v := range p.Nest.Values {
		widthBytes += p.Nest.Arrays[p.Nest.Values[v].Array].Size
	}
	widthBytes *= p.HaloWidth[y-1] + 2
	if y < last {
		widthBytes *= r.to[last] - r.at[last] + 1 + p.HaloWidth[last]
	}
	from, to := r.at[y], r.to[y]
	count := plan.CeilDiv(to-from+1, max(1, cache/widthBytes))
	side := plan.CeilDiv(plan.CeilDiv(to-from+1, count), unit) * unit
	for at := from; at <= to; at = r.to[y] + 1 {
		r.at[y], r.to[y] = at, min(to, at+side-1)
		if y == last && at == from {
			r.to[y] = min(to, r.to[y]+beforeLine(c.block, r.at))
		}
		r.compute(c)
	}
}

// planeBlocks computes the iterations of a level with few planes, some planes at a time: the rows at one place of these planes, and of
// their neighbors, must stay in the first cache until the rows at the next place have read them.
func (r *skewedStorage) planeBlocks(c *Column) {
	p, last := r.w.plan, len(r.at)-1
	y := last - 2
	row := 0 // bytes of a row of all values
	for v := range p.Nest.Values {
		row += p.Nest.Arrays[p.Nest.Values[v].Array].Size
	}
	row *= r.to[last] - r.at[last] + 1 + p.HaloWidth[last]
	most := p.PlanesAtOnce(planeBlockBytes, row)
	from, to := r.at[y], r.to[y]
	side := plan.CeilDiv(to-from+1, plan.CeilDiv(to-from+1, most))
	for r.at[y] = from; r.at[y] <= to; r.at[y] = r.to[y] + 1 {
		r.to[y] = min(to, r.at[y]+side-1)
		r.compute(c)
	}
}

// headLeast is the least ratio of a row to its part before the first cache line for which the row is computed in two parts.
const headLeast = 2

// compute computes the iterations at..to of a level. If rows do not begin at a cache line, it first computes the columns before the first
// line: vectors that cross a line boundary are slower [note kernel-constants].
func (r *skewedStorage) compute(c *Column) {
	last := len(r.at) - 1
	head := beforeLine(c.block, r.at)
	if head == 0 || r.w.plan.Compressed() || // a compressed grid needs each row computed before the next
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
