package codegen

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// A seqExtreme is how the sequential reference finds the greatest or the least value of a row, four values at a time. min and
// max of any order have the same bits, and those of four values do not wait for the values before them.
type seqExtreme struct {
	carry  *seqCarry
	fn     ir.Func
	values []string  // variables
	bodies []printer // by value: its statements
}

// extreme returns how the body's only statement finds an extreme; nil if it does not, or if the body is that of a group of
// rows, which do not wait for one another.
func (w *seqWriter) extreme() (x *seqExtreme, rest ir.Expr) {
	rolled := func(st *seqArray) bool { return st.roll >= 0 }
	if w.several || len(w.n.Reduces()) > 0 || len(w.in.carried) != 1 || w.in.lead == nil || slices.ContainsFunc(w.arrays, rolled) {
		return nil, nil
	}
	c := w.in.carried[0]
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

// values prints, besides the body, the values of several iterations.
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

// pairs is the extreme of values, of which pairs are compared first.
func pairs(fn ir.Func, values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	half := len(values) / 2
	return fmt.Sprintf("%s(%s, %s)", fn, pairs(fn, values[:half]), pairs(fn, values[half:]))
}
