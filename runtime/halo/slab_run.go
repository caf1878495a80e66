package halo

import (
	"loopc/runtime/kernel"
)

// nextRow moves coordinates 1 to n-2 on to the next row of the tile and its
// margins.
func (r *slabs[T]) nextRow(q []int) {
	for x := r.last - 1; x >= 1; x-- {
		if q[x]++; q[x] <= r.w.last[x] {
			return
		}
		q[x] = r.w.first[x] - r.p.Margin[x]
	}
}

// runRows runs the slabs of a tile with rows: each chain takes every Chains-th
// slab, a row behind the chain of the slab below it.
func (r *slabs[T]) runRows(slabs int) {
	next, before := 0, -1 // the slab to begin; when the one before it began
	for turn, busy := 0, 0; busy > 0 || next < slabs; turn++ {
		if next < slabs && (before < 0 || turn > before) {
			if c := &r.chains[next%r.Chains]; c.slab < 0 {
				r.begin(c, next, turn)
				next, before = next+1, turn
				busy++
			}
		}
		first, end, full0, full1, kept, some, idle := 1<<62, -1<<62, -1<<62, 1<<62, 1<<62, 0, 0
		for i := range r.chains {
			c := &r.chains[i]
			if c.slab < 0 {
				idle++
				continue
			}
			r.prepare(c)
			if c.skip {
				continue
			}
			some++
			first, end = min(first, c.first), max(end, c.end)
			full0, full1, kept = max(full0, c.full0), min(full1, c.full1), min(kept, r.keptFrom(c))
		}
		if some > 1 && some+idle == r.Chains {
			// Chains take as long together as one does: those that are idle compute
			// something.
			for i := range r.chains {
				if c := &r.chains[i]; c.slab >= 0 {
					r.point(c, r.FrameChain(i), first)
				} else {
					r.pointIdle(i, first)
				}
			}
			r.steps(r.Many, first, end, full0, full1, kept)
		} else if some > 0 {
			for i := range r.chains {
				c := &r.chains[i]
				if c.slab < 0 || c.skip {
					continue
				}
				r.point(c, r.FrameChain(0), c.first)
				r.steps(r.One, c.first, c.end, c.full0, c.full1, kept)
			}
		}
		for i := range r.chains {
			c := &r.chains[i]
			if c.slab < 0 {
				continue
			}
			if !c.skip {
				r.finish(c)
			}
			c.number++
			r.nextRow(c.row)
			if c.number == r.rows {
				c.slab = -1
				busy--
				r.c.packed(c.level+c.count, 0) // slabs end in their order
			}
		}
	}
}

// least is how many steps without masks are worth a call of their own.
const least = 4

// steps calls the kernel for the steps first up to end, those from full0 to full1
// without masks; kept is the first of which somebody reads the row that is not kept.
func (r *slabs[T]) steps(run func(*int), first, end, full0, full1, kept int) {
	full0, full1 = max(full0, first), min(full1, end-1)
	if full1-full0+1 < least {
		full0, full1 = end, end-1
	}
	f, lined := r.frame, false
	for _, c := range r.pointed {
		if c.lined && !c.laid {
			r.layLines(c)
		}
		lined = lined || c.lined
	}
	if lined {
		r.stepsWithLines(run, end-first, full0-first, full1+1-first)
		r.pointed = r.pointed[:0]
		return
	}
	r.pointed = r.pointed[:0]
	f[kernel.FrameSteps], f[kernel.FrameFull0], f[kernel.FrameFull1] = end-first, full0-first, full1+1-first
	f[kernel.FrameKept] = max(0, min(kept, full1+1)-first)
	run(&f[0])
}
