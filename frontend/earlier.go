package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// The result of a reduction is a number in the bodies of later nests. A later nest has it as a
// float parameter that the run sets: see ir.FloatParam.

// maxEarlier is how many of these results a nest reads at most: they travel in one message.
const maxEarlier = 100

// earlier are the reductions of the nests before one.
type earlier struct {
	places []ir.ReducePlace // the nests counted in the file
	all    []*ir.Reduce
}

// add adds the reductions of nest k of the file.
func (e *earlier) add(k int, n *ir.Nest) {
	for i, r := range n.Reduces() {
		e.places, e.all = append(e.places, ir.ReducePlace{Nest: k, Reduce: i}), append(e.all, r)
	}
}

// bodyView returns the view of the body: its names are those of the nest, and reductions of earlier nests
// whose names the nest does not have.
func (c *checker) bodyView() *view {
	v := &view{what: bodyOf, params: true, loops: len(c.nest.Loops), cells: true, lets: true}
	for k, r := range c.earlier.all {
		v.reduces = append(v.reduces, &ir.ReduceRef{T: r.Type, Reduce: k, Name: r.Name})
		if c.names[r.Name] == nil && c.later[r.Name] == nil {
			if v.own == nil {
				v.own = map[string]*entity{}
			}
			v.own[r.Name] = &entity{kind: reduceEntity, index: k, at: r.Span}
		}
	}
	return v
}

// launched replaces the results of earlier nests in e by float parameters of the nest.
func (c *checker) launched(e ir.Expr) ir.Expr {
	if len(c.earlier.all) == 0 {
		return e
	}
	r, ok := e.(*ir.ReduceRef)
	if !ok {
		return ir.Map(e, c.launched)
	}
	n, at := c.nest, c.earlier.places[r.Reduce]
	k := slices.IndexFunc(n.Floats, func(f ir.FloatParam) bool { return f.Of != nil && *f.Of == at })
	if k < 0 {
		k = len(n.Floats)
		n.Floats = append(slices.Clip(n.Floats), ir.FloatParam{Name: r.Name, Span: r.At, Of: &at, Type: r.T})
	}
	return &ir.FloatRef{T: r.T, Float: k, At: r.At}
}

// manyEarlier reports a nest that reads too many results of earlier nests.
func (c *checker) manyEarlier() {
	seen := map[int]bool{}
	for _, b := range c.body {
		if b.expr == nil {
			continue
		}
		ir.Walk(b.expr, func(e ir.Expr) {
			if r, ok := e.(*ir.ReduceRef); ok && !seen[r.Reduce] {
				if seen[r.Reduce] = true; len(seen) == maxEarlier+1 {
					c.errorf(diag.TooMany, r.At, "the nest reads more than %d reductions of other nests", maxEarlier)
				}
			}
		})
	}
}

// A reducingNest is a nest of a file that is being lowered, with the reductions before it.
type reducingNest struct {
	own     []*statement
	loop    *statement
	repeats []repeatName
}

// reduces notes a nest if it has reductions. They are among the statements before it.
func (w *lowering) reduces(before []*statement, loop *statement) {
	var own []*statement
	for _, st := range before {
		if st.keyword() == "for" {
			own = nil
		} else if st.keyword() == "reduce" {
			own = append(own, st)
		}
	}
	if own != nil {
		w.reducing = append(w.reducing, &reducingNest{own, loop, slices.Clone(w.repeats)})
	}
}

// results are the reductions of the nests before the one at hand, which its statements may name.
func (w *lowering) results() earlier {
	for ; w.resolved < len(w.reducing); w.resolved++ {
		n := w.reducing[w.resolved]
		c := newChecker(w.file, w.src)
		c.repeats, c.earlier = n.repeats, w.earlier
		file := c.parseFile(slices.Concat(copies(w.declarations), copies(w.added), copies(append(slices.Clone(n.own), n.loop))))
		c.declareAll(file)
		c.resolveAll(file)
		if !diag.HasErrors(c.diags) {
			c.resolved()
		}
		w.earlier.add(w.resolved, c.nest)
	}
	return w.earlier
}

// reducesOwn reports whether the named reduction is of cells that only its own nest gives values, so that no for before the nest has
// them.
func (c *checker) reducesOwn(name string) bool {
	var reads func(e *expr) bool
	reads = func(e *expr) bool {
		ent := c.names[e.name]
		own := e.kind == cellExpr && ent != nil && ent.kind == arrayEntity && c.nest.Arrays[ent.index].Role != ir.InOut && c.written[e.name] && !c.others.writes[e.name]
		return own || slices.ContainsFunc(e.args, reads)
	}
	return slices.ContainsFunc(c.body, func(b bodyStatement) bool {
		return b.reduce != nil && b.reduce.Name.Name == name && reads(flatTree(b.reduce.Value))
	})
}

// reducedBefore is the advice for the named reduction in the body of its own nest.
func (c *checker) reducedBefore(name string) string {
	var loops []string
	for _, l := range c.header {
		text := l.Name.Name + " = " + bare(flatTree(l.Range.Lo)) + ".." + bare(flatTree(l.Range.Hi))
		if l.Step != nil {
			text += " step " + bare(flatTree(l.Step))
		}
		loops = append(loops, text)
	}
	return fmt.Sprintf("if all iterations together are meant, a for of its own before this one, behind the reduce: for %s { %s}; what the iterations so far have together is collected by an array, whose cell before is read",
		strings.Join(loops, ", "), c.letsOf(name))
}

// letsOf are the lets of the body that the named reduction has, for a for that has nothing else.
func (c *checker) letsOf(name string) (text string) {
	var names []string
	for _, b := range c.body {
		if b.reduce != nil && b.reduce.Name.Name == name {
			names = append(names, flatTree(b.reduce.Value).names()...)
		}
	}
	for _, b := range c.body {
		if b.let != nil && slices.Contains(names, b.let.Name.Name) {
			text += "let " + b.let.Name.Name + " = ... "
		}
	}
	return text
}

// ofReduction reports whether e has the result of a reduction.
func (c *checker) ofReduction(f *fileSyntax, e *expr) bool {
	return slices.ContainsFunc(e.names(), func(name string) bool {
		return c.others.reduces[name] || slices.ContainsFunc(f.reduces, func(r *reduceSyntax) bool { return r.Name.Name == name })
	})
}

// afterReduction completes the report of a number that is computed of a reduction outside of bodies.
func (c *checker) afterReduction(r report, name string, e *expr) {
	r.advise("behind the for of the reduction, array %[1]s[0..0] float64 out, and for n = 0..0 { %[1]s[n] = %[2]s }; the reduction itself is given back, too", name, bare(e))
}
