package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// An array that the file uses and does not declare. Its declaration follows from its uses: the
// subscripts give the bounds, an array that is used alike gives the type, and whether it is written,
// has an init or gives back a slice tells the role.

// unknownArray completes the report of an unknown array, the last one. If the name of another array
// was declared twice, one of the two was meant to be this one: there is one mistake then.
func (c *checker) unknownArray(name string, subscripts int) {
	for _, d := range c.doubled {
		if len(d.Dims) == subscripts && c.meantBy(d.Name, name) {
			return
		}
	}
	if c.others.names[name] && len(c.cellsOfBody(name)) == 0 {
		return // the nest that uses it knows more of it
	}
	if c.examined++; c.examined <= 2*diag.MaxShown {
		report{&c.diags[len(c.diags)-1]}.pattern("%s", c.declarationLike(name, subscripts))
	}
}

// orDeclared completes the report of an unknown array whose hint is the name of another one, by the declaration of an array
// of this name: nothing tells which of both was meant, if the name is short or the file has it again.
func (c *checker) orDeclared(r report, name string, subscripts int) {
	near := r.d.Hint
	used := len(c.cellsOfBody(name))
	if r.d.Kind != diag.Replacement || len([]rune(name)) > 2 && used < 2 || c.others.names[name] && used == 0 {
		return
	}
	if c.examined++; c.examined > 2*diag.MaxShown {
		return
	}
	ways := []string{near, c.declarationLike(name, subscripts)}
	if used > 1 || c.assignedTo(name) {
		slices.Reverse(ways)
	}
	r.advise("%s", joined(ways))
}

// meantBy joins the last report, of an unknown name, to the report of a name that is declared
// twice, if the second declaration was meant to declare the unknown one. It reports whether it
// does.
func (c *checker) meantBy(twice *nameSyntax, name string) bool {
	at := slices.IndexFunc(c.diags, func(x diag.Diagnostic) bool { return x.Code == diag.Redeclared && x.At == twice.span() })
	if at < 0 || c.diags[at].Hint != "" {
		return false
	}
	report{&c.diags[at]}.fix(twice.span(), "%s", name)
	c.diags[at].Message += ", and " + name + " is not declared"
	c.diags = c.diags[:len(c.diags)-1]
	return true
}

// copied completes report number told, that an earlier let has the name of let k, with value e. If the statements
// below use exactly one name that nothing declares, the user has copied a line, and this name is meant. Otherwise
// copied returns false.
func (c *checker) copied(k, told int, e *expr) bool {
	twice := c.body[k].let.Name
	if slices.Contains(e.names(), twice.Name) {
		return false // the let changes the first one
	}
	lets := map[string]bool{}
	for _, b := range c.body {
		if b.let != nil {
			lets[b.let.Name.Name] = true
		}
	}
	meant := ""
	for _, b := range c.body[k+1:] {
		var value *exprSyntax
		switch {
		case b.let != nil:
			value = b.let.Value
		case b.reduce != nil:
			value = b.reduce.Value
		default:
			value = b.assign.Value
		}
		for _, name := range flatTree(value).names() {
			if c.names[name] != nil || lets[name] || c.spoiled[name] || c.others.lets[name] != (diag.Span{}) || numbersElsewhere[name] != "" || name == meant {
				continue
			}
			if meant != "" {
				return false
			}
			meant = name
		}
	}
	if meant == "" || meant == hole || meant == remainderHole {
		return false
	}
	c.spoiled[meant] = true
	c.diags[told].Message += ", and " + meant + " is not declared"
	report{&c.diags[told]}.fix(twice.span(), "%s", meant)
	return true
}

