package frontend

import (
	"fmt"
	"loopc/ir"
	"loopc/ir/diag"
	"slices"
	"strings"
)

// Assignments that stand in no body: what they may be meant for.

// outside reports an assignment in no body: of a cell as what an init may say, of a
// name as a constant.
func (c *checker) outside(f *fileSyntax, a *assignSyntax) {
	if holed(flatTree(a.Value)) {
		c.spoiled[a.Cell.Name.Name] = true
		return
	}
	r := c.errorf(diag.Misplaced, cellSpan(a.Cell), "an assignment belongs in the body of the for")
	value := bare(flatTree(a.Value))
	if len(a.Cell.Subs) == 0 {
		r.hint("const %s = %s", a.Cell.Name.Name, value)
		return
	}
	var arr *arraySyntax
	for _, x := range f.arrays {
		if x.Name.Name == a.Cell.Name.Name {
			arr = x
		}
	}
	if arr != nil && (arr.Role == "in" || arr.Role == "inout") {
		c.strayGiven(r, a, arr)
		return
	}
	names, conditions := make([]string, len(a.Cell.Subs)), []string(nil)
	for d, s := range a.Cell.Subs {
		if e := flatTree(s); e.kind == nameExpr && !slices.Contains(names, e.name) && !c.isParam(f, e.name) {
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
		given := len(names)
		for d := given; d < min(len(arr.Dims), maxDepth); d++ {
			names = append(names, freeIndex(names, d))
		}
		if k := slices.IndexFunc(f.arrays, func(x *arraySyntax) bool { return x.Name.Name == value && len(x.Dims) == len(names)-given }); k >= 0 {
			value += "[" + strings.Join(names[given:], ",") + "]"
		}
	}
	if conditions != nil {
		value = "select(" + strings.Join(conditions, " && ") + ", " + value + ", 0)"
	}
	r.hint("init %s[%s] = %s", a.Cell.Name.Name, strings.Join(names, ", "), value)
}

// freeIndex is a name for the d-th subscript of an init that none of the others has.
func freeIndex(names []string, d int) string {
	free := []string{"i", "j", "k", "l", "m", "n", "p", "q"}
	if k := slices.IndexFunc(free, func(n string) bool { return !slices.Contains(names, n) }); k >= 0 {
		return free[k]
	}
	return fmt.Sprintf("x%d", d+1)
}

// holed reports whether e has a hole, for which something was reported.
func holed(e *expr) bool {
	return e.kind == nameExpr && (e.name == hole || e.name == remainderHole) || slices.ContainsFunc(e.args, holed)
}

// strayGiven adds to the report of an assignment in no body, to an array that the caller
// gives, the nest that it is: an init is not for such arrays.
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

// isParam reports whether a name is declared as a parameter or a constant.
func (c *checker) isParam(f *fileSyntax, name string) bool {
	is := func(n *nameSyntax) bool { return n.Name == name }
	return slices.ContainsFunc(f.params, func(p *paramSyntax) bool { return slices.ContainsFunc(p.Names, is) }) ||
		slices.ContainsFunc(f.consts, func(p *constSyntax) bool { return slices.ContainsFunc(p.Names, is) })
}

// ofNumbers reports whether e has nothing but numbers and operators.
func ofNumbers(e *expr) bool {
	return (e.kind == numberExpr || e.kind == unaryExpr || e.kind == binaryExpr && e.op <= ir.Quo) && !slices.ContainsFunc(e.args, func(a *expr) bool { return !ofNumbers(a) })
}
