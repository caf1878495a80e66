package frontend

import (
	"go/constant"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir"
	"loopc/ir/diag"
)

// An arrayDecl is the syntax of an array of the nest. init, slice and edges are the array's
// name in the statements that give its init, its slice and its boundary; nil without one.
type arrayDecl struct {
	syntax  *arraySyntax
	init    *nameSyntax
	slice   *nameSyntax
	edges   *nameSyntax
	spoiled bool // a mistake in its declaration was reported
	// unfolded says that its declaration lacks dimensions, which was reported.
	unfolded bool
}

// declareAll declares every name that is not local, so that declarations may be in any order.
func (c *checker) declareAll(f *fileSyntax) {
	n := c.nest
	for _, p := range f.params {
		c.declareParams(p)
	}
	for _, k := range f.consts {
		if len(k.Names) != len(k.Values) {
			c.valueCount(k.Names, len(k.Values))
			continue
		}
		for i, name := range k.Names {
			if c.declare(name, constEntity, len(c.consts)) {
				c.consts = append(c.consts, &constDecl{name: name, value: k.Values[i]})
			} else {
				c.doubledNumbers = append(c.doubledNumbers, name)
			}
		}
	}
	c.declareListed(f)
	for _, a := range f.arrays {
		if !c.declare(a.Name, arrayEntity, len(n.Arrays)) {
			c.spoiled[a.Name.Name] = true
			c.doubled = append(c.doubled, a)
			continue
		}
		t := ir.TypeNamed(a.Type.Name)
		if t == ir.Invalid {
			c.unknownType(a.Type)
		} else if c.spoiled[typeOf(a.Name.Name)] {
			t = ir.Invalid
		}
		n.Arrays = append(n.Arrays, ir.Array{Name: a.Name.Name, Elem: t, Role: roles[a.Role], Span: a.Name.span()})
		c.arrays = append(c.arrays, arrayDecl{syntax: a, spoiled: t == ir.Invalid})
	}
	c.declareRepeats()
	for _, list := range []struct {
		size int
		what string
	}{{len(n.Params) + len(n.Floats), "parameters"}, {len(c.consts) + len(c.listed), "constants"}, {len(n.Arrays), "arrays"}} {
		if list.size > maxNames {
			c.errorf(diag.TooMany, diag.Span{Pos: diag.Pos{Line: 1, Col: 1}}, "the file declares %d %s; the limit is %d", list.size, list.what, maxNames)
		}
	}
	for k, r := range f.reduces {
		if !c.declare(r.Name, reduceEntity, k) {
			c.spoiled[r.Name.Name] = true
		}
	}
	if len(f.reduces) > maxNames {
		c.errorf(diag.TooMany, f.reduces[maxNames].Name.span(), "the file declares %d reductions; the limit is %d", len(f.reduces), maxNames)
		f.reduces = f.reduces[:maxNames]
	}
	for _, e := range f.externs {
		c.declareExtern(e)
	}
	if f.loops == nil {
		return
	}
	for _, l := range f.loops.Loops {
		if c.declare(l.Name, loopEntity, len(n.Loops)) {
			n.Loops, c.header = append(n.Loops, ir.Loop{Name: l.Name.Name, Span: l.Name.span()}), append(c.header, l)
		} else {
			c.loopless = true
		}
	}
}

var roles = map[string]ir.Role{"": ir.Internal, "in": ir.In, "inout": ir.InOut, "out": ir.Out}

// declareParams declares the names of one param statement.
func (c *checker) declareParams(p *paramSyntax) {
	if len(p.Values) > 0 && len(p.Names) != len(p.Values) {
		c.valueCount(p.Names, len(p.Values))
		return
	}
	for _, name := range p.Names {
		switch {
		case !p.Float && c.declare(name, paramEntity, len(c.nest.Params)):
			c.nest.Params = append(c.nest.Params, ir.Param{Name: name.Name, Span: name.span()})
		case p.Float && c.declare(name, floatEntity, len(c.nest.Floats)):
			c.nest.Floats = append(c.nest.Floats, ir.FloatParam{Name: name.Name, Span: name.span()})
		default:
			c.doubledNumbers = append(c.doubledNumbers, name)
		}
	}
}

// valueCount reports a declaration of more, or fewer, values than names.
func (c *checker) valueCount(names []*nameSyntax, values int) {
	for _, n := range names {
		c.spoiled[n.Name] = true
	}
	r := c.errorf(diag.ValueCount, names[0].span(), "%s with %s", plural(len(names), "name"), plural(values, "value"))
	if values < len(names) {
		r.advise("each name has a value of its own, as in N, M = 9, 9")
	} else {
		r.advise("each value has a name of its own, as in N, M = 9, 9")
	}
}

