package codegen

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// A seqExtreme is how the sequential reference finds the greatest or the least value of a row, several values (atATime) at a
// time. The extreme of these values does not wait for the extreme of the values before them: only the comparison of both does.
// min and max have the same bits in any order.
type seqExtreme struct {
	carry  *seqCarry // the extreme so far
	fn     ir.Func   // min or max
	values []string  // the variables of the values
	bodies []printer // by value: the statements that compute it
}

// extreme reports whether the body only assigns fn(previous, rest) to the one cell of a row, where previous is the cell's
// value and fn is min or max; x is nil if not. It is also nil in a group of rows, where other rows fill the time in which a
// row waits for its previous value.
func (w *seqWriter) extreme() (x *seqExtreme, rest ir.Expr) {
	rolled := func(st *seqArray) bool { return st.roll >= 0 }
	// The loop needs a slice for its length, and one result that waits for the iteration before.
	if w.several || len(w.n.Reduces()) > 0 || len(w.in.carried) != 1 || w.in.lead == nil || slices.ContainsFunc(w.arrays, rolled) {
		return nil, nil
	}
	c := w.in.carried[0]
	// The row's result must stay in a variable, and the call below must be its only reader.
	if !w.onlyLive(c.stmt) || !c.keeper || c.late || len(c.again) > 0 || len(c.reads) != 1 {
		return nil, nil
	}
	call, ok := w.n.Body[c.stmt].(*ir.Assign).Expr.(*ir.Call)
	if !ok || call.Fn != ir.Min && call.Fn != ir.Max {
		return nil, nil
	}
	previous := func(e ir.Expr) bool {
		r, ok := e.(*ir.Read)
		return ok && r.ID == c.reads[0]
	}
	other := slices.DeleteFunc(slices.Clone(call.Args), previous)
	if len(other) != len(call.Args)-1 || len(other) == 0 {
		return nil, nil
	}
	if rest = other[0]; len(other) > 1 {
		rest = &ir.Call{T: call.T, Fn: call.Fn, Args: other, At: call.At}
	}
	return &seqExtreme{carry: c, fn: call.Fn}, rest
}

// onlyLive reports whether no statement other than s is live.
func (w *seqWriter) onlyLive(s int) bool {
	for k, live := range w.live {
		if live && k != s {
			return false
		}
	}
	return true
}

// values decides whether the row finds an extreme (w.most) and prints what fours needs: the values of several iterations.
func (w *seqWriter) values(r *refs) {
	x, rest := w.extreme()
	if x == nil {
		return
	}
	x.bodies = make([]printer, atATime)
	for k := range x.bodies {
		x.values = append(x.values, w.name("value"))
		(&emitter{p: &x.bodies[k], r: r}).define(x.values[k], rest)
	}
	w.most = x
}

// fours prints the loop that compares several values at a time. The loop over single ones follows, and begins where this
// one ends.
func (x *seqExtreme) fours(w *seqWriter, first int) {
	in, g := &w.in, w.generator
	w.severalAtATime(first)
	for k := range x.bodies {
		if k > 0 {
			g.linef("%s++", in.place)
		}
		g.buf.Write(x.bodies[k].buf.Bytes())
		for _, step := range in.steps {
			g.linef("%s", step)
		}
	}
	g.linef("%s = %s(%s, %s)", x.carry.name, x.fn, x.carry.name, pairs(x.fn, x.values))
	g.linef("}")
}

// pairs returns the text of the extreme of the values, as a balanced tree of comparisons: few of them wait for one another.
func pairs(fn ir.Func, values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	half := len(values) / 2
	return fmt.Sprintf("%s(%s, %s)", fn, pairs(fn, values[:half]), pairs(fn, values[half:]))
}
