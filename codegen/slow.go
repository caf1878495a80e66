package codegen

import (
	"cmp"
	"fmt"
	"slices"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/transform/plan"
)

// Slow returns a warning if a nest has no vector kernel, or none for the items of a batch, or if a known change would give it a
// kernel of a further scheme; else nil. Nests of a few iterations get no warning, and neither do
// inits, which run once.
func Slow(n *ir.Nest, l *ir.Lowered, p *plan.Nest) *diag.Diagnostic {
	if trivial(n) { // no kernels need be decided on
		return nil
	}
	return decided(n, l, p).slow()
}

// slow does what Slow does, for a generator that has decided on vector kernels.
func (g *generator) slow() *diag.Diagnostic {
	n, p := g.n, g.plan
	if trivial(n) || !slices.Contains(g.findLive(), true) { // the frontend warns of results that nothing needs
		return nil
	}
	rows, levels := g.vector.why, g.levels.why
	if !p.InitialOnly() {
		levels = vector.Refusal{} // no change of the body would give vectors across levels
	}
	why, what := rows, "has no vector kernel"
	switch {
	case g.itemsInGo():
		why, what = vector.Refusal{Why: g.front.why}, "has no vectors for items, which run as they are written"
	case g.vector.shape == nil && g.levels.shape == nil:
		if why.Cure == "" && levels.Cure != "" {
			why = levels
		}
	case g.vector.shape == nil:
		what = "has vectors across levels only"
	default:
		why, what = levels, "has no vectors across levels"
	}
	if why.Cure == "" && g.scalar() == "" && !g.itemsInGo() {
		return nil
	}
	if why.At.Line == 0 {
		why.At = n.Loops[len(n.Loops)-1].Span
	}
	return &diag.Diagnostic{
		Severity: diag.Warning, Code: diag.Slow, At: why.At, Message: fmt.Sprintf("%s %s: %s", cmp.Or(n.Title, n.Name), what, why.Why), Hint: why.Cure, Kind: diag.Advice,
	}
}

// fewIterations are too few to be worth a warning.
const fewIterations = 64

// trivial reports whether a nest was made of an init, or has few iterations whatever the parameters.
func trivial(n *ir.Nest) bool {
	count := 1
	for k := range n.Loops {
		size, ok := constantSize(&n.Loops[k])
		if !ok {
			count = fewIterations + 1
			break
		}
		count = min(count*size, fewIterations+1)
	}
	return count <= fewIterations || n.OfInit
}

// constantSize returns the iterations of a loop, if no parameter and no loop changes their number.
func constantSize(x *ir.Loop) (size int, ok bool) {
	if len(x.Lo) != 1 || len(x.Hi) != 1 {
		return 0, false
	}
	lo, hi := x.Lo[0], x.Hi[0]
	same := slices.Equal(lo.Params, hi.Params) && slices.Equal(lo.Iters, hi.Iters)
	return max(0, hi.Const-lo.Const+1), same
}

// notTaken returns, for each scheme of which the nest has no kernel, why it has none.
func (g *generator) notTaken() (out []string) {
	last := g.plan.Dims[len(g.plan.Dims)-1]
	not := func(where, why string) { out = append(out, "not "+where+": "+why) }
	if g.levels.shape == nil {
		not("across levels", g.levels.why.Why)
	}
	switch s := g.vector.shape; {
	case s == nil:
		not("along "+last+" or across rows", g.vector.why.Why)
	case s.Scheme == vector.Wavefront:
		not("along "+last, "an iteration needs the one before it in its row")
	default:
		not("across rows", "the iterations of a row are independent")
		if g.front.shape == nil && !g.inArrays() {
			not("in entire arrays", g.notInArrays())
		}
	}
	return out
}
