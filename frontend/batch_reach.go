package frontend

import (
	"slices"

	"loopc/ir"
)

// The cells that an item of a batch accesses are few if its nests are bands: then its init fills only these.

// A region is cells of an array: along each dimension, its indices are at least each of lo, and at most each of hi. These are
// forms of parameters and of the indices along earlier dimensions.
type region struct{ lo, hi [][]ir.Affine }

// mostRegions bounds the regions of an array, each of which has a nest that fills it.
const mostRegions = 3

// regions returns regions with all cells of array a that nests of a batch access.
func (p *programChecker) regions(batch *repeatOutline, a int) (all []region) {
	for _, c := range p.checkers {
		add := func(subs []ir.Affine) { all = addRegion(all, p.accessed(c.nest, batch, a, subs)) }
		for _, r := range c.nest.Reads {
			if r.Array == a {
				add(r.Subs)
			}
		}
		for _, s := range c.nest.Assigns(a) {
			add(c.nest.Body[s].(*ir.Assign).Subs)
		}
	}
	for len(all) > mostRegions {
		all[0] = all[0].with(all[len(all)-1])
		all = all[:len(all)-1]
	}
	return all
}

// accessed returns the cells that all iterations of a nest access with subscripts subs. If the array has boundaries, cells beyond
// its bounds are others within them.
func (p *programChecker) accessed(n *ir.Nest, batch *repeatOutline, a int, subs []ir.Affine) (r region) {
	known := map[int]ir.Affine{}
	for d, sub := range subs {
		least, most := n.Swept(sub, known)
		if n.Arrays[a].Boundary != nil {
			least, most = nil, nil
		}
		outside := func(f ir.Affine) bool { return !p.within(f, batch) }
		r.lo, r.hi = append(r.lo, slices.DeleteFunc(least, outside)), append(r.hi, slices.DeleteFunc(most, outside))
		loop, ok := sub.OnlyLoop()
		if _, is := known[loop]; ok && !is && loop >= 0 {
			index, c := ir.Affine{Iters: append(make([]int, d), 1)}, sub.Iter(loop)
			known[loop] = ir.Affine{}.PlusTimes(c, index).PlusTimes(-c, ir.Affine{Const: sub.Const, Params: sub.Params})
		}
	}
	return r
}

// within reports whether the value of f is known where an item begins: f has no number of a repeat within the batch.
func (p *programChecker) within(f ir.Affine, batch *repeatOutline) bool {
	for _, r := range p.outline.repeats {
		if r.batch != batch && f.Param(p.params()+r.index) != 0 {
			return false
		}
	}
	return true
}

// addRegion adds a region to others. It becomes a part of one of them unless the indices of this one or of the other would be bounded
// less by indices along earlier dimensions.
func addRegion(all []region, r region) []region {
	for k, x := range all {
		if both := x.with(r); both.sloped() == x.sloped() && both.sloped() == r.sloped() {
			all[k] = both
			return all
		}
	}
	return append(all, r)
}

// with returns a region with the cells of r and x.
func (r region) with(x region) (both region) {
	for d := range r.lo {
		both.lo = append(both.lo, common(r.lo[d], x.lo[d], -1))
		both.hi = append(both.hi, common(r.hi[d], x.hi[d], 1))
	}
	return both
}

// sloped returns how many bounds depend on indices along earlier dimensions.
func (r region) sloped() (n int) {
	for _, forms := range slices.Concat(r.lo, r.hi) {
		for _, f := range forms {
			if f.HasIters() {
				n++
			}
		}
	}
	return n
}

// common returns the forms that x and y have but for their constants: with sign 1 the greater constant of both, with sign -1 the less.
func common(x, y []ir.Affine, sign int) (both []ir.Affine) {
	for _, f := range x {
		if k := slices.IndexFunc(y, func(g ir.Affine) bool { return sameSlope(f, g) }); k >= 0 {
			if sign*(y[k].Const-f.Const) > 0 {
				f.Const = y[k].Const
			}
			both = append(both, f)
		}
	}
	return both
}

// sameSlope reports whether forms differ in their constants only.
func sameSlope(x, y ir.Affine) bool {
	x.Const = y.Const
	return x.Equal(y)
}

// narrowed adds forms to the bounds of a loop: to upper ones with sign 1, to lower ones with sign -1. Of forms that differ in
// constants, one counts.
func narrowed(ends, by []ir.Affine, sign int) []ir.Affine {
	for _, f := range by {
		k := slices.IndexFunc(ends, func(old ir.Affine) bool { return sameSlope(old, f) })
		switch {
		case k < 0:
			ends = append(ends, f)
		case sign*(ends[k].Const-f.Const) > 0:
			ends[k] = f
		}
	}
	return ends
}
