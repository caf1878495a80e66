package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Assignments outside of bodies, and what the user may have meant.

// strays reports the assignments outside of bodies. The hint depends on the target. A name may become a constant. The cells
// of an array that an init can begin with share one init: see mayBeInit. Any other cell may become a nest.
func (c *checker) strays(f *fileSyntax) {
	shared := map[string][]*assignSyntax{}
	for _, a := range f.strays {
		if name := a.Cell.Name.Name; c.mayBeInit(f, a) {
			shared[name] = append(shared[name], a)
		}
	}
	for _, a := range f.strays {
		name := a.Cell.Name.Name
		if holed(flatTree(a.Value)) {
			c.spoiled[name] = true
			continue
		}
		r := c.errorf(diag.Misplaced, cellSpan(a.Cell), "an assignment belongs in the body of the for")
		switch list := shared[name]; {
		case len(a.Cell.Subs) == 0:
			c.strayNumber(f, r, a)
		case len(list) > 0 && list[0] == a:
			r.fixStatement(a, c.initOf(f, list))
			if len(list) > 1 { // it does not replace the others
				r.d.Kind = diag.Example
			}
		case slices.Contains(list, a):
			r.d.Message = "an assignment belongs in the body of a for: the init of " + name + " has this, for these cells"
			r.fixStatement(a, "")
		default:
			c.strayCell(f, r, a)
		}
	}
}

// fixStatement replaces an assignment by a text. If the text is empty, the advice is to leave the assignment out.
func (r report) fixStatement(a *assignSyntax, text string) {
	r.d.At = join(cellSpan(a.Cell), flatTree(a.Value).at)
	if text == "" {
		r.advise(leaveOut)
		return
	}
	r.fix(r.d.At, "%s", text)
}

// behind reports whether an assignment outside of bodies stands behind a nest.
func (c *checker) behind(f *fileSyntax, a *assignSyntax) bool {
	line := c.firstNest
	if f.loops != nil && (line == 0 || f.loops.Loops[0].Name.Pos.Line < line) {
		line = f.loops.Loops[0].Name.Pos.Line
	}
	return line > 0 && line < a.Cell.Name.Pos.Line
}

// mayBeInit reports whether an init can do what an assignment outside of bodies does: it stands before all nests, and its value
// reads only arrays that the caller gives.
func (c *checker) mayBeInit(f *fileSyntax, a *assignSyntax) bool {
	arr := f.arrayNamed(a.Cell.Name.Name)
	if arr == nil || arr.Role == "in" || arr.Role == "inout" || len(a.Cell.Subs) == 0 || a.Sign.Op != "=" || c.behind(f, a) || fromEnd(arr, a) {
		return false
	}
	return !flatTree(a.Value).callsUnknown() && !f.readsOwn(flatTree(a.Value))
}

// readsOwn reports whether e reads an array that is not given.
func (f *fileSyntax) readsOwn(e *expr) bool {
	if e.kind == nameExpr || e.kind == cellExpr {
		if arr := f.arrayNamed(e.name); arr != nil && arr.Role != "in" {
			return true
		}
	}
	return slices.ContainsFunc(e.args, f.readsOwn)
}

// fromEnd reports whether a subscript of an assignment is a negative number, and the lower bound of its array is not: in Python
// such a subscript counts from the end.
func fromEnd(arr *arraySyntax, a *assignSyntax) bool {
	for d, s := range a.Cell.Subs {
		negative := func(e *expr) bool { return strings.HasPrefix(bare(e), "-") }
		if e := flatTree(s); d < len(arr.Dims) && negative(e) && ofNumbers(e) && !negative(flatTree(arr.Dims[d].Lo)) {
			return true
		}
	}
	return false
}

// initOf returns the init for assignments to cells of one array; the last assignment to a cell wins. It returns "" if the
// assignments have different numbers of subscripts.
func (c *checker) initOf(f *fileSyntax, list []*assignSyntax) string {
	arr := f.arrayNamed(list[0].Cell.Name.Name)
	if slices.ContainsFunc(list, func(a *assignSyntax) bool { return len(a.Cell.Subs) != len(list[0].Cell.Subs) }) {
		return ""
	}
	names := f.indexNames(list)
	subs, value := names, "0"
	for _, a := range list {
		next := bare(flatTree(a.Value))
		if len(arr.Dims) > len(names) {
			subs, next = f.addSubscripts(arr, names, next)
		}
		if conditions := conditionsOf(a, names); conditions != "" && next != value {
			next = "select(" + conditions + ", " + next + ", " + value + ")"
		}
		value = next
	}
	return fmt.Sprintf("init %s[%s] = %s", arr.Name.Name, strings.Join(subs, ", "), value)
}

