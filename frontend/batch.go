package frontend

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// batch b = 1..B, M = len[b] { ... } is a repeat whose repetitions, the items, do not depend on one another. Each
// parameter of the item is a repeat of one repetition in it, whose number is the cell.

// batch adds a batch, and the repeats of its parameters, one in the other.
func (o *outline) batch(st *statement, in []*repeatOutline) outlineStep {
	around, _ := bracketsOf(st.tokens)
	chain := []*repeatOutline{{header: st}}
	for k, t := range st.tokens {
		if t.is(",") && around[k] == outside {
			chain = append(chain, &repeatOutline{header: st})
		}
	}
	in = slices.Clone(in)
	for k, r := range chain {
		r.index, r.batch, r.item = len(o.repeats), chain[0], k
		o.repeats, in = append(o.repeats, r), append(in, r)
		if k > 0 {
			chain[k-1].steps = []outlineStep{{repeat: r.index}}
		}
	}
	last := chain[len(chain)-1]
	if last.deep = len(in) > maxDepth; !last.deep {
		last.steps = o.walk(st.body, in)
	}
	return outlineStep{repeat: chain[0].index}
}

// repeatHeader parses the header of a repeat; nil after a mistake.
func (c *checker) repeatHeader(r *repeatOutline) *repeatSyntax {
	if r.batch == nil {
		return parseStmt(c, repeatParser, r.header)
	}
	b := parseStmt(c, batchParser, r.header)
	switch {
	case b == nil || r.item > len(b.Items):
		return nil
	case r.item == 0:
		return &repeatSyntax{Name: b.Name, Range: b.Range}
	}
	x := b.Items[r.item-1]
	return &repeatSyntax{Name: x.Name, cell: x.Cell}
}

// item resolves the cell of an item's parameter, whose batch has the header b; nil after a mistake.
func (c *checker) item(r *repeatOutline, h, b *repeatSyntax) *ir.Item {
	cell := h.cell
	e := &expr{kind: cellExpr, name: cell.Name.Name, args: flatTrees(cell.Subs), at: cellSpan(cell), opAt: cell.Name.span()}
	a := c.array(&view{what: "the parameter of an item", params: true}, e.name, e.opAt, len(e.args), e.at)
	if a < 0 {
		return nil
	}
	switch arr := &c.nest.Arrays[a]; {
	case len(e.args) != 1:
		c.errorf(diag.Dimensions, e.at, "the parameter of an item is a cell of an array with one dimension").pattern("%s", forms["batch"])
	case arr.Role != ir.In || arr.Elem != ir.Invalid && !arr.Elem.Integer():
		c.errorf(diag.ArrayRole, e.at, "the parameter of an item is a cell of an array of integers that is in").
			note(arr.Span, "%s is declared here", arr.Name).pattern("array %s[1..B] int32 in", arr.Name)
	case e.args[0].kind != nameExpr || e.args[0].name != b.Name.Name:
		c.errorf(diag.BoundShape, e.at, "the parameter of an item is a cell at the number of the batch").fixOf(e, "%s[%s]", arr.Name, b.Name.Name)
	default:
		return &ir.Item{Array: a, Batch: r.batch.index}
	}
	return nil
}

// ofItem reports whether nest k runs once for each item of a batch, and no more often.
func (p *programChecker) ofItem(k int) bool {
	in := p.outline.nests[k].in
	return len(in) > 0 && in[0].batch != nil && !slices.ContainsFunc(in, func(r *repeatOutline) bool { return r.batch != in[0].batch })
}

