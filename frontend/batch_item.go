package frontend

import (
	"slices"

	"loopc/frontend/depend"
	"loopc/ir"
)

// Arrays of which each item of a batch has cells of its own: they live as long as the item.

// onlyItem gives nest k, which runs once for each item of a batch and alone has the internal array a, the cells of one item.
func (p *programChecker) onlyItem(a, k int) {
	n := p.checkers[k].nest
	d, ok := p.itemDim[a]
	if !ok || !p.ofItem(k) || n.Arrays[a].Out != nil {
		return
	}
	number := p.numberOf(p.outline.nests[k].in[0].index)
	checks, found := depend.Subscript(n, a, d, number)
	p.itemChecks[n] = append(p.itemChecks[n], checks...)
	p.add(found)
	arr := &n.Arrays[a]
	arr.Lo, arr.Hi = slices.Clone(arr.Lo), slices.Clone(arr.Hi)
	arr.Lo[d], arr.Hi[d] = number, number
}

// batchOf returns the batch whose items alone have the internal array a, which the nests have; nil if there is none.
func (p *programChecker) batchOf(arr *ir.Array, a int, have []int) *repeatOutline {
	d, ok := p.itemDim[a]
	if !ok || d < 0 || arr.Role != ir.Internal || arr.Out != nil {
		return nil
	}
	var of *repeatOutline
	for _, k := range have {
		in := p.outline.nests[k].in
		if len(in) == 0 || in[0].batch == nil || of != nil && in[0] != of {
			return nil
		}
		of = in[0]
	}
	return of
}

// itemInit returns the nest that gives the cells of array a that an item of a batch accesses their initial content.
func (p *programChecker) itemInit(prog *ir.Program, batch *repeatOutline, a int) *ir.Nest {
	arr := &prog.Arrays[a]
	n := p.initNestOf(prog, a, arr.Init, "OfItem")
	n.Arrays[a].Role = ir.InOut
	n.Numbers = p.numbersIn(slices.DeleteFunc(slices.Clone(p.outline.repeats), func(r *repeatOutline) bool { return r.batch != batch }))
	for d := range n.Loops {
		l := &n.Loops[d]
		if d == arr.Item-1 {
			l.Lo, l.Hi = []ir.Affine{p.numberOf(batch.index)}, []ir.Affine{p.numberOf(batch.index)}
		} else if most, ok := p.reach(a, d); ok {
			l.Hi = append(l.Hi, most)
		}
	}
	return n
}

// reach returns an upper bound of the subscripts along dimension d of array a, which grows with a parameter of the item.
func (p *programChecker) reach(a, d int) (most ir.Affine, ok bool) {
	type end struct {
		nest  *ir.Nest
		loop  int // -1: none
		shift ir.Affine
	}
	var ends []end
	for _, c := range p.checkers {
		n := c.nest
		access := func(subs []ir.Affine) {
			e := end{n, -1, subs[d]}
			for k := range n.Loops {
				switch {
				case subs[d].Iter(k) == 0:
				case e.loop >= 0 || subs[d].Iter(k) != 1:
					e.nest = nil
				default:
					e.loop = k
				}
			}
			ends = append(ends, e)
		}
		for _, r := range n.Reads {
			if r.Array == a {
				access(r.Subs)
			}
		}
		for _, s := range n.Assigns(a) {
			access(n.Body[s].(*ir.Assign).Subs)
		}
	}
	for _, r := range p.repeats {
		if r.Item == nil || len(r.Lo) != 1 || slices.ContainsFunc(r.Lo[0].Params, func(c int) bool { return c != 0 }) {
			continue
		}
		number := p.numberOf(r.Index)
		within := func(e end) bool { // raises most to this end
			if e.nest == nil {
				return false
			}
			forms := []ir.Affine{{}}
			if e.loop >= 0 {
				forms = e.nest.Loops[e.loop].Hi
			}
			found := false
			least := ir.Affine{}
			for _, f := range forms {
				sum := ir.Affine{Const: f.Const + e.shift.Const}
				for k := range max(len(f.Params), len(e.shift.Params)) {
					sum.Params = append(sum.Params, f.Param(k)+e.shift.Param(k))
				}
				switch c := sum.Const; {
				case f.HasIters():
					continue
				case sum.Equal(ir.Affine{Const: c}):
					sum = number
					sum.Const = c - r.Lo[0].Const // the parameter is no less than its bound
				case !sum.Equal(ir.Affine{Const: c, Params: number.Params}):
					continue
				}
				if !found || sum.Const < least.Const {
					least, found = sum, true
				}
			}
			if found && (!ok || least.Const > most.Const) {
				most, ok = least, true
			}
			return found
		}
		if most, ok = (ir.Affine{}), false; !slices.ContainsFunc(ends, func(e end) bool { return !within(e) }) {
			return most, ok
		}
	}
	return ir.Affine{}, false
}