// declarationLike is a declaration of an array that the file does not declare.
func (c *checker) declarationLike(name string, subscripts int) string {
	reach := c.reachOf(name, subscripts)
	k := c.likest(name, subscripts, reach)
	var dims []string
	elem := c.neededFor(name)
	if k >= 0 {
		elem = c.nest.Arrays[k].Elem
	}
	role := c.roleOf(name, k)
	filled := c.assignedTo(name) && !c.begun[name] && role != "inout" // by the nest alone, which must reach all cells
	switch {
	case k >= 0 && (reach == nil || !filled && c.contains(k, reach)):
		for _, d := range c.arrays[k].syntax.Dims {
			dims = append(dims, bare(flatTree(d.Lo))+".."+bare(flatTree(d.Hi)))
		}
	case reach != nil:
		return "array " + c.declared(name, reach, elem.String(), role)
	default:
		dims = slices.Repeat([]string{"0..N"}, subscripts)
	}
	return strings.TrimSpace(fmt.Sprintf("array %s[%s] %s %s", name, strings.Join(dims, ", "), elem, role))
}

// declared is the declaration of an array for a reach, without its first word.
func (c *checker) declared(name string, reach [][2]ir.Affine, elem, role string) string {
	var dims []string
	for _, r := range reach {
		dims = append(dims, depend.AffineText(c.nest, r[0], nil)+".."+depend.AffineText(c.nest, r[1], nil))
	}
	return strings.TrimSpace(fmt.Sprintf("%s[%s] %s %s", name, strings.Join(dims, ", "), elem, role))
}

// neededFor is the type of the array to which the first statement that reads the named array assigns; else the
// type that all arrays have, or float64.
func (c *checker) neededFor(name string) ir.Type {
	for _, b := range c.body {
		if b.assign == nil || len(cellsOf(flatTree(b.assign.Value), name)) == 0 {
			continue
		}
		if ent := c.names[b.assign.Cell.Name.Name]; ent != nil && ent.kind == arrayEntity && c.nest.Arrays[ent.index].Elem != ir.Invalid {
			return c.nest.Arrays[ent.index].Elem
		}
	}
	elem := ir.Invalid
	for _, a := range c.nest.Arrays {
		if elem != ir.Invalid && a.Elem != elem {
			return ir.Float64
		}
		elem = a.Elem
	}
	if elem == ir.Invalid {
		return ir.Float64
	}
	return elem
}

// assignedTo reports whether some nest of the file writes the array of a name.
func (c *checker) assignedTo(name string) bool { return c.written[name] || c.others.writes[name] }

// roleOf is the role of an array that is not declared. Array k is used like it, unless k is -1.
func (c *checker) roleOf(name string, k int) string {
	like := ""
	if k >= 0 && c.assignedTo(c.nest.Arrays[k].Name) == c.assignedTo(name) {
		like = c.arrays[k].syntax.Role
	}
	switch {
	case c.given[name]:
		return ""
	case !c.assignedTo(name) && !c.begun[name]:
		return "in"
	case c.assignedTo(name) && c.noResult():
		return map[bool]string{true: "out", false: "inout"}[c.begun[name]] // nothing else is given back
	case c.begun[name] && (like == "in" || like == "inout"):
		return "out"
	case like == "out" && !c.begun[name] && c.begun[c.nest.Arrays[k].Name]: // the other one is the result
		return map[bool]string{true: "inout", false: ""}[c.needsFirst(name)]
	case c.begun[name] || like != "":
		return like
	}
	return "inout"
}

// noResult reports whether the file gives nothing back.
func (c *checker) noResult() bool {
	return len(c.given)+len(c.others.reduces) == 0 && !slices.ContainsFunc(c.body, func(b bodyStatement) bool { return b.reduce != nil }) &&
		!slices.ContainsFunc(c.nest.Arrays, func(a ir.Array) bool { return a.Returned() })
}

// needsFirst reports whether the body may read an array before it writes the cell: in an earlier statement than the first that writes
// it, in the same one, or at other subscripts.
func (c *checker) needsFirst(name string) bool {
	written := ""
	for _, b := range c.body {
		var value *exprSyntax
		switch {
		case b.let != nil:
			value = b.let.Value
		case b.assign != nil:
			value = b.assign.Value
		default:
			continue
		}
		for _, subs := range cellsOf(flatTree(value), name) {
			if subscriptText(subs) != written {
				return true
			}
		}
		if b.assign != nil && b.assign.Cell.Name.Name == name && written == "" {
			var subs []*expr
			for _, s := range b.assign.Cell.Subs {
				subs = append(subs, flatTree(s))
			}
			written = subscriptText(subs)
		}
	}
	return false
}