// rangesOfItems gives each parameter of an item the range in which subscripts are within their bounds. At launch the cells
// are compared with it.
func (p *programChecker) rangesOfItems() {
	isItem := func(r *ir.Repeat) bool { return r.Item != nil }
	if !slices.ContainsFunc(p.repeats, isItem) {
		return
	}
	for k, c := range p.checkers {
		n := *c.nest
		n.Numbers = slices.DeleteFunc(p.numbersOf(k), func(x ir.Number) bool { return x.Item })
		for _, check := range depend.Subscripts(&n) {
			p.rangeOfItem(check, c.nest.Loops)
		}
	}
	for _, r := range p.repeats {
		if r.Item == nil {
			continue
		}
		param := p.params() + r.Index
		used := slices.ContainsFunc(p.checkers, func(c *checker) bool {
			return slices.ContainsFunc(c.nest.Loops, func(l ir.Loop) bool {
				return slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), func(f ir.Affine) bool { return f.Param(param) != 0 })
			})
		})
		if used && len(r.Lo)+len(r.Hi) == 0 {
			p.errorf(diag.BoundShape, r.Span, "the range of %s is not known: no subscript bounds it, whatever other parameters of the item are", r.Name).
				advise("repeat, without a reduction before it, in place of the loop that goes to %s; or an array with a dimension for this loop", r.Name)
		}
		if len(r.Lo) == 0 && (used || len(r.Hi) > 0) {
			r.Lo = []ir.Affine{{}}
		}
		if len(r.Lo) == 0 {
			r.Lo = []ir.Affine{{Const: math.MinInt32}}
		}
		if len(r.Hi) == 0 {
			r.Hi = []ir.Affine{{Const: math.MaxInt32}}
		}
	}
}

// params is the number of the parameters of the program.
func (p *programChecker) params() int {
	return len(p.checkers[0].nest.Params) - len(p.outline.repeats)
}

// rangeOfItem adds a bound to a parameter of items such that a check of subscripts does not fail. Bounds that have
// parameters come first, such as those of arrays, and of these, bounds with few parameters. See also saysNonempty.
func (p *programChecker) rangeOfItem(check ir.Check, loops []ir.Loop) {
	type bound struct {
		of   *ir.Repeat
		form ir.Affine
		rank int
		many int // parameters in the form
	}
	var all []bound
	for _, f := range p.withoutNumbers(check.Fails) {
		for _, r := range p.repeats {
			param := p.params() + r.Index
			c := f.Param(param)
			if r.Item == nil || c != 1 && c != -1 || saysNonempty(f, loops) {
				continue
			}
			form, ok := p.without(f, param, -c) // c·M + rest ≤ -1, so M is at most -rest - 1, or at least rest + 1
			if !ok {
				continue
			}
			form.Const -= c
			rank := 0
			switch given := slices.ContainsFunc(form.Params, func(x int) bool { return x != 0 }); {
			case c < 0:
				rank = 1
			case !given:
				rank = 2
			}
			all = append(all, bound{r, form, rank, len(slices.DeleteFunc(slices.Clone(form.Params), func(x int) bool { return x == 0 }))})
		}
	}
	if len(all) == 0 {
		return
	}
	best := slices.MinFunc(all, func(x, y bound) int {
		if x.rank == 2 && y.rank == 2 {
			return y.form.Const - x.form.Const
		}
		return cmp.Or(x.rank-y.rank, x.many-y.many)
	})
	if best.rank == 1 {
		best.of.Lo = tighter(best.of.Lo, best.form, -1)
	} else {
		best.of.Hi = tighter(best.of.Hi, best.form, 1)
	}
}

// withoutNumbers returns forms and, for each form with the number of a repeat, the forms with a bound of the repeat in place of
// the number. They are no less: with c = 1..M, subscript c is within its bounds if M is.
func (p *programChecker) withoutNumbers(forms []ir.Affine) []ir.Affine {
	forms = slices.Clone(forms)
	for k := 0; k < len(forms) && len(forms) < mostForms; k++ {
		f := forms[k]
		for _, r := range p.repeats {
			param := p.params() + r.Index
			c, ends := f.Param(param), r.Hi
			if c < 0 {
				ends = r.Lo
			}
			if c == 0 || r.Item != nil {
				continue
			}
			for _, end := range ends {
				sum := ir.Affine{Const: f.Const + c*end.Const, Iters: f.Iters}
				for k := range max(len(f.Params), len(end.Params)) {
					sum.Params = append(sum.Params, f.Param(k)+c*end.Param(k))
				}
				sum.Params[param] -= c
				forms = append(forms, sum)
			}
		}
	}
	return forms
}

