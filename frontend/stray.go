package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// Assignments outside of bodies, and what the user may have meant.

// outside reports an assignment outside of bodies. The hint for a cell is an init, the hint for a
// name a constant.
func (c *checker) outside(f *fileSyntax, a *assignSyntax) {
	if holed(flatTree(a.Value)) {
		c.spoiled[a.Cell.Name.Name] = true
		return
	}
	r := c.errorf(diag.Misplaced, cellSpan(a.Cell), "an assignment belongs in the body of the for")
	value := bare(flatTree(a.Value))
	if len(a.Cell.Subs) == 0 {
		c.strayNumber(f, r, a)
		return
	}
	arr := f.arrayNamed(a.Cell.Name.Name)
	behind := f.loops != nil && f.loops.Loops[0].Name.Pos.Line < a.Cell.Name.Pos.Line
	if behind && c.endedLet(r, f, a) {
		return
	}
	if arr != nil && (behind || arr.Role == "in" || arr.Role == "inout") {
		c.strayGiven(r, a, arr)
		return
	}
	names, conditions := make([]string, len(a.Cell.Subs)), []string(nil)
	for d, s := range a.Cell.Subs {
		if e := flatTree(s); e.kind == nameExpr && !slices.Contains(names, e.name) && !f.declaresNumber(e.name) {
			names[d] = e.name
		}
	}
	for d, s := range a.Cell.Subs {
		if names[d] == "" {
			names[d] = freeIndex(names, d)
			conditions = append(conditions, names[d]+" == "+exprText(flatTree(s), binaryOps["+"].precedence))
		}
	}
	if arr != nil && len(arr.Dims) > len(names) {
		names, value = f.addSubscripts(arr, names, value)
	}
	if conditions != nil {
		value = "select(" + strings.Join(conditions, " && ") + ", " + value + ", 0)"
	}
	r.hint("init %s[%s] = %s", a.Cell.Name.Name, strings.Join(names, ", "), value)
}

// strayNumber completes the report of a name that gets a number outside of bodies.
func (c *checker) strayNumber(f *fileSyntax, r report, a *assignSyntax) {
	e, name := flatTree(a.Value), a.Cell.Name.Name
	if c.namesParam(f, e) || slices.ContainsFunc(e.names(), func(n string) bool { return c.spoiled[n] }) {
		c.spoiled[name] = true
		r.advise("let %s = %s in the body: parameters are given at launch", name, bare(e))
		return
	}
	r.hint("const %s = %s", name, bare(e))
}

// arrayNamed is the last array of that name, nil if there is none.
func (f *fileSyntax) arrayNamed(name string) (arr *arraySyntax) {
	for _, x := range f.arrays {
		if x.Name.Name == name {
			arr = x
		}
	}
	return arr
}

// addSubscripts completes an assignment to a cell of arr that lacks subscripts. It returns a name for every
// dimension of arr. If the value is an array with as many dimensions as names were lacking, the value gets
// these names as subscripts.
func (f *fileSyntax) addSubscripts(arr *arraySyntax, names []string, value string) ([]string, string) {
	given := len(names)
	for d := given; d < min(len(arr.Dims), maxDepth); d++ {
		names = append(names, freeIndex(names, d))
	}
	if slices.ContainsFunc(f.arrays, func(x *arraySyntax) bool { return x.Name.Name == value && len(x.Dims) == len(names)-given }) {
		value += "[" + strings.Join(names[given:], ",") + "]"
	}
	return names, value
}

// endedLet completes the report of an assignment behind the nest if its value uses a let of the body,
// which has ended there. It returns false if it uses none.
func (c *checker) endedLet(r report, f *fileSyntax, a *assignSyntax) bool {
	for _, st := range f.body {
		if st.keyword() == "let" && len(st.tokens) > 1 && named([]*expr{flatTree(a.Value)}, st.tokens[1].text) {
			r.d.Message += ", and the let " + st.tokens[1].text + " ends with its for"
			r.note(st.tokens[1].span(), "%s is declared here", st.tokens[1].text)
			return true
		}
	}
	return false
}

// freeIndex returns a name for the d-th subscript of an init that no other subscript has.
func freeIndex(names []string, d int) string {
	free := []string{"i", "j", "k", "l", "m", "n", "p", "q"}
	if k := slices.IndexFunc(free, func(n string) bool { return !slices.Contains(names, n) }); k >= 0 {
		return free[k]
	}
	return fmt.Sprintf("x%d", d+1)
}

// holed reports whether e contains a hole, whose mistake is reported already.
func holed(e *expr) bool {
	return e.kind == nameExpr && (e.name == hole || e.name == remainderHole) || slices.ContainsFunc(e.args, holed)
}