// subscriptText returns the text of subscripts, to compare them.
func subscriptText(subs []*expr) string {
	var list []string
	for _, s := range subs {
		list = append(list, bare(s))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// likest is the array of as many dimensions that is used most like one that is not declared. It counts most
// that both are written, or neither, then that its bounds contain the reach. It is -1 if neither holds.
func (c *checker) likest(name string, subscripts int, reach [][2]ir.Affine) int {
	best, most := -1, 0
	for k, a := range c.nest.Arrays {
		if a.Elem == ir.Invalid || len(c.arrays[k].syntax.Dims) != subscripts {
			continue
		}
		alike := 1
		if c.assignedTo(a.Name) == c.assignedTo(name) {
			alike += 4
		}
		if reach != nil && c.contains(k, reach) {
			alike += 2
		}
		if alike > most {
			best, most = k, alike
		}
	}
	if most < 2 {
		return -1
	}
	return best
}

// contains reports whether the bounds of array k contain a reach.
func (c *checker) contains(k int, reach [][2]ir.Affine) bool {
	arr := &c.nest.Arrays[k]
	if len(arr.Lo) != len(reach) {
		return false
	}
	for d, r := range reach {
		below, known := distance(r[0], arr.Lo[d])
		above, also := distance(arr.Hi[d], r[1])
		if !known || !also || below < 0 || above < 0 {
			return false
		}
	}
	return true
}

// distance is x - y, if it is the same for all parameters.
func distance(x, y ir.Affine) (int, bool) {
	return x.Const - y.Const, slices.Equal(trimmed(x.Params), trimmed(y.Params)) && !x.HasIters() && !y.HasIters()
}

// reachOf is the range of each subscript of an array in the body, found from subscripts that are a loop plus a
// number; others are assumed to lie within. It is nil if a dimension has no such subscript, or if ranges cannot
// be compared.
func (c *checker) reachOf(name string, subscripts int) [][2]ir.Affine {
	reach := make([][2]ir.Affine, subscripts)
	found := make([]bool, subscripts)
	clear := true
	for _, subs := range c.cellsOfBody(name) {
		for d, e := range subs {
			r, known := c.rangeOfLoop(e)
			if !known || d >= subscripts {
				continue
			}
			if !found[d] {
				reach[d], found[d] = r, true
			}
			below, same := distance(r[0], reach[d][0])
			above, also := distance(r[1], reach[d][1])
			clear = clear && same && also
			if below < 0 {
				reach[d][0] = r[0]
			}
			if above > 0 {
				reach[d][1] = r[1]
			}
		}
	}
	if !clear || slices.Contains(found, false) {
		return nil
	}
	return reach
}

// cellsOf returns the subscripts of all cells of an array in an expression.
func cellsOf(e *expr, name string) (list [][]*expr) {
	if e.kind == cellExpr && e.name == name {
		list = append(list, e.args)
	}
	for _, x := range e.args {
		list = append(list, cellsOf(x, name)...)
	}
	return list
}

// rangeOfLoop is the range of a loop plus or minus a number; false for another expression.
func (c *checker) rangeOfLoop(e *expr) (r [2]ir.Affine, ok bool) {
	name, by := offsetOf(e)
	ent := c.names[name]
	if ent == nil || ent.kind != loopEntity || ent.index >= len(c.nest.Loops) {
		return r, false
	}
	l := &c.nest.Loops[ent.index]
	if len(l.Lo) != 1 || len(l.Hi) != 1 || l.Lo[0].HasIters() || l.Hi[0].HasIters() {
		return r, false
	}
	r = [2]ir.Affine{l.Lo[0], l.Hi[0]}
	r[0].Const += by
	r[1].Const += by
	return r, true
}
