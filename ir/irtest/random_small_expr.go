package irtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
)

// read returns a read of some array, of type t.
func (w *smallWriter) read(t ir.Type) string {
	a := one(w.rng, w.arrays...)
	text := ""
	lacking := len(w.loops) - len(a.where) // at least so many loops are no subscript of a
	ownCells := lacking <= 0 && !slices.Contains(a.where, -1)
	switch {
	case a.role == "in" && w.chance(3): // anywhere
		var subs []string
		for range a.rank {
			subs = append(subs, one(w.rng, one(w.rng, w.loops...), "0", "1", one(w.rng, w.names...), one(w.rng, w.loops...)+"-1"))
		}
		text = a.name + "[" + strings.Join(subs, ",") + "]"
	case a.role == "in" || len(w.loops) == 1 || w.chance(4) || ownCells: // each iteration has a cell of its own
		text = w.cell(a, true)
	case lacking < 2 || w.chance(3):
		text = w.cell(a, false)
	default: // no read: many iterations write each cell, so distances would vary
		return w.as(one(w.rng, w.loops...), ir.Invalid, t)
	}
	return w.as(text, a.elem, t)
}

// as returns text converted from one type to another.
func (w *smallWriter) as(text string, from, to ir.Type) string {
	if from == to {
		return text
	}
	return to.String() + "(" + text + ")"
}

// leaf returns an expression without operators: a name, a number or a read.
func (w *smallWriter) leaf(t ir.Type) string {
	indices := w.loops
	if w.inInit != nil {
		indices = w.inInit
	}
	if x := w.listed(t, indices); x != "" {
		return x
	}
	switch {
	case w.chance(5):
		return w.as(one(w.rng, indices...), ir.Invalid, t)
	case w.chance(8):
		return strconv.Itoa(w.rng.IntN(9))
	case w.chance(10):
		return one(w.rng, w.names...)
	case len(w.consts) > 0 && t.Float() && w.chance(5):
		return one(w.rng, w.consts...)
	case w.inInit != nil:
		return w.as(one(w.rng, indices...)+one(w.rng, "*3", "*7", ""), ir.Invalid, t)
	case len(w.lets) > 0 && w.chance(4):
		l := one(w.rng, w.lets...)
		return w.as(l.name, l.elem, t)
	}
	return w.read(t)
}

// expr returns an expression of type t.
func (w *smallWriter) expr(t ir.Type, depth int) string {
	if depth == 0 || w.chance(4) {
		return w.leaf(t)
	}
	x := w.expr(t, depth-1)
	switch {
	case w.chance(7):
		return one(w.rng, "min", "max") + "(" + x + ", " + w.expr(t, depth-1) + ")"
	case w.chance(7):
		return fmt.Sprintf("select(%s, %s, %s)", w.condition(), x, w.expr(t, depth-1))
	case w.chance(10):
		return one(w.rng, "abs("+x+")", "-"+x, "-(-"+x+")", "max("+x+", "+w.leaf(t)+", 3)")
	case w.chance(20): // through another type
		s := w.elem()
		return w.as(w.as(x, t, s), s, t)
	case t.Float() && w.chance(8):
		return one(w.rng, "sqrt(abs("+x+"))", "sin("+x+")", "exp(-abs("+x+"))", "floor("+x+")", "log(1 + abs("+x+"))", "cos("+x+")", "round("+x+")", "ceil("+x+")", "tanh("+x+")", "trunc("+x+")", "pow("+x+", "+w.leaf(t)+")", "pow("+x+", 2)")
	case w.chance(10) && w.inInit == nil:
		return x + "/" + one(w.rng, "2", "3", "7", w.leaf(t))
	case w.chance(10): // init is evaluated only where it is needed, so its errors would not be deterministic
		return x + "/" + one(w.rng, "2", "3", "7")
	case t.Integer() && w.chance(6):
		return "(" + x + one(w.rng, "%", "&", " | ", " ^ ") + "(" + one(w.rng, "7", "100", w.expr(t, depth-1)+" | 1") + "))"
	case t.Integer() && w.chance(8):
		return "(" + x + one(w.rng, "<<", ">>") + strconv.Itoa(w.rng.IntN(8*t.Size())) + ")"
	case t.Float():
		return "(" + one(w.rng, "0.25", "0.5", "0.75") + "*" + x + one(w.rng, " + ", " - ") + w.expr(t, depth-1) + "/2)"
	}
	return "(" + x + one(w.rng, " + ", " - ", "*3 + ") + w.expr(t, depth-1) + ")"
}

// condition returns one or several comparisons of any type, sometimes of loop variables
// only.
func (w *smallWriter) condition() string {
	s := w.elem()
	x, y := w.leaf(s), w.leaf(s)
	if w.chance(2) {
		x, y = w.as(x, s, ir.Float64), w.as(y, s, ir.Float64)
	}
	text := x + one(w.rng, " < ", " >= ", " == ", " != ") + y
	if w.chance(5) && w.inInit == nil {
		text = one(w.rng, w.loops...) + one(w.rng, "", "*2", "+1") + one(w.rng, " > ", " <= ") + one(w.rng, "2", one(w.rng, w.names...), one(w.rng, w.loops...)+"/2*2")
	}
	switch {
	case w.chance(6):
		return "!(" + text + ")"
	case w.chance(4):
		return text + one(w.rng, " && ", " || ") + w.condition()
	}
	return text
}

// text returns the file.
func (w *smallWriter) text() string {
	var values []string
	for _, d := range w.defaults {
		values = append(values, strconv.Itoa(d))
	}
	return fmt.Sprintf("param %s = %s\n%s\n%s", strings.Join(w.names, ", "), strings.Join(values, ", "), strings.Join(w.decls, "\n"), w.nests.String())
}
