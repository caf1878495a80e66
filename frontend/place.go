package frontend

import (
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// The places of a reduction, reduce best, bi, bj = max(A[i,j]) at (i, j), are reductions of their own:
// each has the name of a place, and a loop for its value.

// apart returns a reduction and its places, one by one.
func (c *checker) apart(r *reduceSyntax) []*reduceSyntax {
	all := []*reduceSyntax{r}
	if len(r.Places) != len(r.At) {
		at := r.Name.span()
		if len(r.Places) > 0 {
			at = join(at, r.Places[len(r.Places)-1].span())
		}
		c.errorf(diag.Reduction, at, "a max or min has a name before the = for its value, and one for each loop of its at: here are %s for %s", plural(1+len(r.Places), "name"), plural(len(r.At), "loop")).
			pattern("reduce best, bi, bj = max(A[i,j]) at (i, j)")
		return all
	}
	for k, name := range r.Places {
		all = append(all, &reduceSyntax{Name: name, Value: r.At[k], place: true})
	}
	return all
}

// resolvePlace resolves the place b of the reduction before it, whose loop is e.
func (c *checker) resolvePlace(b *bodyStatement, e *expr) {
	for k := range c.body {
		if other := &c.body[k]; other.reduce != nil && !other.reduce.place {
			b.op = other.op
		} else if other == b {
			break
		}
	}
	if b.op == ir.ReduceSum {
		c.errorf(diag.Reduction, e.at, "a sum has no place; a max and a min have one")
		return
	}
	ent := c.names[e.name]
	if e.kind == nameExpr && ent == nil && len(c.nest.Loops) == 0 {
		return // the header of the nest has a mistake
	}
	if e.kind != nameExpr || ent == nil || ent.kind != loopEntity {
		r := c.errorf(diag.Reduction, e.at, "%s is no loop of this nest: the place of a max or min is where its loops are", c.text(e.at))
		if loops := c.loopNames(); len(loops) > 0 {
			r.advise("at (%s), with a name before the = for each", strings.Join(loops, ", "))
		}
		return
	}
	b.expr = &ir.IterRef{Iter: ent.index, At: e.at}
}
