package irtest

import (
	"fmt"
	"strconv"
	"strings"

	"loopc/ir"
)

// A randomTable is a given array whose cells the nest being written looks up.
type randomTable struct {
	name   string
	elem   ir.Type
	lo, hi []int
	listed bool // a constant array
}

// table returns a table whose cells are of type t, or of any type if that is Invalid.
func (w *nestWriter) table(t ir.Type) *randomTable {
	for _, a := range w.tables {
		if (a.elem == t || t == ir.Invalid) && w.chance(2) {
			return a
		}
	}
	if t == ir.Invalid {
		t = anyType(w.rng)
	}
	a := &randomTable{name: fmt.Sprintf("tab%d%s", len(w.tables), w.tag), elem: t, listed: w.chance(3)}
	var bounds []string
	for range 1 + w.rng.IntN(2) {
		lo := one(w.rng, 0, 0, -1, 3)
		hi := lo + one(w.rng, 0, 3, 4, 7, 19)
		a.lo, a.hi, bounds = append(a.lo, lo), append(a.hi, hi), append(bounds, fmt.Sprintf("%d..%d", lo, hi))
	}
	w.tables = append(w.tables, a)
	if a.listed {
		w.decls = append(w.decls, listedText(w.rng, a.name, t, a.lo, a.hi))
		return a
	}
	w.decls = append(w.decls, "array "+a.name+"["+strings.Join(bounds, ", ")+"] "+t.String()+" in")
	return a
}

// lookup returns a cell of a table, of type t. value returns an expression of the given type, from which its
// subscripts are computed; these are within the bounds of the table.
func (w *nestWriter) lookup(t ir.Type, value func(t ir.Type) string) string {
	a := w.table(one(w.rng, t, t, t, ir.Invalid))
	subs := make([]string, len(a.lo))
	computed := w.rng.IntN(len(subs))
	if a.listed && w.chance(3) {
		computed = -1
	}
	for d := range subs {
		if d != computed && (computed < 0 || w.chance(3)) {
			subs[d] = strconv.Itoa(a.hi[d])
			continue
		}
		x := value(one(w.rng, ir.Int64, ir.Int64, ir.Int32, ir.Uint8, t))
		subs[d] = w.within(x, a.lo[d], a.hi[d])
	}
	text := a.name + "[" + strings.Join(subs, ",") + "]"
	if a.elem != t {
		text = t.String() + "(" + text + ")"
	}
	return text
}

// lookedUp returns a cell, of type t, of a table, or of an array that several nests of a file share and this nest
// does not write.
func (w *nestWriter) lookedUp(t ir.Type) string {
	if w.chance(2) {
		return w.moving(t)
	}
	if w.tag == "" || len(w.given) == 0 || w.chance(2) {
		return w.lookup(t, w.subscript)
	}
	a := one(w.rng, w.given...)
	if a.ends != nil {
		return w.lookup(t, w.subscript)
	}
	var subs []string
	for range a.loops { // the bounds are those of share
		subs = append(subs, fmt.Sprintf("max(-5, min(int64(%s), %s))", w.subscript(one(w.rng, ir.Int64, t)), w.paramNames[0]))
	}
	text := a.name + "[" + strings.Join(subs, ",") + "]"
	if a.elem != t {
		text = t.String() + "(" + text + ")"
	}
	return text
}

// within returns a computed subscript from lo to hi.
func (w *nestWriter) within(x string, lo, hi int) string {
	size := hi - lo + 1
	switch {
	case size&(size-1) == 0 && w.chance(2):
		return plus(fmt.Sprintf("(int64(%s) & %d)", x, size-1), lo)
	case w.chance(3):
		return fmt.Sprintf("max(%d, min(int64(%s)%s, %d))", lo, x, one(w.rng, "", ">>1", "*3"), hi)
	case w.chance(3):
		return plus(fmt.Sprintf("max(0, int64(%s) %% %d)", x, size), lo)
	}
	return plus(fmt.Sprintf("abs(int64(%s) %% %d)", x, size), lo)
}

// subscript returns an expression of type t from which a subscript is computed.
func (w *nestWriter) subscript(t ir.Type) string {
	plain := w.plain
	w.plain = true // without a call of a function
	defer func() { w.plain = plain }()
	switch {
	case w.chance(4):
		return one(w.rng, w.nest...).name
	case w.chance(6):
		return one(w.rng, w.nest...).name + "*" + one(w.rng, w.nest...).name
	case len(w.given) > 0 && w.chance(2):
		return w.read(one(w.rng, w.given...), t)
	}
	x := w.read(one(w.rng, w.written...), t)
	if t.Float() {
		return "9*" + x
	}
	return x
}

// moving returns a cell, of type t, of a table: from an iteration of a row to the next, the cell moves by one, except where its subscript would be
// beyond the bounds.
func (w *nestWriter) moving(t ir.Type) string {
	inner, lo := w.nest[len(w.nest)-1].name, one(w.rng, 0, -1, 3)
	hi := lo + one(w.rng, 0, 9, 40, 90)
	name := fmt.Sprintf("move%d%s", len(w.decls), w.tag)
	elem := one(w.rng, t, t, t, anyType(w.rng))
	bounds, subs := fmt.Sprintf("%d..%d", lo, hi), ""
	if w.chance(3) {
		bounds, subs = "-1..1, "+bounds, one(w.rng, "0", "1", fmt.Sprintf("max(-1, min(%s, 1))", w.apart()))+","
	}
	w.decls = append(w.decls, fmt.Sprintf("array %s[%s] %s in", name, bounds, elem))
	by := w.apart()
	at := one(w.rng, inner+" - "+by, inner+" - "+by, inner+" + "+by, by+" - "+inner)
	cell := func(sub string) string {
		text := name + "[" + subs + sub + "]"
		if elem != t {
			text = t.String() + "(" + text + ")"
		}
		return text
	}
	switch w.rng.IntN(5) {
	case 0:
		return cell(plus(fmt.Sprintf("abs((%s) %% %d)", at, hi-lo+1), lo))
	case 1:
		return fmt.Sprintf("select(%s >= %d && !(%s > %d), %s, %s)", at, lo, at, hi, cell(at), w.other(t))
	case 2:
		return fmt.Sprintf("select(%d > %s || %d < %s, %s, %s)", lo, at, hi, at, w.other(t), cell(at))
	case 3:
		return fmt.Sprintf("select(%s <= %d, %s, %s)", at, hi, cell(fmt.Sprintf("max(%d, %s)", lo, at)), w.other(t))
	}
	return cell(fmt.Sprintf("max(%d, min(%s, %d))", lo, at, hi))
}

// apart returns an integer that is the same for all iterations of a row.
func (w *nestWriter) apart() string {
	outer := w.nest[0]
	switch {
	case len(w.nest) > 1 && outer.box && w.chance(2):
		name := fmt.Sprintf("shift%d%s", len(w.decls), w.tag)
		w.decls = append(w.decls, fmt.Sprintf("array %s[%d..%s] %s in", name, outer.lo, outer.hi, one(w.rng, "int32", "int32", "int8", "uint8", "int64")))
		return name + "[" + outer.name + "]"
	case len(w.nest) > 1 && w.chance(2):
		return outer.name + one(w.rng, "", "*2", "/2")
	}
	return one(w.rng, "0", "1", "7", w.paramNames[0])
}