// indexNames returns names for the subscripts of cells of one array: those that the cells have, else free ones.
func (f *fileSyntax) indexNames(list []*assignSyntax) []string {
	names := make([]string, len(list[0].Cell.Subs))
	for d := range names {
		for _, a := range list {
			if e := flatTree(a.Cell.Subs[d]); e.kind == nameExpr && !slices.Contains(names, e.name) && !f.declaresNumber(e.name) {
				names[d] = e.name
			}
		}
	}
	for d := range names {
		if names[d] == "" {
			names[d] = freeIndex(names, d)
		}
	}
	return names
}

// conditionsOf returns the conditions for the cell with the given subscripts to be one to which a assigns; "" if it always is.
func conditionsOf(a *assignSyntax, names []string) string {
	var conditions []string
	for d, s := range a.Cell.Subs {
		if e := flatTree(s); e.kind != nameExpr || e.name != names[d] {
			conditions = append(conditions, names[d]+" == "+exprText(e, binaryOps["+"].precedence))
		}
	}
	return strings.Join(conditions, " && ")
}

// strayCell completes the report of a cell for which there can be no init. The hint is a nest in the place of the assignment.
func (c *checker) strayCell(f *fileSyntax, r report, a *assignSyntax) {
	arr := f.arrayNamed(a.Cell.Name.Name)
	if c.behind(f, a) && c.endedLet(r, f, a) || arr == nil || arr.Role == "in" || len(a.Cell.Subs) != len(arr.Dims) {
		return
	}
	if fromEnd(arr, a) {
		r.d.Message += ", and a subscript counts from the bounds of its array, not from its end"
		return
	}
	if flatTree(a.Value).callsUnknown() {
		return
	}
	var loops, subs []string
	value := f.withoutEnd(flatTree(a.Value), nil)
	for d, s := range a.Cell.Subs {
		e := f.withoutEnd(flatTree(s), arr.Dims[d])
		if holed(e) { // a slice
			e = &expr{kind: nameExpr, name: freeIndex(slices.Concat(subs, value.names()), d)}
		}
		subs = append(subs, bare(e))
		if e.kind == nameExpr && !f.declaresNumber(e.name) {
			loops = append(loops, fmt.Sprintf("%s = %s..%s", e.name, bare(flatTree(arr.Dims[d].Lo)), bare(flatTree(arr.Dims[d].Hi))))
		}
	}
	if loops == nil {
		r.d.Message = "an assignment belongs in the body of a for, here of one iteration"
		loops = []string{"i = 0..0"}
	}
	r.hint("for %s { %s[%s] %s %s }", strings.Join(loops, ", "), arr.Name.Name, strings.Join(subs, ","), a.Sign.Op, bare(value))
}

// callsUnknown reports whether e calls a function that the language lacks.
func (e *expr) callsUnknown() bool {
	_, known := ir.FuncNamed(e.name)
	return e.kind == callExpr && !known && e.name != "select" && ir.TypeNamed(e.name) == ir.Invalid || slices.ContainsFunc(e.args, (*expr).callsUnknown)
}

// withoutEnd returns e with the upper bound of its dimension in place of MATLAB's and Julia's end. dim is the dimension
// that e is a subscript of, nil outside of subscripts.
func (f *fileSyntax) withoutEnd(e *expr, dim *rangeSyntax) *expr {
	if e.kind == nameExpr && e.name == "end" && dim != nil {
		return flatTree(dim.Hi)
	}
	x := *e
	x.args = slices.Clone(e.args)
	arr := f.arrayNamed(e.name)
	for d, a := range e.args {
		inner := dim
		if e.kind == cellExpr {
			inner = nil
			if arr != nil && d < len(arr.Dims) {
				inner = arr.Dims[d]
			}
		}
		x.args[d] = f.withoutEnd(a, inner)
	}
	return &x
}

