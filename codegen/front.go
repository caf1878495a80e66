package codegen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/codegen/asm"
	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// frontKernels compute in entire arrays, in the order of the loops: see kernel.Front. Lanes are across rows, or along rows if
// these cannot be.
type frontKernels struct {
	shape     *vector.Shape // nil: there are none
	text      []byte        // the assembly
	functions []vector.Function
	strips    []kernel.FrontStrip
	small     []int      // parameters that lanes may not hold
	why       string     // why there are none
	of        *generator // of the folded nest, if they compute that one
}

// itemsInGo reports whether items of a batch run as loops in Go, although the nest has vector kernels: these compute in tiles only.
func (g *generator) itemsInGo() bool {
	return g.scalar() == "" && g.n.InBatch() && g.front.shape == nil && !g.inArrays()
}

// notInOrder says why lanes cannot compute in entire arrays, in the order of the loops: because of an array that is not in memory
// or, if there is none, because of the dependences.
func (g *generator) notInOrder() string {
	stored := g.inMemory()
	for a := range g.n.Arrays {
		if len(g.n.Loops) > 1 && len(g.n.Assigns(a)) > 0 && !stored(a) && !g.evenRows() {
			return fmt.Sprintf("rows have different columns, and %s is an array of this nest alone", g.n.Arrays[a].Name)
		}
	}
	return "the order of the loops allows none in entire arrays"
}

// mostFrontSkew bounds the columns by which a row may be behind the row above; where loops are folded, so many more as were one column.
const mostFrontSkew = 3

// fronts decides on kernels in entire arrays, in the order of the loops. Nests that compute there with the kernel of their
// tiles need none.
func (g *generator) fronts() {
	if of := g.fold(); of != nil {
		if of.foldedFronts(); of.front.shape != nil {
			g.front = of.front
			g.front.of = of
			return
		}
	}
	s := g.vector.shape
	f, along := &g.front, s != nil && s.Scheme == vector.Contiguous
	var why vector.Refusal
	f.why = g.notInOrder()
	if skew, ok := g.frontSkew(); ok && !along {
		f.strips = g.strips()
		f.shape, why = vector.AnalyzeFront(g.n, g.l, g.plan, g.findLive(), skew)
		f.why = why.Why
	} else if !(along && g.inArrays()) {
		if most := g.rowsInOrder(); most > 1 {
			if len(g.n.Loops) == 2 && g.evenRows() {
				f.strips = g.strips()
			}
			f.shape, _ = vector.AnalyzeRows(g.n, g.l, g.plan, g.findLive(), g.mostJammed(), most)
		}
	}
	g.assembleFronts()
}

// assembleFronts makes the functions of the kernels.
func (g *generator) assembleFronts() {
	f := &g.front
	if f.shape == nil {
		return
	}
	held := true
	if f.small, held = g.boundedBy(f.shape.Small); !held {
		f.shape = nil
		return
	}
	prefix := g.typeKernel + "Front"
	if f.shape.Rows() {
		prefix = g.typeKernel + "Rows"
	}
	if f.text, f.functions, _ = f.shape.Assembly(prefix, g.n.File); f.text == nil {
		f.shape = nil
	}
}

// frontSkew returns the least number of columns by which a row must be behind the row above, so that each read
// finds in its array, or among the results of its group, what the loops as they are written would find. ok is false if
// there is none.
func (g *generator) frontSkew() (skew int, ok bool) {
	live, loops := g.findLive(), len(g.n.Loops)
	if loops < 2 || g.l.Levelled {
		return 0, false
	}
	stored := g.inMemory()
	for v, k := range g.l.Values {
		w, val := g.n.Body[k].(*ir.Assign), &g.plan.Values[v]
		if len(g.n.Assigns(w.Array)) > 1 || !stored(w.Array) || len(val.Fallbacks) > 0 || !live[k] || !inFronts(w.Subs, loops) {
			return 0, false
		}
	}
	for id, r := range g.n.Reads {
		s := g.n.ReadStmt[id]
		if !live[s] {
			continue
		}
		if g.beyond(r) || !stored(r.Array) {
			return 0, false
		}
		for _, by := range g.n.Assigns(r.Array) {
			least, fine := g.frontDistance(r, s, by)
			if !fine {
				return 0, false
			}
			skew = max(skew, least)
		}
	}
	return skew, skew <= mostFrontSkew+g.folds
}

// evenRows reports whether rows that are neighbors along the last loop but one have the same columns.
func (g *generator) evenRows() bool {
	last := len(g.n.Loops) - 1
	return !slices.ContainsFunc(g.n.Analysis.Space, func(c ir.Constraint) bool { return c.Iter(last) != 0 && c.Iter(last-1) != 0 })
}

