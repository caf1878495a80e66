package codegen

import (
	"fmt"
	"math"
	"slices"

	"loopc/ir"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// Figures of the loops as they are written. In cycles: forwarded for an operand loaded from the store buffer, forwardedMasked if a masked
// vector has stored it, blocked if a store has written only some cells of its vector; guessed for a branch on data, with its mispredictions.
// In instructions: an iteration; an access outside of rows, with its check; spill for a row whose slice is not in a register, or is checked.
const (
	forwarded, guessed       = 5, 4
	forwardedMasked, blocked = 15, 40
	iteration, access, spill = 3, 4, 1
	slicesInRegisters        = 8
)

// A Weighing is the choice between tiles and the loops as they are written.
type Weighing = kernel.Weighing

// Loops are what is known of a nest's loops as they are written.
type Loops = kernel.AsLoops

// Runs and CountedStep say what the steps of a program are, for counting its runs: see kernel.Runs.
type (
	Runs[S any]        = kernel.Runs[S]
	CountedStep[S any] = kernel.CountedStep[S]
)

// Weighed are about the repetitions whose runs of nests a launch weighs.
func Weighed() kernel.Sampling { return kernel.Weighed() }

// ArrayBytes are the bytes of the arrays of a program that the caller or several nests have: see kernel.ArrayBytes.
func ArrayBytes(program *plan.Nest, nests []*plan.Nest, params []int) ([]int64, error) {
	return kernel.ArrayBytes(program, nests, params)
}

// AsLoops returns what the emitted program will know of a nest's loops as they are written, with the best kernel for
// the usable instruction sets.
func AsLoops(n *ir.Nest, l *ir.Lowered, p *plan.Nest, usable func(isa string) bool) Loops {
	g := decided(n, l, p)
	g.nameAll()
	w := newSeqWriter(g)
	out := Loops{Pace: w.price(), Unpaced: w.refused(), Reached: w.reachedOnly(), Sections: g.sections()}
	best, _ := UsableKernel(n, l, p, usable)
	out.Front = best.Front
	if best.Name != kernel.Portable && g.inArrays() {
		out.Cycles, out.Waits, out.Apart = best.Cycles, g.waits(), g.apart()
	}
	return out
}

// price is the time of an iteration in cycles, the mean of the versions; 0 if the loops may not replace tiles.
func (w *seqWriter) price() float64 {
	if w.refused() != "" {
		return 0
	}
	all, versions := 0.0, 0.0
	w.versions.each(func(v *seqVersion) {
		w.inVersion(v, func() { all += w.cycles() })
		versions++
	})
	return all / versions
}

// cycles is the time of an iteration with the writer's body.
func (w *seqWriter) cycles() float64 {
	last := len(w.n.Loops) - 1
	c := newCriticalPath(w.generator, w.live, true)
	all := c.instructions + iteration + w.accesses(last)
	for a, st := range w.arrays {
		if lo, _ := w.written(st, st.someLevel()); w.initial(a) && w.used(st) && lo == nil && len(w.n.Arrays[a].Lo) >= len(w.n.Loops) {
			all += 2 * access
		}
	}
	latency := c.latency
	if latency > 0 && len(w.in.carried) == 0 {
		latency += forwarded
		if back := float64(w.nearest(c.last)); back > 1 { // results wait for those so many iterations before
			latency = (latency - c.reloaded(back)) / back
		}
	}
	if x, _ := w.extreme(); w.jam != nil {
		latency /= float64(w.jam.rows)
	} else if x != nil {
		latency /= atATime
	}
	return max(latency, c.floating/2, c.divider, all/4) + c.missed
}

// nearest is the least distance, in iterations, between an iteration and an earlier one of its row whose result it reads.
func (w *seqWriter) nearest(last int) (back int) {
	for id, from := range w.l.Reads {
		if inRow(from, last) && w.live[w.n.ReadStmt[id]] && (back == 0 || from.Dist[last] < back) {
			back = from.Dist[last]
		}
	}
	return back
}

// refused says why the loops may not replace tiles, as the predicate of a sentence; "" if they may. Loops of a batch always may, because
// tiles would begin anew for each item. Other loops may if they call no functions written in Go, and store only a few levels of an
// internal array.
func (w *seqWriter) refused() string {
	whole := func(st *seqArray) bool {
		arr := &w.n.Arrays[st.a]
		return arr.Role == ir.Internal && st.roll < 0 && w.used(st) && len(arr.Lo) >= len(w.n.Loops)
	}
	switch k := slices.IndexFunc(w.arrays, whole); {
	case w.n.InBatch():
		return ""
	case w.evaluates(calls):
		return "calls functions written in Go"
	case k >= 0:
		return "would store all of array " + w.n.Arrays[w.arrays[k].a].Name
	}
	return ""
}

// evaluates reports whether has holds for an expression of a live statement, or of the init of an array.
func (w *seqWriter) evaluates(has func(ir.Expr) bool) bool {
	for s, stmt := range w.n.Body {
		if w.live[s] && has(ir.Value(stmt)) {
			return true
		}
	}
	return slices.ContainsFunc(w.arrays, func(st *seqArray) bool {
		init := w.n.Arrays[st.a].Init
		return init != nil && has(init.Expr)
	})
}

// accesses is the number of instructions for accesses of arrays in an iteration of the innermost loop, which is loop last.
func (w *seqWriter) accesses(last int) (all float64) {
	counted := map[string]bool{}
	cell := func(a int, subs []ir.Affine, beyond bool) {
		switch st := w.arrays[a]; {
		case beyond:
			all += access * float64(len(subs))
		case w.inRow(st, subs) && len(w.in.rows) <= slicesInRegisters:
			all++
		case w.inRow(st, subs):
			all += 1 + spill
		default:
			all += access
		}
	}
	for id, r := range w.n.Reads {
		key := fmt.Sprint(r.Array, r.Subs)
		if w.live[w.n.ReadStmt[id]] && !w.inRegister(id) && !w.fixed(r, last) && !counted[key] {
			counted[key] = true // a cell that is read twice is loaded once
			cell(r.Array, r.Subs, w.beyond(r))
		}
	}
	for s, stmt := range w.n.Body {
		if a, ok := stmt.(*ir.Assign); ok && w.live[s] {
			cell(a.Array, a.Subs, false)
		}
	}
	return all
}

// inRegister reports whether a read is of a result in a register.
func (w *seqWriter) inRegister(id int) bool {
	for _, c := range w.in.carried {
		for _, k := range append(c.reads[:len(c.reads):len(c.reads)], c.again...) {
			if k == id {
				return true
			}
		}
	}
	return false
}

// calls reports whether an expression calls a function written in Go.
func calls(e ir.Expr) (found bool) {
	ir.Walk(e, func(e ir.Expr) {
		if _, ok := e.(*ir.ExternCall); ok {
			found = true
		}
	})
	return found
}

// branch counts a select whose two values are taken equally often. If one of them does not need the
// previous result, it interrupts the chain of dependent results, and the processor overlaps the
// parts: a quarter of the latency is left.
func (c *criticalPath) branch(e *ir.Select) (latency float64, registers int) {
	_, registers = c.apply(price{0, 0, 0, 1}, e.Cond)
	if c.onData(e.Cond) && !moves(e) {
		c.missed += guessed
	}
	value := func(x ir.Expr) float64 {
		before := *c
		latency, need := c.expr(x)
		registers = max(registers, need)
		c.floating = (before.floating + c.floating) / 2
		c.divider = (before.divider + c.divider) / 2
		c.instructions = (before.instructions + c.instructions) / 2
		c.missed = (before.missed + c.missed) / 2
		return latency
	}
	a, b := value(e.A), value(e.B)
	latency = max(a, b)
	if math.IsInf(min(a, b), -1) {
		latency /= 4
	}
	c.instructions++
	return latency, registers
}

// onData reports whether an expression depends on cells of arrays, and not only on loops and
// parameters.
func (c *criticalPath) onData(e ir.Expr) (found bool) {
	ir.Walk(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Read, *ir.Lookup, *ir.ConstCell:
			found = true
		case *ir.LocalRef:
			found = found || c.data[e.Stmt]
		}
	})
	return found
}
