package frontend

import (
	"fmt"
	"go/constant"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// Arrays that several nests have: their roles, and where their content comes from.

// roles gives the arrays of every nest their roles, and returns the arrays whose init becomes a
// nest of its own. An inout array also gets such a nest, which copies it, if nests write different
// cells of it in each repetition: the runtime knows which cells a nest has written, not which cells
// a repetition has.
func (p *programChecker) roles(prog *ir.Program) (inits []int) {
	for a := range prog.Arrays {
		arr := &prog.Arrays[a]
		have, written, repeated := p.uses(a)
		switch {
		case arr.Role == ir.In:
			continue // stays In in every nest: the nest, or an init in it, may read the array
		case !repeated && len(have) == 1 && written:
			p.alone(a, have[0])
			p.onlyItem(a, have[0])
			continue
		case arr.Init != nil && (len(have) > 0 || arr.Returned()), p.writtenBeforeReads(arr, a, have),
			arr.Role == ir.InOut && slices.ContainsFunc(p.checkers, func(c *checker) bool { return writesNumbered(c.nest, a) }):
			inits = append(inits, a)
		}
		p.share(arr, a, have, slices.Contains(inits, a))
		if b := p.batchOf(arr, a, have); b != nil {
			arr.Item = p.itemDim[a] + 1
			for _, c := range p.checkers {
				c.nest.Arrays[a].Item = arr.Item
			}
			if slices.Contains(inits, a) && arr.Init != nil {
				p.itemInits[b] = append(p.itemInits[b], a)
			}
		}
	}
	return inits
}

// uses returns the nests that read or write array a, whether one writes it, and whether one does so again.
func (p *programChecker) uses(a int) (have []int, written, repeated bool) {
	for k, c := range p.checkers {
		reads := c.nest.LooksUp(a) || slices.ContainsFunc(c.nest.Reads, func(r *ir.Read) bool { return r.Array == a })
		writes := len(c.nest.Assigns(a)) > 0
		if reads || writes {
			have = append(have, k)
		}
		written = written || writes
		repeated = repeated || writes && len(p.outline.nests[k].in) > 0
	}
	if arr := &p.checkers[0].nest.Arrays[a]; len(have) == 1 && arr.Role == ir.Internal && arr.Out == nil && p.ofItem(have[0]) {
		repeated = false // each item has cells of its own
	}
	return have, written, repeated
}

// lacks says what supplies nothing of an array that several nests have, without init and not from the caller; "" if
// the first of them writes it and runs whenever another one does.
func (p *programChecker) lacks(arr *ir.Array, a int, have []int) string {
	if len(p.checkers[have[0]].nest.Assigns(a)) == 0 {
		return "the first nest that has %s reads it, and nothing supplies it"
	}
	for _, r := range p.outline.nests[have[0]].in {
		if arr.Returned() || slices.ContainsFunc(have, func(i int) bool { return !slices.Contains(p.outline.nests[i].in, r) }) {
			if p.headers[r.index].Until != nil && p.onlyUntilMisses(arr, a, have) {
				return "nothing supplies the cells of %s for the numbers of the " + p.repeatText(r) + untilLeaves
			}
			if updates := func(s int) bool { return updatesOwn(p.checkers[have[0]].nest, s) }; slices.ContainsFunc(p.checkers[have[0]].nest.Assigns(a), updates) {
				return "the cells of %s are updated, and nothing supplies what they have before that"
			}
			if arr.Returned() && writesNumbered(p.checkers[have[0]].nest, a) {
				return "nothing supplies the cells of %s that no number of the " + p.repeatText(r) + " writes"
			}
			return "nothing supplies %s if the " + p.repeatText(r) + " runs nothing"
		}
	}
	return ""
}

// untilLeaves ends the message that an array lacks the cells of some numbers of a repeat.
const untilLeaves = " behind the one at which its until holds"

// onlyUntilMisses reports whether the nests would write array a before they read it, or before it is given back, if no repeat ended
// early.
func (p *programChecker) onlyUntilMisses(arr *ir.Array, a int, have []int) bool {
	if p.untilIgnored {
		return false
	}
	p.untilIgnored = true
	defer func() { p.untilIgnored = false }()
	return p.writtenBeforeReads(arr, a, have)
}

// repeatText names a repeat, or the loop that has become it.
func (p *programChecker) repeatText(r *repeatOutline) string {
	what := "repeat"
	if spanText(p.checkers[0].nest.Source, r.header.first().span()) != what {
		what = "loop"
	}
	return what + " " + p.headers[r.index].Name.Name
}

// alone gives array a to nest k only.
func (p *programChecker) alone(a, k int) {
	for i, c := range p.checkers {
		if i != k {
			hide(&c.nest.Arrays[a])
		}
	}
}

// hide marks an array as one that the nest does not have.
func hide(arr *ir.Array) { arr.Role, arr.Init, arr.Out = ir.Internal, nil, nil }

// share gives array a its role in each nest. have are the nests that read or write it. If
// nothing supplies the array, the first of them must write everything that the others read.
// Every repeat around that first nest must also contain the others: a repeat may run zero
// times, and then the others would read cells that nothing has written.
func (p *programChecker) share(arr *ir.Array, a int, have []int, begun bool) {
	supplied := begun || arr.Init != nil || arr.Role == ir.InOut
	if !supplied && len(have) > 0 {
		if lacks := p.lacks(arr, a, have); lacks != "" {
			r := p.unsupplied(arr, lacks)
			first := p.checkers[have[0]].nest
			if at := slices.IndexFunc(first.Reads, func(x *ir.Read) bool { return x.Array == a }); at >= 0 && len(first.Assigns(a)) == 0 {
				r.note(first.Reads[at].At, "%s is read here", spanText(first.Source, first.Reads[at].At))
				p.suppliedLater(r, arr, a, have)
			}
		}
	}
	for k, c := range p.checkers {
		n := c.nest
		hide(&n.Arrays[a])
		n.Arrays[a].Unseen = arr.Role == ir.Internal && !arr.Returned() && slices.Contains(have, k)
		switch {
		case !slices.Contains(have, k):
		case len(n.Assigns(a)) == 0:
			n.Arrays[a].Role = ir.In
		case !supplied && k == have[0]:
			n.Arrays[a].Role = ir.Out
		default:
			n.Arrays[a].Role = ir.InOut
		}
	}
	if len(have) == 0 && arr.Returned() && !supplied {
		p.unsupplied(arr, "%s is given back, but nothing supplies it")
	}
}

// suppliedLater completes the report of an array that the first nest reads, if another nest of the same repeat writes it: that nest may
// be meant to come first.
func (p *programChecker) suppliedLater(r report, arr *ir.Array, a int, have []int) {
	in := p.outline.nests[have[0]].in
	for _, k := range have[1:] {
		n := p.checkers[k].nest
		updates := slices.ContainsFunc(n.Reads, func(x *ir.Read) bool { return x.Array == a }) // it needs the cells itself
		if writes := n.Assigns(a); len(in) > 0 && arr.Role == ir.Internal && !updates && slices.Equal(p.outline.nests[k].in, in) && len(writes) > 0 {
			r.note(n.Body[writes[0]].(*ir.Assign).Span, "%s is written here", arr.Name).
				advise("the nest that writes %[1]s before the one that reads it; or, if that is to come last, an init of %[1]s with what it has before", arr.Name)
			return
		}
	}
}

// unsupplied reports an array that nothing supplies.
func (p *programChecker) unsupplied(arr *ir.Array, format string) report {
	r := p.errorf(diag.NotSupplied, arr.Span, format, arr.Name)
	if arr.Out == nil && arr.Init == nil && !slices.ContainsFunc(p.checkers, func(c *checker) bool { return c.written[arr.Name] }) {
		read := func(c *checker) bool {
			return slices.ContainsFunc(c.nest.Reads, func(x *ir.Read) bool { return c.nest.Arrays[x.Array].Name == arr.Name })
		}
		if arr.Role == ir.Out && !slices.ContainsFunc(p.checkers, read) {
			r.d.Message = arr.Name + " is given back, and nothing writes it"
			r.advise(depend.Unused)
			return r
		}
		if len(p.checkers) > 1 && arr.Role == ir.Internal {
			r.advise("nothing writes %[1]s: an assignment to its cells in a nest before; or, if the caller gives it, declare %[1]s as in", arr.Name)
			return r
		}
		r.advise("nothing writes %[1]s: declare %[1]s as in", arr.Name)
		return r
	}
	init := fmt.Sprintf("init %s[%s] = 0", arr.Name, strings.Join(p.indexNames(arr), ", "))
	if arr.Out != nil { // it has no role
		return r.hint("%s", init)
	}
	given := ", if the caller gives it"
	if like := p.updatedLike(arr); like != "" {
		given += " and gets it back, as " + like
	}
	return r.advise(depend.OneOf+"declare %s as inout%s"+depend.Or+"give it an init, for example: %s", arr.Name, given, init)
}

// indexNames are names for the indices of an array: those of the loops with which a nest writes it, if it has such loops.
func (p *programChecker) indexNames(arr *ir.Array) (names []string) {
	for d := range arr.Lo {
		names = append(names, fmt.Sprintf("x%d", d+1))
	}
	for _, c := range p.checkers {
		for _, s := range c.nest.Body {
			if w, ok := s.(*ir.Assign); ok && c.nest.Arrays[w.Array].Name == arr.Name {
				for d, sub := range w.Subs {
					if l := plainLoop(c.nest, sub); l != nil && !slices.Contains(names, l.Name) {
						names[d] = l.Name
					}
				}
				return names
			}
		}
	}
	return names
}

// updatedLike names the arrays with the dimensions of one that the caller gives and gets back; "" without any.
func (p *programChecker) updatedLike(arr *ir.Array) string {
	var names []string
	for _, x := range p.checkers[0].arrays {
		if roles[x.syntax.Role] == ir.InOut && len(x.syntax.Dims) == len(arr.Lo) {
			names = append(names, x.syntax.Name.Name)
		}
	}
	switch n := len(names) - 1; n {
	case -1:
		return ""
	case 0:
		return names[0] + " is"
	default:
		return strings.Join(names[:n], ", ") + " and " + names[n] + " are"
	}
}

// writesNumbered reports whether the cells of array a that a nest writes depend on the numbers of repeats.
func writesNumbered(n *ir.Nest, a int) bool {
	writes := n.Assigns(a)
	bounded := len(writes) > 0 && slices.ContainsFunc(n.Loops, func(l ir.Loop) bool { return slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), n.Numbered) })
	return bounded || slices.ContainsFunc(writes, func(s int) bool { return slices.ContainsFunc(n.Body[s].(*ir.Assign).Subs, n.Numbered) })
}