// unknownType reports n, which is not the name of a type.
func (c *checker) unknownType(n *nameSyntax) {
	r := c.errorf(diag.UnknownName, n.span(), "unknown type %s", n.Name).
		advise("the types are %s", ir.TypeNames())
	var known []string
	for _, t := range ir.Types() {
		known = append(known, t.String())
	}
	if strings.EqualFold(n.Name, "float") {
		r.advise("float32 as in C, or float64 as in Python")
	} else if s := typeElsewhere(strings.ToLower(n.Name)); s != "" && !strings.EqualFold(s, n.Name) {
		r.fix(n.span(), "%s", s)
		if low := strings.ToLower(n.Name); strings.HasPrefix(low, "u") && strings.Contains(low, "32") {
			r.d.Message += ": an int64 has its values, and what is computed wraps as it does with &0xffffffff"
		}
	} else if s := diag.Nearest(n.Name, known); s != "" {
		r.d.Message += "; did you mean " + s + "?"
		r.fix(n.span(), "%s", s)
	}
}

// resolveAll resolves the content of all declarations and the expressions of the body.
func (c *checker) resolveAll(f *fileSyntax) {
	n := c.nest
	for _, k := range c.consts {
		v := c.constValue(k, k.name.span())
		n.Consts = append(n.Consts, ir.Const{Name: k.name.Name, Value: v, Span: k.name.span()})
	}
	c.resolveListed()
	for _, p := range f.params {
		c.defaults(p)
	}
	c.constantsInBounds()
	assigns := c.parseBody(f.body)
	for _, r := range f.reduces {
		c.body = append(c.body, bodyStatement{reduce: r, line: r.Name.Pos.Line})
	}
	for k := range n.Arrays {
		c.resolveBounds(k)
	}
	if f.loops != nil {
		c.resolveLoops(f.loops)
	}
	if f.schedule != nil {
		c.resolveSchedule(f.schedule)
	}
	c.begun, c.given, c.inits = map[string]bool{}, map[string]bool{}, map[string]*initSyntax{}
	for _, s := range f.inits {
		c.inits[s.Name.Name] = s
	}
	for _, s := range f.outs {
		c.given[s.Name.Name] = true
	}
	for _, s := range f.inits {
		c.begun[s.Name.Name] = true
		c.resolveInit(s)
	}
	for _, s := range f.outs {
		c.resolveSlice(s)
	}
	for _, s := range f.boundaries {
		c.resolveBoundary(s)
	}
	c.resolveBody()
	switch {
	case f.nests == 0 && c.spoiled[droppedStatement]: // what was dropped belongs into a for, which its report says
	case f.nests == 0:
		c.errorf(diag.OneNest, diag.Span{Pos: diag.Pos{Line: max(1, len(n.Source)), Col: 1}}, noForMessage).
			pattern("%s", forms["for"])
	case f.loops != nil && !assigns && !c.spoiled[droppedStatement] && len(f.body) <= maxStatements:
		c.noAssignment(f)
	}
}

const noForMessage = "the file has no for"

// defaults evaluates the default values of one param statement.
func (c *checker) defaults(p *paramSyntax) {
	if len(p.Values) != len(p.Names) {
		return
	}
	what := paramDefault
	if p.Float {
		what = floatDefault
	}
	for k, s := range p.Values {
		v := c.constant(s, what)
		if v == nil {
			continue
		}
		// The name may have been refused, or stand for something else.
		ent := c.names[p.Names[k].Name]
		mine := ent != nil && ent.at == p.Names[k].span()
		switch {
		case p.Float:
			l, _ := c.typedLit(&ir.Lit{Value: v, At: flatTree(s).at}, ir.Float64).(*ir.Lit)
			if l != nil && mine {
				value, _ := constant.Float64Val(l.Value)
				c.nest.Floats[ent.index].Default = &value
			}
		case constant.ToInt(v).Kind() != constant.Int:
			c.realParam(p, k, v)
		default:
			if value, ok := c.integer(v, flatTree(s)); ok && mine {
				c.nest.Params[ent.index].Default = &value
			}
		}
	}
}

// inBounds reports whether a name stands in square brackets or in the header of a loop.
func (c *checker) inBounds(name string) bool {
	depth, header := 0, false
	for k, x := range scanned([]byte(strings.Join(c.nest.Source, "\n"))) {
		switch {
		case x.is("[") || x.is("]"):
			depth += map[string]int{"[": 1, "]": -1}[x.text]
		case x.is("for") || x.is("repeat") || x.is("batch"):
			header = true
		case x.is("{") || x.is("until"):
			header = false
		}
		if k > 0 && isName(x, name) && (depth > 0 || header) {
			return true
		}
	}
	return false
}

// realParam reports that v, the default of the k-th name of p, is not an integer.
func (c *checker) realParam(p *paramSyntax, k int, v constant.Value) {
	name, e := p.Names[k].Name, flatTree(p.Values[k])
	c.reals = true
	r := c.errorf(diag.NotConstant, e.at, "a parameter without a type is an integer, and %s is %s", name, short(v))
	if c.inBounds(name) {
		r.d.Message += ": it stands in bounds or subscripts, which are of integers"
		return
	}
	if len(p.Names) > 1 {
		r.advise("parameters of floats have a declaration of their own, such as param %s float64 = %s", name, bare(e))
		return
	}
	r.hint("param %s float64 = %s", name, bare(e))
	if at := tokenSpan(lexer.Token{Value: "param", Pos: p.Pos}); len(p.Names) == 1 && e.oneLine() && e.at.Line == at.Line {
		r.fix(join(at, e.at), "param %s float64 = %s", name, bare(e))
	}
}

