package codegen

import (
	"fmt"

	"loopc/ir"
)

// exact reports whether a reduction is a sum of floats, which comes together in an
// arith.Sum and is rounded at the end.
func exact(r *ir.Reduce) bool { return r.Op == ir.ReduceSum && r.Type.Float() }

// reducedMethod prints the method that gives the caller the reductions.
func (g *generator) reducedMethod() {
	if len(g.reduces) == 0 {
		return
	}
	g.blank()
	g.linef("// reduced takes the reductions of a run.")
	g.linef("func (a *%s) reduced(fields halo.Fields) {", g.typeArrays)
	for k, r := range g.n.Reduces() {
		g.linef("a.%s = sched.Reduced[%s](fields, %d)", g.reduceFields[k], r.Type, k)
	}
	g.linef("}")
}

// reduceFieldsOfKernel prints the fields that hold what has come together.
func (g *generator) reduceFieldsOfKernel() {
	for k, r := range g.n.Reduces() {
		t := r.Type.String()
		if exact(r) {
			t = "arith.Sum"
		}
		g.linef("%s *%s // %s, so far", g.reduces[k], t, g.n.ReduceText(r))
	}
}

// reduceBind prints what sets them.
func (g *generator) reduceBind() {
	for k, r := range g.n.Reduces() {
		if exact(r) {
			g.linef("kernel.%s = fields.Reduced[%d].Exact", g.reduces[k], k)
		} else {
			g.linef("kernel.%s = &array.Cells[%s](fields.Reduced[%d].Value)[0]", g.reduces[k], r.Type, k)
		}
	}
}

// addTo prints that the value of a reduction's expression goes to the variable
// name, where values come together.
func (m *emitter) addTo(name string, r *ir.Reduce) {
	value := m.expr(r.Expr)
	switch {
	case exact(r) && r.Type == ir.Float32:
		m.p.linef("%s.Add(float64(%s))", name, value)
	case exact(r):
		m.p.linef("%s.Add(%s)", name, value)
	case r.Op == ir.ReduceSum:
		m.p.linef("%s += %s", name, value)
	default:
		m.p.linef("%s = %s(%s, %s)", name, r.Op, name, value)
	}
}

// reduction prints reduction r, of the row being printed. Rows that advance
// together have a variable each, so that none waits for the other.
func (w *boxWriter) reduction(m *emitter, r *ir.Reduce) {
	k := w.reduced
	w.reduced++
	name := w.generator.reduces[k]
	w.provenance(&w.body, r.Span.Line)
	switch {
	case exact(r):
		if w.ahead == 0 {
			w.top.linef("%s := kernel.%s", name, name)
		}
	case w.ahead == 0:
		w.top.linef("%s := *kernel.%s", name, name)
		w.end.linef("*kernel.%s = %s", name, name)
	case r.Op == ir.ReduceSum:
		below := w.local(name)
		w.top.linef("var %s %s", below, r.Type)
		w.end.linef("*kernel.%s += %s", name, below)
		name = below
	default:
		below := w.local(name)
		w.top.linef("%s := %s", below, name)
		w.end.linef("*kernel.%s = %s(*kernel.%s, %s)", name, r.Op, name, below)
		name = below
	}
	m.addTo(name, r)
}

// reduceBegin prints the variables in which the sequential reference collects.
func (w *seqWriter) reduceBegin() {
	for k, r := range w.n.Reduces() {
		name := w.generator.reduces[k]
		switch {
		case exact(r):
			w.generator.linef("var %s arith.Sum", name)
		case r.Op == ir.ReduceSum:
			w.generator.linef("var %s %s", name, r.Type)
		default:
			w.generator.linef("%s := %s", name, extreme(r.Type, r.Op == ir.ReduceMax))
		}
	}
}

// extreme returns the lowest value of type t, or the highest.
func extreme(t ir.Type, lowest bool) string {
	sign, word := 1, "Max"
	if lowest {
		sign, word = -1, "Min"
	}
	switch {
	case t == ir.Float64:
		return fmt.Sprintf("math.Inf(%d)", sign)
	case t == ir.Float32:
		return fmt.Sprintf("float32(math.Inf(%d))", sign)
	case t == ir.Uint8 && lowest:
		return "uint8(0)"
	}
	return fmt.Sprintf("%s(math.%s%s)", t, word, exported(t.String()))
}

// reduceEnd prints what gives the reductions to the caller.
func (w *seqWriter) reduceEnd() {
	for k, r := range w.n.Reduces() {
		value := w.generator.reduces[k]
		if exact(r) {
			value += "." + exported(r.Type.String()) + "()"
		}
		w.generator.linef("array.Cells[%s](fields.Reduced[%d].Value)[0] = %s", r.Type, k, value)
	}
}