// initNest returns the nest that writes the initial content of array a; any content, if each item of a batch fills its own cells
// (ir.Array.Item).
func (p *programChecker) initNest(prog *ir.Program, a int) *ir.Nest {
	init := prog.Arrays[a].Init
	if init != nil && prog.Arrays[a].Item > 0 {
		zero := *init
		zero.Expr = &ir.Lit{Value: constant.MakeInt64(0), T: prog.Arrays[a].Elem}
		init = &zero
	}
	return p.initNestOf(prog, a, init, "")
}

// initNestOf returns the nest that fills array a as init says. If init is nil, it copies what the caller gives (an inout array),
// or writes any content. Its name ends with suffix.
func (p *programChecker) initNestOf(prog *ir.Program, a int, init *ir.Init, suffix string) *ir.Nest {
	first := p.checkers[0].nest
	arr := &prog.Arrays[a]
	n := &ir.Nest{
		File: first.File, Source: first.Source, Params: first.Params, Floats: first.Floats, Consts: first.Consts, Listed: first.Listed, Externs: first.Externs,
		Arrays: slices.Clone(first.Arrays), OfInit: true,
	}
	n.Name, n.Title = fmt.Sprintf("%sInit%s%s", prog.Name, capital(arr.Name), suffix), "the init of "+arr.Name
	for slices.ContainsFunc(prog.Nests, func(o *ir.Nest) bool { return o.Name == n.Name }) {
		n.Name += "2"
	}
	for k := range n.Arrays {
		if prog.Arrays[k].Role != ir.In { // of the first nest's arrays, the init may read only in arrays
			hide(&n.Arrays[k])
		}
	}
	n.Arrays[a].Role, n.Arrays[a].Unseen = ir.Out, arr.Role == ir.Internal && !arr.Returned()
	subs := make([]ir.Affine, len(arr.Lo))
	for k := range subs {
		subs[k].Iters = make([]int, k+1)
		subs[k].Iters[k] = 1
	}
	if init == nil { // the caller gives the content, or any does
		init = &ir.Init{Expr: &ir.Lit{Value: constant.MakeInt64(0), T: arr.Elem}, Span: arr.Span}
		if arr.Role == ir.InOut {
			n.Arrays[a].Role = ir.InOut
			init.Expr = &ir.Read{Array: a, Subs: subs, T: arr.Elem, At: arr.Span}
		}
		for k := range subs {
			init.Names = append(init.Names, fmt.Sprintf("x%d", k+1))
		}
	}
	for k, name := range init.Names {
		n.Loops = append(n.Loops, ir.Loop{Name: name, Lo: []ir.Affine{arr.Lo[k]}, Hi: []ir.Affine{arr.Hi[k]}, Span: init.Span})
	}
	value := ir.Clone(init.Expr)
	n.Body = []ir.Stmt{&ir.Assign{Array: a, Subs: subs, Expr: value, Span: init.Span, Line: init.Span.Line}}
	ir.Walk(value, func(e ir.Expr) {
		if r, ok := e.(*ir.Read); ok {
			r.ID = len(n.Reads)
			n.Reads = append(n.Reads, r)
			n.ReadStmt = append(n.ReadStmt, 0)
		}
	})
	return n
}

