package codegen

import (
	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/transform/plan"
)

// LevelKernels returns those kernels of a nest that have a level per lane, as Generate
// emits them, and says for each statement whether they compute it.
func LevelKernels(n *ir.Nest, l *ir.Lowered, p *plan.Nest) (*vector.Levels, []vector.LevelKernel, []bool) {
	g := &generator{n: lateLast(n, l), l: l, plan: p, o: Options{Package: n.Name}, shift: len(p.Dims) - n.Depth()}
	g.nameAll()
	g.vectorize()
	shape, kernels := g.levels.shape, g.levels.kernels
	g.n = n // with the lets that lateLast makes parts of values
	return shape, kernels, g.findLive()
}