// resolveBounds makes the bounds of array k affine.
func (c *checker) resolveBounds(k int) {
	decl, arr := &c.arrays[k], &c.nest.Arrays[k]
	dims := decl.syntax.Dims
	if len(dims) > maxDepth {
		decl.spoiled = true
		c.errorf(diag.TooDeep, arr.Span, "%s has %d dimensions; the limit is %d", arr.Name, len(dims), maxDepth)
		return
	}
	v := &view{what: arrayBounds, params: true}
	for _, d := range dims {
		told := len(c.diags)
		lo, okLo := c.affineOf(v, d.Lo)
		hi, okHi := c.affineOf(v, d.Hi)
		c.unfolded(k, told, d)
		decl.spoiled = decl.spoiled || !okLo || !okHi
		if okLo && okHi {
			c.extent(arr, d, lo, hi)
		}
		arr.Lo, arr.Hi = append(arr.Lo, lo), append(arr.Hi, hi)
	}
}

// affineOf does what affine does, for an expression as written.
func (c *checker) affineOf(v *view, s *exprSyntax) (ir.Affine, bool) {
	e := c.treeOf(s)
	if e == nil {
		return ir.Affine{}, false
	}
	return c.affine(v, e)
}

// extent reports bounds with a negative extent for all values of the parameters. An extent of 0, as
// in 1..0, is legal.
func (c *checker) extent(arr *ir.Array, d *rangeSyntax, lo, hi ir.Affine) {
	for k := range c.nest.Params {
		if lo.Param(k) != hi.Param(k) {
			c.reversed(arr, d, lo, hi)
			return
		}
	}
	if extent := hi.Const - lo.Const + 1; extent < 0 && !c.unknownNames() {
		e := flatTree(d.Lo)
		at := join(e.at, flatTree(d.Hi).at)
		c.errorf(diag.EmptyExtent, at, "%s has the extent %d in this dimension", arr.Name, extent)
	}
}

// unknownNames reports whether the file has names about which it is told that nothing declares them: they count as 0 in bounds.
func (c *checker) unknownNames() bool {
	return slices.ContainsFunc(c.diags, func(d diag.Diagnostic) bool { return d.Code == diag.UnknownName })
}

// reversed warns if the bounds of an array go down when the parameters have their defaults: the array then
// has no cells.
func (c *checker) reversed(arr *ir.Array, d *rangeSyntax, lo, hi ir.Affine) {
	l, known := c.defaultBound([]ir.Affine{lo}, slices.Max[[]int])
	h, also := c.defaultBound([]ir.Affine{hi}, slices.Min[[]int])
	if !known || !also || l <= h+1 || c.belowZero([]ir.Affine{lo}, []ir.Affine{hi}) {
		return
	}
	first, last := flatTree(d.Lo), flatTree(d.Hi)
	r := c.warn(diag.EmptyExtent, join(first.at, last.at), "the bounds of %s go down from %d to %d by default: it has no cells", arr.Name, l, h)
	if first.oneLine() && last.oneLine() && first.at.Line == last.at.Line {
		r.fix(join(first.at, last.at), "%s..%s", c.text(last.at), c.text(first.at))
	}
}

// resolveLoops makes the bounds of the loops affine.
func (c *checker) resolveLoops(f *forSyntax) {
	if len(f.Loops) > maxDepth {
		c.errorf(diag.TooDeep, f.Loops[maxDepth].Name.span(), "the nest has %d loops; the limit is %d", len(f.Loops), maxDepth)
	}
	k := 0
	for _, l := range f.Loops {
		outer, told := k, len(c.diags)
		first, last, backward := l.Range.Lo, l.Range.Hi, c.backward(l)
		stepped := told == len(c.diags)
		if backward {
			first, last = last, first
		}
		told = len(c.diags)
		lo := c.bound(outer, first, ir.Max, backward)
		hi := c.bound(outer, last, ir.Min, backward)
		c.oneCellBound(told)
		if k < len(c.nest.Loops) && c.nest.Loops[k].Span == l.Name.span() {
			c.nest.Loops[k].Lo, c.nest.Loops[k].Hi, c.nest.Loops[k].Backward = lo, hi, backward
			if stepped {
				c.emptyLoop(k, l)
			}
			k++
		}
	}
}

// backward reports whether a loop runs in steps of -1. Steps other than 1 and -1, which lowering knows, are
// refused, because the iterations would not be a convex set.
func (c *checker) backward(l *loopSyntax) bool {
	if l.Step == nil {
		return false
	}
	v := c.constant(l.Step, "the step of a loop")
	if v == nil {
		return false
	}
	step := constant.ToInt(v)
	if step.Kind() == constant.Int {
		if n, exact := constant.Int64Val(step); exact && (n == 1 || n == -1) {
			return n < 0
		}
	}
	c.otherStep(l, v)
	return constant.Sign(v) < 0
}
