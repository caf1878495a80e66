package irtest

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
)

// guardedRead returns a read of some array, converted to t, and a condition without which the read may be beyond
// the bounds: bounds are not widened for it. The condition is "" if there is none.
func (w *nestWriter) guardedRead(t ir.Type) (text, condition string) {
	plain := w.plain
	w.guards, w.plain = &[]string{}, true // without a call of a function
	text = w.read(one(w.rng, slices.Concat(w.given, w.written, w.written)...), t)
	list := *w.guards
	w.guards, w.plain = nil, plain
	return text, strings.Join(list, " && ")
}

// guard adds the condition that loop l plus c is within the loop's range. It returns c, or a multiple of c.
func (w *nestWriter) guard(l *randomLoop, c int) int {
	if w.chance(3) {
		c *= 2
	}
	x, lo := plus(l.name, c), strconv.Itoa(l.lo)
	switch {
	case c < 0:
		*w.guards = append(*w.guards, one(w.rng, x+" >= "+lo, l.name+" > "+strconv.Itoa(l.lo-c-1), "!("+x+" < "+lo+")"))
	case c > 0:
		*w.guards = append(*w.guards, one(w.rng, x+" <= "+l.hi, l.name+" < "+l.hi+"-"+strconv.Itoa(c-1), "!("+x+" > "+l.hi+")"))
	}
	return c
}

// guarded returns a select, or a sum of x and a select, one of whose values is a guarded read.
func (w *nestWriter) guarded(x string, t ir.Type) string {
	read, condition := w.guardedRead(t)
	switch {
	case condition == "":
		return x
	case w.chance(4):
		return "select(" + condition + " && " + read + " > " + w.operand(t) + ", " + x + ", " + w.other(t) + ")"
	case w.chance(4):
		return "select(!(" + condition + ") || " + read + " < " + w.operand(t) + ", " + x + ", " + read + ")"
	case w.chance(2):
		return "select(!(" + condition + "), " + x + ", " + read + ")"
	}
	return "select(" + condition + " && " + w.operand(t) + " != 3, " + read + ", " + x + ")"
}

// colored returns a value for the cells of one color; the others keep theirs.
func (w *nestWriter) colored(cell, value string) string {
	var terms []string
	for k := range w.nest {
		terms = append(terms, one(w.rng, "", "", "2*", "3*")+w.nest[k].name)
	}
	if w.chance(3) {
		terms = slices.Delete(terms, 0, 1)
	}
	at := "(" + strings.Join(append(terms, one(w.rng, "0", "1", "7")), one(w.rng, " + ", " + ", " - ")) + ")"
	switch mod := one(w.rng, "2", "2", "2", "3"); w.rng.IntN(7) {
	case 0:
		return "select(" + at + "/" + mod + "*" + mod + " != " + at + ", " + cell + ", " + value + ")"
	case 1:
		return "select(" + at + "&1 == " + one(w.rng, "0", "1") + ", " + value + ", " + cell + ")"
	case 2:
		return "select(" + at + "%" + mod + " != 1, " + cell + ", " + value + ")"
	case 3:
		return "select(" + at + "%" + mod + " == " + w.nest[0].name + "%" + mod + ", " + value + ", " + cell + ")"
	default:
		return "select(" + at + "%" + mod + one(w.rng, " == 0", " == 0", " == 1", " != 0") + ", " + value + ", " + cell + ")"
	}
}

// other is a second value of a select: an operand, or a number.
func (w *nestWriter) other(t ir.Type) string {
	if w.chance(2) {
		return "0"
	}
	return w.operand(t)
}

// guardedInit returns the init of an array from another one with the same bounds, of which neighbors are read
// where there are some.
func (w *nestWriter) guardedInit(first string, names, bounds []string) string {
	own := first + "[" + strings.Join(names, ", ") + "]"
	if !w.chance(3) {
		return one(w.rng, own, own, own+" - "+own+"/2", names[0]+"/9*"+own+"/8")
	}
	d := w.rng.IntN(len(names))
	lo, hi, _ := strings.Cut(bounds[d], "..")
	c := one(w.rng, -2, -1, 1, 3)
	near := slices.Clone(names)
	near[d] = plus(names[d], c)
	condition := near[d] + " >= " + lo
	if c > 0 {
		condition = near[d] + " <= " + hi
	}
	return "select(" + condition + ", " + first + "[" + strings.Join(near, ", ") + "], " + own + ")"
}
