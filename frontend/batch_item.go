package frontend

import (
	"fmt"
	"slices"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// Internal arrays of which each item of a batch has its own cells. No cell outlives its item.

// onlyItem limits the internal array a to the cells of one item, if nest k alone has the array and runs once for each item of
// a batch.
func (p *programChecker) onlyItem(a, k int) {
	n := p.checkers[k].nest
	d, ok := p.itemDim[a]
	if !ok || d < 0 || !p.ofItem(k) || n.Arrays[a].Out != nil {
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

// batchOf returns the batch to which all nests of array a belong, if its items have their own cells of a, and a is internal;
// else nil. have are these nests.
func (p *programChecker) batchOf(arr *ir.Array, a int, have []int) *repeatOutline {
	d, ok := p.itemDim[a]
	if !ok || d < 0 || arr.Role != ir.Internal || arr.Out != nil {
		return nil
	}
	var batch *repeatOutline
	for _, k := range have {
		in := p.outline.nests[k].in
		if len(in) == 0 || in[0].batch == nil || batch != nil && in[0] != batch {
			return nil
		}
		batch = in[0]
	}
	return batch
}

// fillItem adds the nests with which an item of a batch begins: they fill the cells of array a that the item may access.
func (p *programChecker) fillItem(prog *ir.Program, batch *repeatOutline, a int) {
	arr := &prog.Arrays[a]
	for _, r := range p.regions(batch, a) {
		n := p.initNestOf(prog, a, arr.Init, "OfItem")
		n.Arrays[a].Role = ir.InOut
		n.Numbers = p.numbersIn(slices.DeleteFunc(slices.Clone(p.outline.repeats), func(r *repeatOutline) bool { return r.batch != batch }))
		for d := range n.Loops {
			l := &n.Loops[d]
			if d == arr.Item-1 {
				l.Lo, l.Hi = []ir.Affine{p.numberOf(batch.index)}, []ir.Affine{p.numberOf(batch.index)}
				continue
			}
			if most, ok := p.reach(a, d); ok {
				l.Hi = append(l.Hi, most)
			}
			l.Lo, l.Hi = narrowed(l.Lo, r.lo[d], -1), p.least(narrowed(l.Hi, r.hi[d], 1))
		}
		prog.Nests = append(prog.Nests, n)
	}
}

// least returns upper bounds without those that are no less than another one, which is a parameter of the item plus a constant:
// such a parameter is within its range.
func (p *programChecker) least(ends []ir.Affine) []ir.Affine {
	for _, r := range p.repeats {
		at := slices.IndexFunc(ends, func(f ir.Affine) bool { return sameSlope(f, p.numberOf(r.Index)) })
		if r.Item == nil || at < 0 {
			continue
		}
		least := ends[at]
		ends = slices.DeleteFunc(slices.Clone(ends), func(f ir.Affine) bool {
			return slices.ContainsFunc(r.Hi, func(most ir.Affine) bool { return sameSlope(f, most) && f.Const >= most.Const+least.Const })
		})
	}
	return ends
}

// reach returns an upper bound of all subscripts along dimension d of array a: a parameter of the item plus a constant. ok is
// false if there is no such bound.
func (p *programChecker) reach(a, d int) (most ir.Affine, ok bool) {
	if p.checkers[0].nest.Arrays[a].Boundary != nil {
		return ir.Affine{}, false // cells beyond the bounds are others within them
	}
	var ends [][]ir.Affine // of each access: upper bounds
	for _, c := range p.checkers {
		for _, r := range c.nest.Reads {
			if r.Array == a {
				ends = append(ends, endsOf(c.nest, r.Subs[d]))
			}
		}
		for _, s := range c.nest.Assigns(a) {
			ends = append(ends, endsOf(c.nest, c.nest.Body[s].(*ir.Assign).Subs[d]))
		}
	}
	for _, r := range p.repeats {
		if r.Item == nil || len(r.Lo) != 1 || slices.ContainsFunc(r.Lo[0].Params, func(c int) bool { return c != 0 }) {
			continue
		}
		most, ok = ir.Affine{}, false
		unbounded := func(forms []ir.Affine) bool { // else most is raised to a bound of forms
			least, found := leastOf(forms, p.numberOf(r.Index), r.Lo[0].Const)
			if found && (!ok || least.Const > most.Const) {
				most, ok = least, true
			}
			return !found
		}
		if !slices.ContainsFunc(ends, unbounded) {
			return most, ok
		}
	}
	return ir.Affine{}, false
}

// endsOf returns upper bounds of a subscript that have parameters only; nil if none is known.
func endsOf(n *ir.Nest, sub ir.Affine) (out []ir.Affine) {
	forms, loops := []ir.Affine{{}}, 0
	for k := range n.Loops {
		if c := sub.Iter(k); c != 0 {
			forms, loops = n.Loops[k].Hi, loops+1
			if c != 1 {
				return nil
			}
		}
	}
	for _, f := range forms {
		sum := ir.Affine{Const: f.Const + sub.Const}
		for k := range max(len(f.Params), len(sub.Params)) {
			sum.Params = append(sum.Params, f.Param(k)+sub.Param(k))
		}
		if !f.HasIters() && loops <= 1 {
			out = append(out, sum)
		}
	}
	return out
}

// leastOf returns the least of the forms that are number, a parameter of items, plus a constant. A constant form c counts as
// number + c - lowest, because number is at least lowest. found is false if there is no such form.
func leastOf(forms []ir.Affine, number ir.Affine, lowest int) (least ir.Affine, found bool) {
	for _, sum := range forms {
		switch c := sum.Const; {
		case sum.Equal(ir.Affine{Const: c}):
			sum = ir.Affine{Const: c - lowest, Params: number.Params}
		case !sum.Equal(ir.Affine{Const: c, Params: number.Params}):
			continue
		}
		if !found || sum.Const < least.Const {
			least, found = sum, true
		}
	}
	return least, found
}

// numbersOf returns the numbers of the repeats around nest k.
func (p *programChecker) numbersOf(k int) []ir.Number { return p.numbersIn(p.outline.nests[k].in) }

// numbersIn returns the numbers of repeats.
func (p *programChecker) numbersIn(repeats []*repeatOutline) (all []ir.Number) {
	for _, r := range repeats {
		at := p.repeats[r.index]
		all = append(all, ir.Number{Param: p.params() + r.index, Lo: at.Lo, Hi: at.Hi, Item: at.Item != nil, Batch: at.Batch})
	}
	return all
}

// itemCells warns of batches with items for which the array that gives a parameter of theirs has no cell, for the defaults of
// parameters.
func (p *programChecker) itemCells(prog *ir.Program) (out []diag.Diagnostic) {
	for k, r := range p.repeats {
		if r.Item == nil {
			continue
		}
		batch, arr := p.repeats[r.Item.Batch], &prog.Arrays[r.Item.Array]
		if len(batch.Lo) != 1 || len(batch.Hi) != 1 {
			continue
		}
		below, known := p.lessByDefault(prog, batch.Lo[0], arr.Lo[0])
		above, also := p.lessByDefault(prog, arr.Hi[0], batch.Hi[0])
		if !known || !also || !below && !above {
			continue
		}
		ends := func(lo, hi ir.Affine) string {
			return depend.AffineText(p.checkers[0].nest, lo, nil) + ".." + depend.AffineText(p.checkers[0].nest, hi, nil)
		}
		items, cells := ends(batch.Lo[0], batch.Hi[0]), ends(arr.Lo[0], arr.Hi[0])
		out = append(out, diag.Diagnostic{
			Severity: diag.Warning, Code: diag.OutOfBounds, At: cellSpan(p.headers[k].cell),
			Message: fmt.Sprintf("the items are %s = %s, and %s has the cells %s", batch.Name, items, arr.Name, cells),
			Notes:   []diag.Note{{At: arr.Span, Message: arr.Name + " is declared here"}},
			Hint:    fmt.Sprintf("one of these: bounds %s for dimension 1 of %s; or the items %s = %s", items, arr.Name, batch.Name, cells), Kind: diag.Advice,
		})
	}
	return out
}

// lessByDefault reports whether f is less than g for the defaults of parameters; known is false if one of them has none.
func (p *programChecker) lessByDefault(prog *ir.Program, f, g ir.Affine) (less, known bool) {
	by := f.PlusTimes(-1, g)
	value := by.Const
	for k, x := range prog.Params {
		if by.Param(k) != 0 && x.Default == nil {
			return false, false
		} else if x.Default != nil {
			value += by.Param(k) * *x.Default
		}
	}
	for k := len(prog.Params); k < len(by.Params); k++ {
		if by.Params[k] != 0 {
			return false, false // the number of a repeat around
		}
	}
	return value < 0, true
}