// mostForms bounds the forms that withoutNumbers looks at, because each may have several numbers.
const mostForms = 100

// saysNonempty reports whether f ≥ 0 says that a loop has iterations. An item without iterations is no way to avoid a
// failure that has other causes: the launch checks these.
func saysNonempty(f ir.Affine, loops []ir.Loop) bool {
	for _, l := range loops {
		for _, lo := range l.Lo {
			for _, hi := range l.Hi {
				by := ir.Affine{Const: hi.Const - lo.Const}
				for k := range max(len(hi.Params), len(lo.Params)) {
					by.Params = append(by.Params, hi.Param(k)-lo.Param(k))
				}
				if !hi.HasIters() && !lo.HasIters() && by.Equal(f) {
					return true
				}
			}
		}
	}
	return false
}

// tighter adds a form to upper bounds if sign is 1, to lower ones if it is -1. Of forms that differ in constants, one counts.
func tighter(ends []ir.Affine, f ir.Affine, sign int) []ir.Affine {
	for k, old := range ends {
		if by := old.Const - f.Const; old.Equal(ir.Affine{Const: old.Const, Params: f.Params}) {
			if sign*by > 0 {
				ends[k] = f
			}
			return ends
		}
	}
	return append(ends, f)
}

// without returns f times sign, without the given parameter of an item, and without the numbers of repeats in that of the
// item: these are at least 0 where they are parameters of items, too. ok is false if the form may grow with others.
func (p *programChecker) without(f ir.Affine, param, sign int) (form ir.Affine, ok bool) {
	form = ir.Affine{Const: sign * f.Const, Params: slices.Clone(f.Params)}
	for k := range form.Params {
		form.Params[k] *= sign
		inner := k > param && form.Params[k] != 0
		if inner && (p.repeats[k-p.params()].Item == nil || form.Params[k] > 0) {
			return form, false
		}
	}
	form.Params = form.Params[:min(param, len(form.Params))]
	for n := len(form.Params); n > 0 && form.Params[n-1] == 0; n-- {
		form.Params = form.Params[:n-1]
	}
	return form, true
}

// itemsApart reports accesses by which an item of a batch may read or write what another one writes.
func (p *programChecker) itemsApart() {
	for _, r := range p.repeats {
		if !r.Batch {
			continue
		}
		o := p.outline.repeats[r.Index]
		for a := range p.checkers[0].nest.Arrays {
			if p.inBatch(o, func(_ int, c *checker) bool { return len(c.nest.Assigns(a)) > 0 }) {
				p.apart(r, o, a)
			}
		}
		p.resultsApart(r, o)
	}
}

// inBatch reports whether f holds for a nest of a batch.
func (p *programChecker) inBatch(o *repeatOutline, f func(k int, c *checker) bool) bool {
	for k, c := range p.checkers {
		if slices.Contains(p.outline.nests[k].in, o) && f(k, c) {
			return true
		}
	}
	return false
}

