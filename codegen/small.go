package codegen

import (
	"slices"

	"loopc/codegen/vector"
	"loopc/ir"
)

// small does what boundedBy does, for the kernels of tiles.
func (g *generator) small() (params []int, held bool) {
	var all []int
	if s := g.vector.shape; s != nil {
		all = append(all, s.Small...)
	}
	if l := g.levels.shape; l != nil {
		all = append(all, l.Small...)
	}
	return g.boundedBy(all)
}

// boundedBy returns the parameters that must be no greater than vector.MostLaneParameter, so that lanes hold all parameters in the list
// all. The number of a repeat in this list is replaced by the parameters that bound it; if there are none, it stays. held
// reports whether no number stays: then lanes that hold the parameters hold all numbers.
func (g *generator) boundedBy(all []int) (params []int, held bool) {
	held = true
	for all = slices.Clone(all); len(all) > 0; {
		p := all[0]
		all = all[1:]
		k := slices.IndexFunc(g.n.Numbers, func(x ir.Number) bool { return x.Param == p })
		if k < 0 {
			params = append(params, p)
			continue
		}
		lo, low := bounding(g.n.Numbers[k].Lo, 1)
		hi, high := bounding(g.n.Numbers[k].Hi, -1)
		if !low || !high {
			params, held = append(params, p), false
			continue
		}
		all = append(append(all, lo...), hi...)
	}
	slices.Sort(params)
	return slices.Compact(params), held
}

// bounding returns the parameter that bounds a number from one side, or none if a constant does. The forms are the lower
// bounds of the number (inward is 1), or the upper ones (inward is -1). ok is false if no form is a bound that lanes hold.
func bounding(forms []ir.Affine, inward int) (params []int, ok bool) {
	for _, f := range forms {
		var used []int
		for p, c := range f.Params {
			if c != 0 {
				used = append(used, p)
			}
		}
		switch {
		case f.HasIters():
		case len(used) == 0 && max(f.Const, -f.Const) <= vector.MostLaneParameter:
			return nil, true
		case len(used) == 1 && f.Param(used[0]) == 1 && f.Const*inward >= 0:
			return used, true
		}
	}
	return nil, false
}
