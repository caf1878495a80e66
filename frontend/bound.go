package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// loopBound is the purpose of a view of a loop bound.
const loopBound = "a loop bound"

// maxBounds is the number of affine bounds that one side of a loop may have.
const maxBounds = 16

// bound resolves one side of the range of loop k into affine forms. A lower bound is the
// greatest of its forms (wanted is Max), an upper bound the least (wanted is Min). With the
// opposite function the iteration space would not be convex, so it is refused. The range of a
// backward loop begins with the upper bound. bound returns nil after a mistake.
func (c *checker) bound(k int, s *exprSyntax, wanted ir.Func, backward bool) []ir.Affine {
	e := c.treeOf(s)
	if e == nil {
		return nil
	}
	v := &view{what: loopBound, params: true, loops: k}
	list, ok := c.boundTerms(v, e, wanted, backward, nil)
	switch {
	case !ok:
		return nil
	case len(list) > maxBounds:
		c.errorf(diag.TooMany, e.at, "a loop bound with %d terms; the limit is %d", len(list), maxBounds)
		return nil
	}
	return list
}

// boundAndIf begins the hint for cells in the bounds of a loop.
const boundAndIf = "a bound of parameters, and in the body an if that compares the loop with "

// oneCellBound joins the reports of the cells in the bounds of one loop, those from number told on: they are one mistake. Several
// cells, as those of the row pointers of a sparse matrix, have no hint of a batch: an item's parameter is one cell.
func (c *checker) oneCellBound(told int) {
	for _, d := range c.diags[told:] {
		if d.Code != diag.NotAffine || !strings.HasSuffix(d.Message, cellInBound) || !strings.HasPrefix(d.Hint, boundAndIf) {
			return
		}
	}
	if len(c.diags) < told+2 {
		return
	}
	first := &c.diags[told]
	cells := []string{c.text(first.At)}
	for _, d := range c.diags[told+1:] {
		first.Notes = append(first.Notes, diag.Note{At: d.At, Message: hereToo})
		if cell := c.text(d.At); !slices.Contains(cells, cell) {
			cells = append(cells, cell)
		}
	}
	if len(cells) > 1 {
		first.Hint = boundAndIf + strings.Join(cells, " and ")
	}
	c.diags = c.diags[:told+1]
}

// boundTerms appends the terms of e to list.
func (c *checker) boundTerms(v *view, e *expr, wanted ir.Func, backward bool, list []ir.Affine) ([]ir.Affine, bool) {
	fn, builtin := ir.FuncNamed(e.name)
	if e.kind != callExpr || !builtin || fn > ir.Max || c.onlyConstants(e) {
		f, ok := c.affine(v, e)
		return append(list, f), ok
	}
	if !c.count(e, 2, len(e.args)) {
		return nil, false
	}
	if fn != wanted {
		side, other := "lower", "upper"
		if wanted == ir.Min {
			side, other = other, side
		}
		runs := "from a max to a min"
		if backward {
			runs = "with step -1 from a min to a max"
		}
		c.errorf(diag.BoundShape, e.at, "%s in %s bound: the iteration space would not be convex", fn, article(side)).
			advise("a nest runs %s: %s belongs in the %s bound", runs, fn, other)
		return nil, false
	}
	whole := true
	for _, a := range e.args {
		var ok bool
		list, ok = c.boundTerms(v, a, wanted, backward, list)
		whole = whole && ok
	}
	return list, whole
}

// article puts the indefinite article before a word.
func article(word string) string {
	if word == "upper" {
		return "an " + word
	}
	return "a " + word
}

// lastOfLoop completes the report of e, a loop in the bounds of an array: the last value of the loop is meant, if
// that is known without another loop, since an array has all its cells, whichever of them a nest uses.
func (c *checker) lastOfLoop(r report, e *expr, loop int) {
	if loop >= len(c.header) {
		return
	}
	l := c.header[loop]
	last := flatTree(l.Range.Hi)
	if l.Step != nil {
		last = flatTree(l.Range.Lo)
	}
	for _, name := range last.names() {
		if ent := c.names[name]; ent == nil || ent.kind != paramEntity && ent.kind != constEntity {
			return
		}
	}
	r.fixOf(e, "%s", bare(last))
}
