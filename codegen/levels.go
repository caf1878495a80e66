package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/codegen/asm"
	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// levelKernels are the kernels whose lanes are levels, if the nest has any.
type levelKernels struct {
	shape   *vector.Levels // nil: there are none
	why     vector.Refusal // if there are none: the reason
	text    []byte         // the assembly
	kernels []vector.LevelKernel
}

// UsableKernel describes the version of a nest's kernel for the best of the usable instruction sets, and
// the version in Go. They are those of an emitted program, but without functions.
func UsableKernel(n *ir.Nest, l *ir.Lowered, p *plan.Nest, usable func(isa string) bool) (best, inGo kernel.Version) {
	g := decided(n, l, p)
	inGo = kernel.InGo(nil, g.rowsInGo()).Paced(g.portableCycles())
	for _, isa := range slices.Backward(asm.ISAs()) {
		if !usable(isa.String()) || !g.hasVectors(isa) {
			continue
		}
		if best.Name != "" {
			return best.WithNarrow(g.frontFor(isa)), inGo
		}
		best = kernel.Version{Name: isa.String()}
		if best.Front = g.frontFor(isa); best.Front != nil && g.vector.shape == nil && g.levels.of(isa) == nil {
			best.Rows, best.Lanes, best.Cycles = g.rowsInGo(), g.rowsInGo(), g.portableCycles()
		}
		if f := g.vectorsOf(isa); len(f) > 0 {
			best.Cycles = cyclesOf(&f[len(f)-1])
			if g.vector.shape.Scheme == vector.Wavefront {
				best.Rows, best.Lanes = f[len(f)-1].Rows, f[0].Rows
			}
		}
		if k := g.levels.of(isa); k != nil {
			best.Temporal = &k.Lanes
			if k.Streaming.Name != "" {
				best.Temporal.Streaming = func(*int) {}
			}
		}
	}
	if best.Name == "" {
		best = inGo
	}
	return best, inGo
}

// interleavedCell is the time, in cycles, to bring a cell of a given array into lanes across levels.
// For each row of each slab, package halo reads and interleaves rows of the array anew [note
// vector-constants].
const interleavedCell = 3.0

// The time of lanes across rows is levelsGain times the count of their kernel, because vectors have
// idle lanes at both ends of a row and at the end of a box, plus acrossCell cycles per iteration,
// because results of all levels go through memory.
const levelsGain, acrossCell = 2.0, 3.0

// dropLevels drops the kernels whose lanes are levels if interleaving given arrays takes longer, with
// every instruction set, than these kernels save over lanes across rows. Lanes along rows are not
// compared: memory bounds them, and the counts leave memory out.
func (g *generator) dropLevels() {
	v, l := &g.vector, &g.levels
	if v.shape == nil || v.shape.Scheme != vector.Wavefront || l.shape == nil {
		return
	}
	rows := 0 // rows of given arrays to interleave for a row of results
	for _, k := range l.kernels {
		rows = 0
		for i := range k.Lanes.Given {
			if k.Lanes.Given[i].Kind == kernel.Interleaved {
				rows++
			}
		}
		other := slices.IndexFunc(v.functions, func(f vector.Function) bool { return f.ISA == k.ISA })
		for other >= 0 && other+1 < len(v.functions) && v.functions[other+1].ISA == k.ISA {
			other++ // the last one has the most blocks
		}
		if other < 0 {
			return
		}
		this, that := k.Last(), &v.functions[other]
		time := this.Cost.Cycles(asm.Whole, max(1, this.Blocks)) + interleavedCell*float64(rows)
		if rows == 0 || time <= levelsGain*that.Cost.Cycles(asm.Whole, max(1, that.Blocks))+acrossCell {
			return
		}
	}
	*l = levelKernels{why: vector.Refusal{Why: fmt.Sprintf("to interleave %d %s of given arrays for each row of results takes longer than it saves over lanes across rows", rows, plural(rows, "row", "rows"))}}
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

// levelsText describes in a few lines the kernels whose lanes are levels, and what bounds their time.
func (g *generator) levelsText() []string {
	s := g.levels.shape
	if s == nil {
		return nil
	}
	out := []string{fmt.Sprintf("vectors across levels, skewed by %d, steps along %s", s.Skew(), g.plan.Dims[s.Last()])}
	out = append(append(out, s.Common()...), s.InBytes()...)
	for _, k := range g.levels.kernels {
		f := k.Last()
		out = append(out, fmt.Sprintf("%s: %d lanes, %d %s, %s", k.ISA, f.Cost.Lanes, f.Blocks, plural(f.Blocks, "row stream", "row streams"), bounds(&f.Cost, f.Blocks)))
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