// apart checks the accesses of a written array: one subscript of all, the same one, is the number of the batch.
func (p *programChecker) apart(r *ir.Repeat, o *repeatOutline, a int) {
	number := p.numberOf(r.Index)
	at := p.itemDimension(o, a, number)
	refuse := func(where diag.Span, c *checker, does string, subs []ir.Affine) {
		arr := &c.nest.Arrays[a]
		what := fmt.Sprintf("this %s, which items write, at another subscript than %s", does, r.Name)
		remedy := fmt.Sprintf("a dimension of %s for %s, of which every item has its own index", arr.Name, r.Name)
		if d := slices.IndexFunc(subs, number.Equal); d >= 0 && at >= 0 {
			what = fmt.Sprintf("this %s with %s as subscript %d, but items write %[4]s with %[2]s as subscript %[5]d", does, r.Name, d+1, arr.Name, at+1)
			remedy = fmt.Sprintf("%s as the same subscript of %s everywhere", r.Name, arr.Name)
		}
		report := p.errorf(diag.NonUniform, where, "the items of a batch do not depend on one another: %s", what)
		report.note(arr.Span, "%s is declared here", arr.Name)
		alone := len(p.headers) == o.index+1 || p.headers[o.index+1].cell == nil // a repeat has no parameters of items
		switch {
		case at >= 0 && subs != nil && !slices.ContainsFunc(subs, number.Equal):
			apartRemedy(report, c.nest, r, a, at, subs, where, alone)
		case alone:
			report.advise("%s; or repeat instead of batch", remedy)
		default:
			report.advise("%s", remedy)
		}
	}
	p.inBatch(o, func(_ int, c *checker) bool { // writes first
		for _, s := range c.nest.Assigns(a) {
			if w := c.nest.Body[s].(*ir.Assign); at < 0 || !w.Subs[at].Equal(number) {
				refuse(w.Span, c, "writes "+c.nest.Arrays[a].Name, w.Subs)
				return true
			}
		}
		return false
	})
	p.inBatch(o, func(_ int, c *checker) bool {
		name := c.nest.Arrays[a].Name
		for _, x := range c.nest.Reads {
			if x.Array == a && at >= 0 && !x.Subs[at].Equal(number) {
				refuse(x.At, c, "reads "+name, x.Subs)
				return true
			}
		}
		if c.nest.LooksUp(a) {
			refuse(c.nest.Loops[0].Span, c, "nest looks up cells of "+name, nil)
			return true
		}
		return false
	})
	p.itemDim[a] = at
}

// itemDimension returns the dimension of array a at which most accesses in a batch have its number, and the first write has it;
// -1 if there is none.
func (p *programChecker) itemDimension(o *repeatOutline, a int, number ir.Affine) (at int) {
	var first []ir.Affine // of the first write
	var all [][]ir.Affine
	p.inBatch(o, func(_ int, c *checker) bool {
		for _, s := range c.nest.Assigns(a) {
			if all = append(all, c.nest.Body[s].(*ir.Assign).Subs); first == nil {
				first = all[len(all)-1]
			}
		}
		for _, x := range c.nest.Reads {
			if x.Array == a {
				all = append(all, x.Subs)
			}
		}
		return false
	})
	at, most := -1, 0
	for d := range first {
		n := 0
		for _, subs := range all {
			if subs[d].Equal(number) {
				n++
			}
		}
		if n > most && first[d].Equal(number) {
			at, most = d, n
		}
	}
	return at
}

// numberOf is the number of a repeat.
func (p *programChecker) numberOf(repeat int) ir.Affine {
	f := ir.Affine{Params: make([]int, p.params()+repeat+1)}
	f.Params[p.params()+repeat] = 1
	return f
}

// resultsApart checks the results of reductions that nests of a batch read: those of the same item.
func (p *programChecker) resultsApart(r *ir.Repeat, o *repeatOutline) {
	p.inBatch(o, func(k int, c *checker) bool {
		for _, f := range c.nest.Floats {
			if f.Of == nil {
				continue
			}
			for _, x := range p.outline.nests[f.Of.Nest].in {
				if x.index > o.index && slices.Contains(p.outline.nests[f.Of.Nest].in, o) && !slices.Contains(p.outline.nests[k].in, x) {
					p.errorf(diag.NonUniform, f.Span, "%s may be a result of another item of the batch %s, if the %s runs nothing", f.Name, r.Name, p.repeatText(x))
					return true
				}
			}
		}
		return false
	})
}