// strayGiven extends the report of an assignment outside of bodies, to a given array or behind the
// nest: the hint is a nest, because an init comes before the nest, and given arrays have none.
func (c *checker) strayGiven(r report, a *assignSyntax, arr *arraySyntax) {
	if arr.Role == "in" || len(a.Cell.Subs) != len(arr.Dims) {
		return
	}
	var loops, subs []string
	for d, s := range a.Cell.Subs {
		e := flatTree(s)
		if subs = append(subs, bare(e)); e.kind == nameExpr {
			loops = append(loops, fmt.Sprintf("%s = %s..%s", e.name, bare(flatTree(arr.Dims[d].Lo)), bare(flatTree(arr.Dims[d].Hi))))
		}
	}
	if loops == nil {
		loops = []string{"i = 0..0"}
	}
	r.hint("for %s { %s[%s] = %s }", strings.Join(loops, ", "), arr.Name.Name, strings.Join(subs, ","), bare(flatTree(a.Value)))
}

// declaresNumber reports whether a name is declared as a parameter or a constant.
func (f *fileSyntax) declaresNumber(name string) bool {
	is := func(n *nameSyntax) bool { return n.Name == name }
	return slices.ContainsFunc(f.params, func(p *paramSyntax) bool { return slices.ContainsFunc(p.Names, is) }) ||
		slices.ContainsFunc(f.consts, func(p *constSyntax) bool { return slices.ContainsFunc(p.Names, is) })
}

// namesParam reports whether e has a parameter.
func (c *checker) namesParam(f *fileSyntax, e *expr) bool {
	return e.kind == nameExpr && slices.ContainsFunc(f.params, func(p *paramSyntax) bool {
		return slices.ContainsFunc(p.Names, func(n *nameSyntax) bool { return n.Name == e.name })
	}) || slices.ContainsFunc(e.args, func(a *expr) bool { return c.namesParam(f, a) })
}

// ofNumbers reports whether e consists of numbers and operators.
func ofNumbers(e *expr) bool {
	return (e.kind == numberExpr || e.kind == unaryExpr || e.kind == binaryExpr && e.op.Arithmetic()) && !slices.ContainsFunc(e.args, func(a *expr) bool { return !ofNumbers(a) })
}

// wholeArray reports an assignment to an array without subscripts. It returns false for any other
// assignment.
func (c *checker) wholeArray(v *view, a *assignSyntax) bool {
	ent := c.names[a.Cell.Name.Name]
	if ent == nil || ent.kind != arrayEntity {
		return false
	}
	cell, _ := c.someCell(v, ent.index)
	if cell == "" {
		cell = c.cellOf(ent.index)
	}
	at := cellSpan(a.Cell)
	c.errorf(diag.Dimensions, at, "%s is an array with %s, and an assignment is to one of its cells", a.Cell.Name.Name, plural(len(c.arrays[ent.index].syntax.Dims), "dimension")).
		note(ent.at, "%s is declared here", a.Cell.Name.Name).fix(at, "%s", cell)
	return true
}

// copiesArray reports an assignment of one array to another one of as many dimensions. It returns false for any other
// assignment.
func (c *checker) copiesArray(a *assignSyntax) bool {
	e, ent := flatTree(a.Value), c.names[a.Cell.Name.Name]
	if ent == nil || ent.kind != arrayEntity {
		return false
	}
	from, arr := c.names[e.name], c.arrays[ent.index].syntax
	if e.kind != nameExpr || from == nil || from.kind != arrayEntity || len(c.arrays[from.index].syntax.Dims) != len(arr.Dims) {
		return false
	}
	var names, loops []string
	over := 0
	for d, dim := range arr.Dims {
		if slices.ContainsFunc(c.header, func(l *loopSyntax) bool {
			return bare(flatTree(l.Range.Lo)) == bare(flatTree(dim.Lo)) && bare(flatTree(l.Range.Hi)) == bare(flatTree(dim.Hi))
		}) {
			over++
		}
		names = append(names, freeIndex(append(names, c.loopNames()...), d))
		loops = append(loops, names[d]+" = "+strings.ReplaceAll(bare(flatTree(dim.Lo))+".."+bare(flatTree(dim.Hi)), " ", ""))
	}
	if over == len(arr.Dims) { // the loops around go over its cells
		return false
	}
	subs := "[" + strings.Join(names, ",") + "]"
	at := join(cellSpan(a.Cell), e.at)
	c.errorf(diag.Dimensions, at, "an assignment is to one cell: a for copies an array").
		fix(at, "for %s { %s%s = %s%s }", strings.Join(loops, ", "), a.Cell.Name.Name, subs, e.name, subs)
	return true
}
