package codegen

import (
	"fmt"
	"strings"

	"loopc/codegen/asm"
	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/transform/plan"
)

// levelKernels are the kernels whose lanes are levels, if there are any.
type levelKernels struct {
	shape   *vector.Levels // nil: there are none
	why     string         // there are none
	text    []byte         // the assembly
	kernels []vector.LevelKernel
}

// vectorizeLevels decides on kernels whose lanes are levels.
func (g *generator) vectorizeLevels() {
	k := &g.levels
	k.shape, k.why = vector.AnalyzeLevels(g.n, g.l, g.plan, g.findLive())
	if k.shape == nil {
		return
	}
	k.text, k.kernels, k.why = k.shape.Assembly(g.typeKernel, g.n.File)
	if k.text == nil {
		k.shape = nil
	}
}

// LevelLanes returns how many lanes, each a level, the kernel of a nest computes
// together, how many chains of them, and whether it can stream results meanwhile, with
// the best instruction set that is usable: what sched.Program.Costs finds out of the emitted program. 0: there is no
// such kernel.
func LevelLanes(n *ir.Nest, l *ir.Lowered, p *plan.Nest, usable func(isa string) bool) (count, chains int, lines bool) {
	if !p.InitialOnly() {
		return 0, 0, false
	}
	for _, k := range decided(n, l, p).levels.kernels {
		if usable(k.ISA.String()) && k.Lanes.Count > count {
			count, chains, lines = k.Lanes.Count, max(1, k.Lanes.Streams), k.Streaming.Name != ""
		}
	}
	return count, chains, lines
}

// of returns the kernel for an instruction set, or nil.
func (k *levelKernels) of(isa asm.ISA) *vector.LevelKernel {
	for i := range k.kernels {
		if k.kernels[i].ISA == isa {
			return &k.kernels[i]
		}
	}
	return nil
}

// levelsText tells, in a few lines, what the kernels do and what bounds their time.
func (g *generator) levelsText() []string {
	s := g.levels.shape
	if s == nil {
		return nil
	}
	out := []string{fmt.Sprintf("vectors across levels, skewed by %d, steps along %s", s.Skew(), g.plan.Dims[s.Last()])}
	out = append(append(out, s.Common()...), s.InBytes()...)
	for _, k := range g.levels.kernels {
		f := k.Last()
		text := fmt.Sprintf("%s: %d lanes, %d %s, %.2g cycles a point from ports", k.ISA, f.Cost.Lanes, f.Blocks, plural(f.Blocks, "chain", "chains"), f.Cost.Ports[asm.Whole]/float64(f.Cost.Lanes))
		if f.Cost.Latency[asm.Whole] > 0 {
			text += fmt.Sprintf(", %.2g from latency", f.Cost.Latency[asm.Whole]/float64(f.Blocks*f.Cost.Lanes))
		}
		out = append(out, text)
	}
	return out
}

// varLevels is the variable that describes the kernel for an instruction set.
func (w *vectorWriter) varLevels(isa asm.ISA) string {
	return w.typeKernel + "Levels" + strings.ToUpper(isa.String())
}

// lanes prints the descriptions of the kernels whose lanes are levels.
func (w *vectorWriter) lanes() {
	if w.levels.shape == nil {
		return
	}
	for _, k := range w.levels.kernels {
		w.blank()
		w.linef("// %s describes the functions for %s.", w.varLevels(k.ISA), k.ISA)
		functions := "One: " + k.One.Name + ","
		if k.Many.Name != "" {
			functions += " Many: " + k.Many.Name + ","
		}
		if k.Streaming.Name != "" {
			functions += " Streaming: " + k.Streaming.Name + ","
		}
		text := strings.Replace(goLiteral(k.Lanes), "{\n", "{\n"+functions+"\n", 1)
		w.linef("var %s = %s", w.varLevels(k.ISA), text)
	}
}