// strayNumber completes the report of a name that gets a value outside of bodies. A value of numbers and constants alone
// makes the name a constant, a value with parameters makes it a let. The size of an array is a parameter.
func (c *checker) strayNumber(f *fileSyntax, r report, a *assignSyntax) {
	e, name := flatTree(a.Value), a.Cell.Name.Name
	reported := c.spoiled[name]
	c.spoiled[name] = true
	isConst := func(e *expr) bool { return e.kind == nameExpr && f.declaresNumber(e.name) && !c.namesParam(f, e) }
	isStray := func(e *expr) bool { // another name that gets a value outside of bodies
		return e.kind == nameExpr && slices.ContainsFunc(f.strays, func(x *assignSyntax) bool { return x != a && len(x.Cell.Subs) == 0 && x.Cell.Name.Name == e.name })
	}
	switch {
	case reported:
	case c.changesInBody(f, name):
		r.d.Message = name + changedMessage
	case r.strayAgain(a, false, false, f.declaresNumber(name)):
	case e.kind == cellExpr:
		f.strayResult(r, e)
	case e.kind == callExpr && (&token{kind: tokIdent, text: e.name}).named("len", "length", "size", "numel", "ubound", "size1"):
		c.spoiled[name] = false
		r.d.Message = "the size of an array is a parameter"
		r.pattern("param %s = 100", name)
	case c.ofReduction(f, e):
		c.afterReduction(r, name, e)
	case e.computes(isConst):
		r.fixStatement(a, "const "+name+" = "+bare(withFraction(e)))
	case e.computes(func(e *expr) bool {
		_, known := ir.FuncNamed(e.name)
		return isConst(e) || isStray(e) || c.namesParam(f, e) || e.kind == callExpr && known
	}):
		r.advise("let %s%s = %s in the body: parameters are given at launch", name, typeOfQuotient(e), bare(e))
	case e.callsUnknown():
		c.strayCall(r, f, a)
	}
}

// typeOfQuotient is the type to write for a let of e: of integers alone, a quotient would be an integer.
func typeOfQuotient(e *expr) string {
	if strings.Contains(bare(e), "/") {
		return " " + ir.Float64.String()
	}
	return ""
}

// changesInBody reports whether a statement of the body of a nest assigns to a name.
func (c *checker) changesInBody(f *fileSyntax, name string) bool {
	return c.written[name] || assignments(f.body, name) > 0
}

// computes reports whether e consists of numbers, arithmetic operators, and the leaves and calls that are allowed.
func (e *expr) computes(allowed func(*expr) bool) bool {
	arithmetic := e.kind == numberExpr || e.kind == unaryExpr || e.kind == binaryExpr && e.op.Arithmetic()
	return (arithmetic || allowed(e)) && !slices.ContainsFunc(e.args, func(x *expr) bool { return !x.computes(allowed) })
}

// strayResult completes the report of a name that gets the value of a cell outside of bodies.
func (f *fileSyntax) strayResult(r report, cell *expr) {
	r.d.Message = "a nest gives back arrays, which --out writes to files"
	if arr := f.arrayNamed(cell.name); arr != nil && arr.Role == "" {
		r.hint("out %s", strings.ReplaceAll(bare(cell), ",", ", "))
	} else if arr != nil {
		r.d.Message += ": " + cell.name + " is given back as it is declared"
	}
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
		if st.keyword() == "let" && len(st.tokens) > 1 && named([]*expr{flatTree(a.Value)}, st.name().text) {
			r.d.Message += ", and the let " + st.name().text + " ends with its for"
			r.note(st.name().span(), "%s is declared here", st.name().text)
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
	return isHole(e) || slices.ContainsFunc(e.args, holed)
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

// ofNumbers reports whether e consists of numbers and arithmetic operators.
func ofNumbers(e *expr) bool { return e.computes(func(*expr) bool { return false }) }

// wholeArray reports an assignment to an array without subscripts. It returns false for any other
// assignment.
func (c *checker) wholeArray(v *view, a *assignSyntax) bool {
	ent := c.names[a.Cell.Name.Name]
	if ent == nil || ent.kind != arrayEntity {
		return false
	}
	at := cellSpan(a.Cell)
	r := c.errorf(diag.Dimensions, at, "%s is an array with %s, and an assignment is to one of its cells", a.Cell.Name.Name, plural(len(c.arrays[ent.index].syntax.Dims), "dimension")).
		note(ent.at, "%s is declared here", a.Cell.Name.Name)
	if cell, _ := c.someCell(v, ent.index); cell != "" {
		r.fix(at, "%s", cell)
	}
	return true
}
