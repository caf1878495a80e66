package halo

import "loopc/runtime/kernel"

// runTogether runs the slabs of a tile one after the other: in each turn the chains
// compute as many rows, one below the other, each lag steps behind the one
// before it, from whose row it reads. A row that nobody needs later takes the place
// of the one before it, step by step.
func (r *slabs[T]) runTogether(slabs int) {
	for slab := range slabs {
		for i := range r.chains {
			r.begin(&r.chains[i], slab, 0)
		}
		r.at, r.frame[kernel.FrameTop] = 0, 0
		if c := &r.chains[0]; r.tops(c) < r.Count {
			r.frame[kernel.FrameTop] = 1 << r.Seat(c.count-1)
		}
		for number := 0; number < r.rows; number += r.Chains {
			chains := r.chains[:min(r.Chains, r.rows-number)]
			for i := range chains {
				c := &chains[i]
				c.number = number + i
				c.row[1] = r.w.first[1] - r.p.Margin[1] + c.number
			}
			keep := r.rowsTogether(chains)
			for i := range chains {
				if c := &chains[i]; (keep < none || len(c.gives) > 0) && !c.skip {
					r.finish(c)
				}
			}
			r.c.packed(chains[0].level, number+len(chains))
		}
		r.c.packed(r.chains[0].level+r.chains[0].count, 0)
	}
	for i := range r.chains {
		r.chains[i].slab = -1
	}
}

// keeps returns the column from which on results of the chains' rows, which are prepared, are
// needed when the rows are complete, by others than the row after them; none if they are not.
func (r *slabs[T]) keeps(chains []chain[T]) int {
	c := &chains[0]
	keep := none
	for i := range chains {
		switch c := &chains[i]; {
		case c.skip || !c.keeps:
		case c.planes || !c.lined:
			return -none
		default:
			keep = min(keep, r.keptOfLines(c))
		}
	}
	top := c.level + c.count - 1
	last := c.row[1] + len(chains) - 1
	for i := range r.out {
		if b := &r.out[i]; b.lo[0] <= top && b.hi[0] >= c.level && b.lo[1] <= last && b.hi[1] >= c.row[1] {
			keep = min(keep, b.lo[r.last])
		}
	}
	return keep
}

// keptFrom returns the first step of chain c's row of which somebody reads the cells
// when the row is complete: see FrameKept.
func (r *slabs[T]) keptFrom(c *chain[T]) int {
	if c.keeps {
		return c.first
	}
	from := c.end
	for i := range r.out {
		if b := &r.out[i]; b.lo[0] < c.level+c.count && b.hi[0] >= c.level {
			from = min(from, b.lo[r.last]) // lane 0's, the others' are later
		}
	}
	return from
}

// rowsTogether computes the chains' rows, the first of them the upmost, and keeps the
// columns from keep on.
func (r *slabs[T]) rowsTogether(chains []chain[T]) (keep int) {
	first, end, full0, full1, all := 1<<62, -1<<62, -1<<62, 1<<62, len(chains) == r.Chains
	for i := range chains {
		c := &chains[i]
		r.prepare(c)
		if c.skip {
			all = false
			continue
		}
		lag := i * r.lag
		first, end = min(first, c.first+lag), max(end, c.end+lag)
		full0, full1 = max(full0, c.full0+lag), min(full1, c.full1+lag)
	}
	keep = r.keeps(chains)
	r.layRows(chains, keep, max(full0, first), end, all)
	if all {
		for i := range chains {
			r.point(&chains[i], r.FrameChain(i), first-i*r.lag)
		}
		r.steps(r.Many, first, end, full0, full1, first)
		return keep
	}
	for i := range chains {
		if c := &chains[i]; !c.skip {
			r.point(c, r.FrameChain(0), c.first)
			r.steps(r.One, c.first, c.end, c.full0, c.full1, c.first)
		}
	}
	return keep
}
