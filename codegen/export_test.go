package codegen

import (
	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/transform/plan"
)

// LevelKernels returns the kernels of a nest whose lanes are levels, as Generate
// emits them, and which statements they compute.
func LevelKernels(n *ir.Nest, l *ir.Lowered, p *plan.Nest) (*vector.Levels, []vector.LevelKernel, []bool) {
	g := &generator{n: lateLast(n, l), l: l, plan: p, o: Options{Package: n.Name}, shift: len(p.Dims) - n.Depth()}
	g.nameAll()
	g.vectorize()
	return g.levels.shape, g.levels.kernels, g.findLive()
}
