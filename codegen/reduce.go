package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// exact reports whether a reduction is a sum of floats, which an arith.Sum collects and rounds
// at the end.
func exact(r *ir.Reduce) bool { return r.Op == ir.ReduceSum && r.Type.Float() }

// exactSums reports whether a nest has sums of floats: see exact.
func (g *generator) exactSums() bool { return slices.ContainsFunc(g.n.Reduces(), exact) }

// hasPlaces reports whether a nest has places of reductions.
func (g *generator) hasPlaces() bool {
	return slices.ContainsFunc(g.n.Reduces(), func(r *ir.Reduce) bool { return r.Place })
}

// reducedMethod prints the method that returns the reductions to the caller.
func (g *generator) reducedMethod() {
	if len(g.reduces) == 0 {
		return
	}
	g.blank()
	g.linef("// reduced takes the reductions of a run.")
	g.linef("func (a *%s) reduced(fields kernel.Fields) {", g.typeArrays)
	for k, r := range g.n.Reduces() {
		g.linef("a.%s = sched.Reduced[%s](fields, %d)", g.reduceFields[k], r.Type, k)
	}
	g.linef("}")
}

// reduceFieldsOfKernel prints the fields that hold the values of reductions so far.
func (g *generator) reduceFieldsOfKernel() {
	for k, r := range g.n.Reduces() {
		t := r.Type.String()
		switch {
		case exact(r):
			t = "arith.Sum"
		case r.Place:
			t = "arith.Place"
		}
		g.linef("%s *%s // %s, so far", g.reduces[k], t, g.n.ReduceText(r))
	}
}

// reduceBind prints the code that sets the fields of reduceFieldsOfKernel.
func (g *generator) reduceBind() {
	for k, r := range g.n.Reduces() {
		switch {
		case exact(r):
			g.linef("tile.%s = fields.Reduced[%d].Exact", g.reduces[k], k)
		case r.Place:
			g.linef("tile.%s = fields.Reduced[%d].Place", g.reduces[k], k)
		default:
			g.linef("tile.%s = &array.Cells[%s](fields.Reduced[%d].Value)[0]", g.reduces[k], r.Type, k)
		}
	}
}

// offer prints an if that offers this iteration as the place of the k-th reduction, unless its value is worse than the value so far,
// which the variable best holds. If combines, the if also combines the value with best. Values of most iterations are worse: these
// iterations then wait only for a branch, which is predicted.
func (g *generator) offer(m *emitter, k int, best, value string, combines bool) {
	r := g.n.Reduces()[k]
	sign := "<"
	if r.Op == ir.ReduceMin {
		sign = ">"
	}
	m.p.linef("if !(%s %s %s) { // NaN is the %s, too", value, sign, best, r.Op)
	var key []string
	for i, l := range g.n.Loops {
		x := m.r.iter(i)
		if l.Backward {
			x = "-(" + x + ")"
		}
		key = append(key, x)
	}
	for i, place := range g.n.Places(k) {
		m.p.linef("arith.Offer(tile.%s, %s, %s, %s)", g.reduces[k+1+i], value, m.r.iter(place.Expr.(*ir.IterRef).Iter), strings.Join(key, ", "))
	}
	if combines {
		m.combine(best, r, value)
	}
	m.p.linef("}")
}

// addTo prints the statement that combines the value of a reduction's expression with the
// variable name.
func (m *emitter) addTo(name string, r *ir.Reduce) { m.combine(name, r, m.expr(r.Expr)) }

func (m *emitter) combine(name string, r *ir.Reduce, value string) {
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

// reduction prints reduction r in the row being printed. If rows are computed together, the
// values of a step are combined first, see reduceRows, so that no row waits for another.
func (w *boxWriter) reduction(m *emitter, r *ir.Reduce) {
	k := len(w.parts)
	name := w.generator.reduces[k]
	if r.Place {
		w.parts = append(w.parts, "")
		return
	}
	w.quote(r.Span.Line)
	value, places := "", len(w.n.Places(k)) > 0
	keep := func() {
		value = m.expr(r.Expr)
		if !w.stays(r.Expr) {
			value = w.local(name + "Here")
			m.define(value, r.Expr)
		}
	}
	switch {
	case w.jam.rows == 0: // box prints the row that is computed by itself before it sets jam
		if exact(r) {
			w.top.linef("%s := tile.%s", name, name)
		} else {
			w.top.linef("%s := *tile.%s", name, name)
			w.end.linef("*tile.%s = %s", name, name)
		}
		if !places {
			m.addTo(name, r)
			break
		}
		keep()
		w.offer(m, k, name, value, true)
	case exact(r):
		m.addTo(name, r)
	default:
		keep()
		if places {
			w.offer(m, k, name, value, false)
		}
	}
	w.parts = append(w.parts, value)
}

// stays reports whether an expression is a variable that keeps its value until the end of the
// step.
func (w *boxWriter) stays(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.LocalRef:
		return true
	case *ir.Read:
		return w.l.Reads[e.ID].From == ir.FromLocal
	}
	return false
}