// slices checks the slices of live-out arrays. Checks that depend on parameters go to the first
// nest.
func (p *programChecker) slices(prog *ir.Program) {
	shared := slices.Clone(prog.Arrays)
	for a := range shared {
		if slices.ContainsFunc(prog.Nests, func(n *ir.Nest) bool { return n.Arrays[a].Out != nil }) {
			shared[a].Out = nil // checked with that nest
		}
	}
	checks, found := depend.Slices(prog.Nests[0], shared)
	p.add(found)
	if first := prog.Nests[0].Analysis; first != nil {
		first.Checks = append(first.Checks, checks...)
	}
}

// capital returns a name with its first letter in upper case.
func capital(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// ownNests are the nests that the file has, without those that fill arrays by their inits.
func (p *programChecker) ownNests() (nests []*ir.Nest) {
	for _, c := range p.checkers {
		nests = append(nests, c.nest)
	}
	return nests
}

// updatesOwn reports whether a statement reads the cell that it writes.
func updatesOwn(n *ir.Nest, stmt int) bool {
	s := n.Body[stmt].(*ir.Assign)
	return readsOf(n, s.Expr, func(r *ir.Read) bool {
		return r.Array == s.Array && slices.EqualFunc(r.Subs, s.Subs, ir.Affine.Equal)
	})
}
