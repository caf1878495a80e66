package frontend

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"loopc/ir"
	"loopc/ir/diag"
)

// Names without subscripts to which a body assigns although it does not declare them as a var.

// accumulates reports x = max(x, y) and x = x + y: the user means a reduction. It returns false
// for other values.
func (c *checker) accumulates(name *nameSyntax, s *exprSyntax) bool {
	e := flatTree(s)
	op, operand := accumulation(name.Name, e)
	if operand == nil {
		return false
	}
	what := "unknown name " + name.Name
	if ent := c.names[name.Name]; ent != nil {
		if ent.kind != letEntity && ent.kind != paramEntity && ent.kind != floatEntity && ent.kind != constEntity {
			return false
		}
		what = fmt.Sprintf("%s cannot be assigned to: it is %s", name.Name, ent.kind)
		if ent.kind == letEntity {
			c.errorf(diag.NameMisuse, name.span(), "%s", what).note(ent.at, "%s is declared here", name.Name).
				advise("%s", renamedBelow(name.Name, bare(e)))
			return true
		}
	}
	c.spoiled[name.Name] = true
	r := c.errorf(diag.UnknownName, name.span(), "%s: "+scalarRoles, what)
	if c.assignments(name.Name) == 1 && !slices.ContainsFunc(c.body, func(b bodyStatement) bool {
		return b.let != nil && named([]*expr{flatTree(b.let.Value)}, name.Name) || b.assign != nil && b.assign.Cell.Name != name && named([]*expr{flatTree(b.assign.whole())}, name.Name)
	}) { // no other statement reads it
		r.d.Message = what + ": what all iterations have together is a reduction, before the for"
		if value := c.summed(op, operand); c.changedBelow(operand) { // a reduction would read the new cell
			r.advise("let step = %[3]s in this place, and before the for reduce %[1]s = %[2]s(step)", name.Name, op, value)
		} else {
			r.hint("reduce %s = %s(%s)", name.Name, op, value)
		}
	}
	return true
}

// accumulation returns max and y of the value max(x, y), or sum and y of x + y, that x gets; nil for other values.
func accumulation(name string, e *expr) (op string, operand *expr) {
	itself := slices.IndexFunc(e.args, func(x *expr) bool { return x.kind == nameExpr && x.name == name })
	if len(e.args) != 2 || itself < 0 {
		return "", nil
	}
	op = reductionsElsewhere[strings.ToLower(e.name)]
	if e.kind == binaryExpr && e.op == ir.Add {
		op = "sum"
	}
	if _, known := ir.ReduceNamed(op); !known {
		return "", nil
	}
	return op, e.args[1-itself]
}

// gatheredBy returns the reduction that a body means by an assignment to the name of a reduction, as max(H[i,j]) by best = max(best, H[i,j]);
// "" if there is none.
func (c *checker) gatheredBy(name string) (value string) {
	for _, b := range c.body {
		if b.assign != nil && b.assign.Cell.Name.Name == name && len(b.assign.Cell.Subs) == 0 {
			if op, operand := accumulation(name, flatTree(b.assign.whole())); operand != nil && c.assignments(name) == 1 {
				value = fmt.Sprintf("%s(%s)", op, c.summed(op, operand))
			}
		}
	}
	return value
}

// changedBelow reports whether a value reads an array to which the body assigns below the statement that is being resolved.
func (c *checker) changedBelow(value *expr) bool {
	seen := false
	for k := range c.body {
		b := &c.body[k]
		if seen && b.assign != nil && len(b.assign.Cell.Subs) > 0 && readsCell(value, b.assign.Cell.Name.Name) {
			return true
		}
		seen = seen || b == c.assigned
	}
	return false
}

// readsCell reports whether an expression reads a cell of the array called name.
func readsCell(e *expr, name string) bool {
	return e.kind == cellExpr && e.name == name || slices.ContainsFunc(e.args, func(x *expr) bool { return readsCell(x, name) })
}

// changes returns advice for a let to which the body assigns again, with the text of its new value.
// A value that uses names which the source does not have was made from the assignments of an if.
func (c *checker) changes(name, value string) string {
	source := strings.Join(c.nest.Source, "\n")
	for _, word := range strings.FieldsFunc(value, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if word != "select" && !strings.Contains(source, word) {
			return asVar(name)
		}
	}
	return renamedBelow(name, value)
}

// readBefore reports whether a statement above the one that is being resolved reads a name.
func (c *checker) readBefore(name string) bool {
	for k := range c.body {
		switch b := &c.body[k]; {
		case b == c.assigned:
			return false
		case b.let != nil && named([]*expr{flatTree(b.let.Value)}, name), b.assign != nil && named([]*expr{flatTree(b.assign.whole())}, name):
			return true
		}
	}
	return false
}

// assignments is how many statements of the body assign to a name without subscripts.
func (c *checker) assignments(name string) (n int) {
	for _, b := range c.body {
		if b.assign != nil && b.assign.Cell.Name.Name == name && len(b.assign.Cell.Subs) == 0 {
			n++
		}
	}
	return n
}