// reduceRows prints the combination of the values of all rows into rows[0], which a step computes last.
// It combines them in pairs, so that only one operation depends on the result of the step before.
func (w *boxWriter) reduceRows(rows []*rowWriter) {
	for k, r := range w.n.Reduces() {
		if exact(r) || r.Place {
			continue
		}
		var values []string
		for _, row := range rows {
			values = append(values, row.parts[k])
		}
		name := w.generator.reduces[k]
		if r.Op == ir.ReduceSum {
			rows[0].body.linef("%s += %s", name, strings.Join(values, " + "))
		} else {
			rows[0].body.linef("%s = %s(%s, %s)", name, r.Op, name, byTwos(r.Op.String(), values))
		}
	}
}

// byTwos applies a function of two values to all of them, as a balanced tree.
func byTwos(fn string, values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	half := len(values) / 2
	return fmt.Sprintf("%s(%s, %s)", fn, byTwos(fn, values[:half]), byTwos(fn, values[half:]))
}

// sums reports whether a reduction counts every iteration: then no iteration may be computed
// twice.
func (g *generator) sums() bool {
	return slices.ContainsFunc(g.n.Reduces(), func(r *ir.Reduce) bool { return r.Op == ir.ReduceSum })
}

// reduceBegin prints the variables in which the sequential reference collects values.
func (w *seqWriter) reduceBegin() {
	for k, r := range w.n.Reduces() {
		name := w.generator.reduces[k]
		switch {
		case exact(r):
			w.generator.linef("var %s arith.Sum", name)
		case r.Place:
			w.generator.linef("var %s int", name)
		case r.Op == ir.ReduceSum:
			w.generator.linef("var %s %s", name, r.Type)
		default:
			w.generator.linef("%s := %s", name, extreme(r.Type, r.Op == ir.ReduceMax))
			if len(w.n.Places(k)) > 0 {
				w.generator.linef("%s := false", w.found[k])
			}
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
	case t.Float():
		return fmt.Sprintf("%s(math.Inf(%d))", t, sign)
	case lowest && t.Cell().Lo == 0:
		return fmt.Sprintf("%s(0)", t)
	}
	return fmt.Sprintf("%s(math.%s%s)", t, word, exported(t.String()))
}

// reduction prints the k-th reduction with its places.
func (w *seqWriter) reduction(m *emitter, k int, r *ir.Reduce) {
	if len(w.n.Places(k)) == 0 {
		m.addTo(w.generator.reduces[k], r)
		return
	}
	value, best := w.s.name(r.Name+"Here"), w.generator.reduces[k]
	m.define(value, r.Expr)
	if w.found[k] == "" {
		w.found[k] = w.s.name(r.Name + "Found")
	}
	// Iterations come in the order of the loops, so that only a better value moves the places.
	var names, iters []string
	for i, place := range w.n.Places(k) {
		names, iters = append(names, w.generator.reduces[k+1+i]), append(iters, m.r.iter(place.Expr.(*ir.IterRef).Iter))
	}
	set := fmt.Sprintf("%s, %s = %s, true", strings.Join(names, ", "), w.found[k], strings.Join(iters, ", "))
	better, worse := ">", "<"
	if r.Op == ir.ReduceMin {
		better, worse = "<", ">"
	}
	if r.Type.Float() {
		m.p.linef("if !(%s %s %s) { // NaN is the %s, too", value, worse, best, r.Op)
		m.p.linef("if %[1]s %[3]s %[2]s || %[1]s != %[1]s && %[2]s == %[2]s || %[1]s == 0 && %[2]s == 0 && 1/%[1]s %[3]s 1/%[2]s || !%[4]s {", value, best, better, w.found[k])
		m.p.linef("%s\n}", set)
		m.combine(best, r, value)
	} else {
		m.p.linef("if %s %s %s || !%s {", value, better, best, w.found[k])
		m.p.linef("%s\n%s = %s", set, best, value)
	}
	m.p.linef("}")
}

// reduceEnd prints the code that returns the reductions to the caller.
func (w *seqWriter) reduceEnd() {
	for k, r := range w.n.Reduces() {
		value := w.generator.reduces[k]
		switch {
		case exact(r):
			value += "." + exported(r.Type.String()) + "()"
		case r.Place:
			value = fmt.Sprintf("%s(%s)", r.Type, value)
		}
		w.generator.linef("array.Cells[%s](fields.Reduced[%d].Value)[0] = %s", r.Type, k, value)
	}
}