// entire reports whether a run has all cells of array a in memory, in C order.
func (g *generator) entire(a int) bool {
	return g.ofCaller(a) && g.plan.Arrays[a].RowDim == 0
}

// inMemory returns a function that reports whether a front finds the cells of an array in memory, in C order. The rows of a strip have
// the same columns.
func (g *generator) inMemory() func(a int) bool {
	if len(g.n.Loops) == 2 && g.evenRows() {
		return g.stored
	}
	return g.entire
}

// stored reports whether a front finds the cells of array a in memory, in C order.
func (g *generator) stored(a int) bool { return g.entire(a) || g.strip(a) != nil }

// strip says how a front stores the internal array a of a nest of two loops; nil if it does not. The caller may receive a slice
// of the array, but not in a batch.
func (g *generator) strip(a int) *kernel.FrontStrip {
	arr, init := &g.plan.Arrays[a], g.n.Arrays[a].Init
	switch {
	case g.folds > 0, len(g.n.Loops) != 2, len(g.n.Assigns(a)) != 1, arr.Role != plan.Internal, arr.Boundary != nil, arr.RowDim != 0:
		return nil
	case arr.Slice != nil && g.n.InBatch(), init != nil && ir.MayFail(init.Expr):
		return nil
	}
	by := g.n.Assigns(a)[0]
	subs := g.n.Body[by].(*ir.Assign).Subs
	dim := slices.IndexFunc(subs, func(sub ir.Affine) bool { return sub.Iter(0) != 0 })
	if !inFronts(subs, 2) {
		return nil
	}
	s := &kernel.FrontStrip{Array: a, Dim: dim, Once: true, Subs: g.overLoops(subs)}
	for id, r := range g.n.Reads {
		if r.Array != a {
			continue
		}
		if !g.sameForm(r.Subs, by) {
			return nil
		}
		apart, _, meet := g.between(r.Subs, by)
		if !meet || g.n.Steps(apart)[0] > 0 {
			return nil
		}
		beside := r.Subs[len(subs)-1].Const - subs[len(subs)-1].Const
		s.Above, s.Left, s.Right = max(s.Above, -g.n.Steps(apart)[0]), min(s.Left, beside), max(s.Right, beside)
		s.Once = s.Once && g.l.Reads[id].From != ir.FromInitial
	}
	return s
}

// strips returns the strips of all arrays that have one.
func (g *generator) strips() (all []kernel.FrontStrip) {
	for a := range g.n.Arrays {
		if s := g.strip(a); s != nil {
			all = append(all, *s)
		}
	}
	return all
}

// overLoops returns subscripts as forms over the loops, each counted in its own direction.
func (g *generator) overLoops(subs []ir.Affine) (all []plan.Affine) {
	for _, sub := range subs {
		form := plan.Affine{Const: sub.Const, Params: sub.Params, Iters: make([]int, g.shift)}
		for k := range g.n.Loops {
			form.Iters = append(form.Iters, g.n.Loops[k].Step()*sub.Iter(k))
		}
		all = append(all, form)
	}
	return all
}

// inFronts reports whether the results of a row are neighbors in their array, no loop is in several subscripts, and the
// last two loops are in a subscript each.
func inFronts(subs []ir.Affine, loops int) bool {
	used, ok := loopsOnce(subs, loops)
	return ok && len(subs) > 1 && used[loops-1] && used[loops-2] && subs[len(subs)-1].Iter(loops-1) != 0
}

// frontDistance returns the least skew for a read by statement s of an array that statement writer writes. ok is false
// if there is none.
func (g *generator) frontDistance(r *ir.Read, s, writer int) (skew int, ok bool) {
	if !g.sameForm(r.Subs, writer) {
		return 0, false
	}
	loops := len(g.n.Loops)
	apart, free, meet := g.between(r.Subs, writer)
	if !meet {
		return 0, true
	}
	for k := range loops - 2 {
		if !free[k] && apart[k] != 0 {
			return 0, true // outer loops keep the order
		}
		apart[k] = 0
	}
	steps := g.n.Steps(apart)
	rows, columns := steps[loops-2], steps[loops-1]
	from := g.l.Reads[r.ID]
	switch {
	case rows == 0 && columns == 0:
		return 0, writer >= s || from.From == ir.FromLocal
	case rows > 0 || rows == 0 && columns > 0: // the cell is overwritten later
		if rows > 0 {
			skew = max(0, (rows-1-columns)/rows)
		}
		return skew, true
	}
	// The cell is a result of the group, or of a group before.
	rows, columns = -rows, -columns
	if rows > 0 && columns < 1 {
		skew = (rows - columns) / rows
	}
	return skew, from.From == ir.FromBlock && g.l.Values[from.Value] == writer
}

