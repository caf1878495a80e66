package frontend

import (
	"loopc/ir"
	"loopc/ir/diag"
	"slices"
	"strings"
)

// Cells: which array they belong to, and the number of their subscripts.

// someCell returns a cell of an array for a hint: the array's only cell (then only is true), or the
// one at the indices of an init, or at the innermost loops. The text is "" if these are too few.
func (c *checker) someCell(v *view, array int) (text string, only bool) {
	dims := c.arrays[array].syntax.Dims
	only = true
	var first, names []string
	for _, d := range dims {
		lo, hi := flatTree(d.Lo), flatTree(d.Hi)
		first = append(first, bare(lo))
		only = only && lo.kind == numberExpr && bare(lo) == bare(hi)
	}
	if only {
		return c.nest.Arrays[array].Name + "[" + strings.Join(first, ",") + "]", true
	}
	for _, s := range v.indices {
		names = append(names, s.Name)
	}
	for k := 0; k < v.loops && k < len(c.nest.Loops); k++ {
		names = append(names, c.nest.Loops[k].Name)
	}
	if !v.cells || len(dims) > len(names) {
		return "", false
	}
	// A loop that ends where the dimension does fits better than the innermost ones.
	subs := make([]string, len(dims))
	for k, d := range dims {
		at := slices.IndexFunc(c.header, func(l *loopSyntax) bool {
			return bare(flatTree(l.Range.Hi)) == bare(flatTree(d.Hi)) && !slices.Contains(subs, l.Name.Name)
		})
		if at >= 0 && at < v.loops {
			subs[k] = c.header[at].Name.Name
			continue
		}
		for _, r := range slices.Backward(c.in) {
			if l := r.header.tokens; len(l) > 3 && subs[k] == "" && strings.HasSuffix(textOf(l[3:]), ".."+bare(flatTree(d.Hi))) {
				subs[k] = l[1].text
			}
		}
	}
	free := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(subs, name) })
	for k := len(subs) - 1; k >= 0; k-- {
		if subs[k] == "" {
			subs[k], free = free[len(free)-1], free[:len(free)-1]
		}
	}
	return c.nest.Arrays[array].Name + "[" + strings.Join(subs, ",") + "]", false
}

// array finds the array of a cell and checks the number of subscripts. It returns the array's
// index, or -1 after a mistake.
func (c *checker) array(v *view, name string, at diag.Span, subscripts int, whole diag.Span) int {
	before := len(c.diags)
	ent := c.find(v, name, at, "", func() []string { return c.arraysOf(subscripts) })
	if ent == nil {
		if n := len(c.diags); n > before && c.diags[n-1].Code == diag.UnknownName && c.diags[n-1].Hint == "" && subscripts > 0 && subscripts <= maxDepth {
			c.unknownArray(name, subscripts)
		} else if n > before && c.diags[n-1].Code == diag.UnknownName && subscripts > 0 && subscripts <= maxDepth {
			c.orDeclared(report{&c.diags[n-1]}, name, subscripts)
		}
		return -1
	}
	if ent.kind != arrayEntity {
		c.errorf(diag.NameMisuse, at, "%s is given subscripts, but it is %s", name, ent.kind).
			note(ent.at, "%s is declared here", name)
		return -1
	}
	if dims := len(c.arrays[ent.index].syntax.Dims); dims != subscripts {
		if c.arrays[ent.index].unfolded {
			return -1 // its declaration is reported
		}
		c.errorf(diag.Dimensions, whole, "%s has %s, not %d", name, plural(dims, "dimension"), subscripts).
			note(ent.at, "%s is declared here", name)
		return -1
	}
	return ent.index
}

// flattened completes the report of a wrong number of subscripts, if it alone follows the first told
// diagnostics. For a single subscript as in C, a[i*M+j], the hint has the subscripts it stands for.
func (c *checker) flattened(told int, name string, subs []*expr) {
	if told+1 != len(c.diags) || c.diags[told].Code != diag.Dimensions || c.names[name] == nil {
		return
	}
	k := c.names[name].index
	c.otherDimensions(report{&c.diags[told]}, k, subs)
	if dims := len(c.arrays[k].syntax.Dims); len(subs) == dims+1 && c.written[name] && (len(c.nest.Loops) > dims || len(c.repeats) > 0) {
		c.withoutTime(report{&c.diags[told]}, name, subs)
	}
	if strings.HasPrefix(c.diags[told].Hint, declareIt) {
		c.arrays[k].unfolded = true
	}
	if len(subs) != 1 {
		return
	}
	if parts := apart(subs[0], len(c.arrays[c.names[name].index].syntax.Dims)); parts != nil {
		report{&c.diags[told]}.fix(c.diags[told].At, "%s[%s]", name, strings.Join(parts, ","))
	}
}

// apart returns the subscripts that i*M + j stands for, nil if e is not such a sum.
func apart(e *expr, dims int) []string {
	if dims == 1 {
		return []string{bare(e)}
	}
	var tail string // the terms after the product
	for e.kind == binaryExpr && (e.op == ir.Add || e.op == ir.Sub) {
		x, y := e.args[0], e.args[1]
		if x.kind == binaryExpr && x.op == ir.Mul {
			if e.op == ir.Sub {
				return nil
			}
			return withLast(apart(x.args[0], dims-1), bare(y)+tail)
		}
		tail, e = e.op.String()+exprText(y, quotientPrecedence)+tail, x
	}
	return nil
}

// withLast returns the list with one more text; nil stays nil.
func withLast(list []string, text string) []string {
	if list == nil {
		return nil
	}
	return append(list, text)
}

// read resolves the cell e; nil after a mistake.
func (c *checker) read(v *view, e *expr) ir.Expr {
	if a, ok := c.listedOf(v, e); ok {
		return c.listedCell(v, e, a)
	}
	if !v.cells {
		c.errorf(diag.NotConstant, e.at, "%s cannot be used in %s: it is an array cell", c.text(e.at), v.what)
		return nil
	}
	told := len(c.diags)
	a := c.array(v, e.name, e.opAt, len(e.args), e.at)
	c.flattened(told, e.name, e.args)
	if a < 0 {
		return nil
	}
	if arr := &c.nest.Arrays[a]; v.init && arr.Role != ir.In {
		c.initRead(e, arr)
		return nil
	}
	if c.looksUp(v, a, e) {
		return c.lookupOf(v, a, e)
	}
	subs, ok := c.subscripts(v, a, e.args)
	if !ok || c.nest.Arrays[a].Elem == ir.Invalid {
		return nil
	}
	return &ir.Read{T: c.nest.Arrays[a].Elem, ID: -1, Array: a, Subs: subs, At: e.at}
}

// roleText is a role with its article.
func roleText(r ir.Role) string { return "an " + r.String() + " array" }

// names are the names in an expression.
func (e *expr) names() (list []string) {
	if e.kind == nameExpr {
		list = append(list, e.name)
	}
	for _, x := range e.args {
		list = append(list, x.names()...)
	}
	return list
}

// neverWritten is the array with that many dimensions that neither the caller gives nor any statement
// of the file assigns to; "" unless there is exactly one.
func (c *checker) neverWritten(dims int) (name string) {
	for k, arr := range c.nest.Arrays {
		if arr.Role == ir.In || arr.Role == ir.InOut || c.written[arr.Name] || len(c.arrays[k].syntax.Dims) != dims || c.others.writes[arr.Name] {
			continue
		}
		if name != "" {
			return ""
		}
		name = arr.Name
	}
	return name
}