// frontsOf returns the functions of an instruction set.
func (g *generator) frontsOf(isa asm.ISA) (of []vector.Function) {
	for _, f := range g.front.functions {
		if f.ISA == isa && g.front.shape != nil {
			of = append(of, f)
		}
	}
	return of
}

// frontFor describes the kernel for an instruction set, without its functions; nil if there is none.
func (g *generator) frontFor(isa asm.ISA) *kernel.Front {
	kernels := g.frontsOf(isa)
	if len(kernels) == 0 {
		return nil
	}
	s, most, of := g.front.shape, &kernels[len(kernels)-1], cmp.Or(g.front.of, g)
	lanes, along, waits := kernels[0].Rows, 0, 0.0
	if s.Rows() {
		lanes, along, waits = 1, kernels[0].Cost.Lanes, of.waitsMasked()
	}
	f := &kernel.Front{Lanes: lanes, Rows: most.Rows, Along: along, Waits: waits, Skew: s.Skew(), Cycles: cyclesOf(most), Reduces: len(g.n.Reduces()), Strips: g.front.strips, Small: g.front.small, LooksUp: s.Checks(), Before: s.Before(), Places: s.PlaceGroups(), Folded: of.folds}
	for range g.shift {
		f.Steps = append(f.Steps, 1)
	}
	for k := range g.n.Loops {
		f.Steps = append(f.Steps, g.n.Loops[k].Step())
	}
	for k := range s.Streams {
		array, subs := s.Cell(k)
		f.Streams = append(f.Streams, kernel.FrontStream{Array: array, Subs: g.overLoops(g.unfold(array, subs, of.folds)), Above: s.Above(k)})
		if s.Streams[k].Along == vector.Strided {
			f.Strided = append(f.Strided, k)
		}
	}
	for _, i := range s.Indices {
		f.Indices = append(f.Indices, g.shift+i.Loop)
	}
	for _, use := range s.Params {
		f.Params = append(f.Params, kernel.LaneParam{Param: use.Param, Float: use.Float, Elem: use.Type.String(), Part: use.Part, Dim: use.Dim})
	}
	return f
}

// frontText describes the kernels in a few lines.
func (g *generator) frontText() (out []string) {
	s := g.front.shape
	if s == nil {
		if g.itemsInGo() {
			out = append(out, "these are for tiles; items that run as they are written have no vectors: "+g.front.why)
		}
		return out
	}
	loops := cmp.Or(g.front.of, g).n.Loops
	along := loops[len(loops)-1].Name
	if len(loops) < len(g.n.Loops) {
		along += " and " + g.n.Loops[len(loops)].Name + ", as one loop"
	}
	if s.Rows() {
		out = append(out, "in entire arrays: vectors along "+along)
	} else {
		out = append(out, fmt.Sprintf("in entire arrays: vectors across %s, skewed by %d, steps along %s", loops[len(loops)-2].Name, s.Skew(), along))
	}
	for _, isa := range asm.ISAs() {
		if kernels := g.frontsOf(isa); len(kernels) > 0 {
			f := &kernels[len(kernels)-1]
			out = append(out, fmt.Sprintf("%s: %d rows, %s", isa, f.Rows, bounds(&f.Cost, max(1, f.Blocks))))
		}
	}
	return out
}

// varFront is the variable that describes the kernel for an instruction set.
func (w *vectorWriter) varFront(isa asm.ISA) string {
	return w.typeKernel + "Front" + strings.ToUpper(isa.String())
}

// fronts prints the descriptions of the kernels.
func (w *vectorWriter) fronts() {
	for _, isa := range asm.ISAs() {
		f := w.frontFor(isa)
		if f == nil {
			continue
		}
		kernels := w.frontsOf(isa)
		functions := "One: " + kernels[0].Name + ","
		if len(kernels) > 1 {
			functions += " Many: " + kernels[len(kernels)-1].Name + ","
		}
		w.blank()
		w.linef("// %s describes the functions for %s.", w.varFront(isa), isa)
		w.linef("var %s = %s", w.varFront(isa), strings.Replace(goLiteral(*f), "{", "{\n"+functions+"\n", 1))
	}
}

// hasVectors reports whether there are kernels with vector instructions for an instruction set.
func (g *generator) hasVectors(isa asm.ISA) bool {
	return g.vector.shape != nil || g.levels.of(isa) != nil || len(g.frontsOf(isa)) > 0
}

// anyVectors reports whether there are kernels with vector instructions.
func (g *generator) anyVectors() bool { return slices.ContainsFunc(asm.ISAs(), g.hasVectors) }
