package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// refs are the names of everything that the body reads.
func (w *boxWriter) refs() *refs {
	r := w.generator.refs(w.s)
	r.iter, r.read, r.cell, r.local = w.iter, w.read, w.lookedUp, func(s int) string { return w.lets[s] }
	r.iters = func() (names, values []string) {
		for k := range w.generator.loops {
			values = append(values, w.iter(k))
		}
		return loopNames(w.n), values
	}
	return r
}

// iter returns the value of loop k in the row being printed.
func (w *boxWriter) iter(k int) string {
	return sum(term{1, w.generator.loops[k]}, term{w.shifted(k), ""})
}

// shifted is the value of loop k in the row being printed minus its value in the first row. From
// row to row the last dimension but one grows by one, and the last one falls by the lag.
func (w *boxWriter) shifted(k int) int {
	if w.below == 0 {
		return 0
	}
	row := w.l.Unskew[k+w.shift]
	return w.below * (row[w.last-1] - w.jam.lag*row[w.last])
}

// moved returns a subscript in terms of the first row's iterators.
func (w *boxWriter) moved(a ir.Affine) ir.Affine {
	for k := range a.Iters {
		a.Const += a.Iters[k] * w.shifted(k)
	}
	return a
}

// read returns the value of an array read as an expression.
func (w *boxWriter) read(r *ir.Read) string {
	from := w.l.Reads[r.ID]
	switch {
	case from.From == ir.FromLocal:
		return w.news[from.Value]
	case from.From == ir.FromInitial && w.given(r.Array) && w.beyond(r):
		array := "tile." + w.givenName(r.Array)
		return fmt.Sprintf("%s[%s]", array, position(array, len(r.Subs), w.rowDim(r.Array), func(m int) string { return w.subscript(r, m) }))
	case from.From == ir.FromInitial && w.given(r.Array):
		return w.givenCell(r)
	case from.From == ir.FromInitial && !w.initial(r.Array):
		return w.nothing(r.T)
	case from.From == ir.FromInitial:
		var args []string
		for m := range r.Subs {
			args = append(args, w.subscript(r, m))
		}
		return fmt.Sprintf("tile.%s(%s)", w.initMethods[r.Array], strings.Join(args, ", "))
	case nextInRow(from, w.last):
		return w.carry(from.Value)
	}
	if name := w.stepAgo(from); name != "" {
		return name
	}
	if w.guarded(r) { // the row may be beyond the memory
		return fmt.Sprintf("tile.%s[%s]", w.values[from.Value], plus(w.place(from.Value, from.Dist), w.index))
	}
	return fmt.Sprintf("%s[%s]", w.rowSlice(from.Value, from.Dist, w.readName(r, from.Value)), w.index)
}

// nothing returns a value for a read that is never evaluated, because its guard never holds, of an array whose
// cells have no value before the nest.
func (w *boxWriter) nothing(t ir.Type) string { return fmt.Sprintf("%s(0)", t) }

// stepAgo returns the variable that still holds the result that is read, if one of the rows above,
// which are at later columns, computed it one step ago. Otherwise it returns "".
func (w *boxWriter) stepAgo(r ir.ReadFrom) string {
	if len(w.above) == 0 || !inPlane(r, w.last) {
		return ""
	}
	down, back := r.Dist[w.last-1], r.Dist[w.last]
	if down < 1 || down > len(w.above) || w.jam.lag*down+back != 1 {
		return ""
	}
	return w.above[len(w.above)-down].carried[r.Value]
}

// affine returns the text of a subscript.
func (w *boxWriter) affine(a ir.Affine) string {
	return affine(w.moved(a), w.generator.loops, w.params)
}

// readName names a row after its cell: uPrevTNextI for u[t-1,i+1].
func (w *boxWriter) readName(r *ir.Read, v int) string {
	name := w.arrays[r.Array]
	write := w.n.Body[w.l.Values[v]].(*ir.Assign)
	for m, sub := range r.Subs {
		for k := range sub.Iters {
			if c := sub.Const - write.Subs[m].Const; sub.Iter(k) != 0 && c != 0 {
				name += offsetName(w.n.Loops[k].Name, c)
			}
		}
	}
	if name == w.arrays[r.Array] {
		name += "Old"
	}
	return name
}

// level returns the variable with the position, in the live levels of value v, of the level
// that is d levels before the current one.
func (w *boxWriter) level(v, d int) string {
	if w.plan.Values[v].Levels() == 1 {
		d = 0
	}
	if name, ok := w.levels[[2]int{v, d}]; ok {
		return name
	}
	name := w.values[v] + "Level"
	if d == 1 {
		name = w.values[v] + "Before"
	} else if d > 1 {
		name = fmt.Sprintf("%sBefore%d", w.values[v], d)
	}
	name = w.s.name(name)
	w.levels[[2]int{v, d}] = name
	w.top.linef("%s := block.Row0(%d, %s)", name, v, sum(term{1, "lo[0]"}, term{-d, ""}))
	return name
}

// place returns the position of the row of value v at the given distance.
func (w *boxWriter) place(v int, dist ir.Vec) string {
	if dist == nil {
		dist = make(ir.Vec, w.last+1)
	}
	terms := []term{{1, w.level(v, dist[0])}, {1, "at"}}
	for x := 1; x < w.last; x++ {
		c := -dist[x]
		if x == w.last-1 {
			c += w.below
		}
		terms = append(terms, term{c, w.stride(x)})
	}
	return sum(append(terms, term{-dist[w.last] - w.jam.lag*w.below, ""})...)
}

// stride returns the variable with the stride along dimension x.
func (w *boxWriter) stride(x int) string { return w.strides[x] }

// rowSlice returns the slice with the row of value v at the given distance; the zero distance
// is the current row.
func (w *boxWriter) rowSlice(v int, dist ir.Vec, name string) string {
	key := fmt.Sprint(v, dist)
	if s, ok := w.slices[key]; ok {
		return s
	}
	name = w.local(name)
	w.slices[key] = name
	w.rows.linef("%s := tile.%s[%s:][:width]", name, w.values[v], w.place(v, dist))
	return name
}

// resultRow returns the slice with the row of the returned array that a statement writes.
func (w *boxWriter) resultRow(stmt *ir.Assign) string {
	key := fmt.Sprint("result ", stmt.Array, stmt.Subs)
	if s, ok := w.slices[key]; ok {
		return s
	}
	field := "tile." + w.resultName(stmt.Array)
	at := position(field, len(stmt.Subs), len(stmt.Subs)-1, func(m int) string { return w.affineAtRow(stmt.Subs[m]) })
	name := w.local(w.arrays[stmt.Array] + "Back")
	w.slices[key] = name
	w.rows.linef("%s := %s[%s:][:width]", name, field, at)
	return name
}

// carry returns the variable with the result of value v at the previous iteration of the row.
func (w *boxWriter) carry(v int) string {
	if name, ok := w.carried[v]; ok {
		return name
	}
	name := w.local(w.arrays[w.plan.Values[v].Array] + "Prev" + exported(w.dimName(w.last)))
	w.carried[v] = name
	dist := make(ir.Vec, w.last+1)
	dist[w.last] = 1
	w.rows.linef("%s := tile.%s[%s]", name, w.values[v], w.place(v, dist))
	return name
}

// subscript returns the text of subscript m of a read, which may be beyond a boundary of the array.
func (w *boxWriter) subscript(r *ir.Read, m int) string {
	if w.beyond(r) {
		return w.bounded(r.Array, m, w.affine(r.Subs[m]))
	}
	return w.affine(r.Subs[m])
}

// givenCell returns a cell of a given array. Along the row its position is first + step·x.
func (w *boxWriter) givenCell(r *ir.Read) string {
	array := "tile." + w.givenName(r.Array)
	key := fmt.Sprint("given ", r.Array, r.Subs)
	if name, ok := w.slices[key]; ok {
		return name
	}
	var step []string
	for m, sub := range r.Subs {
		c := 0 // change of the subscript from an iteration to the next in the row
		for k := range w.generator.loops {
			c += sub.Iter(k) * w.along(k)
		}
		if c != 0 {
			step = append(step, times(fmt.Sprint(c), viewStride(array, m, w.rowDim(r.Array))))
		}
	}
	first := position(array, len(r.Subs), w.rowDim(r.Array), func(m int) string { return w.affineAtRow(r.Subs[m]) })
	name := w.local(w.arrays[r.Array] + "Here")
	var use string
	switch by := plus(step...); by {
	case "0":
		w.rows.linef("%s := %s[%s]", name, array, first)
		use = name
	case "1":
		w.rows.linef("%s := %s[%s:][:width]", name, array, first)
		use = fmt.Sprintf("%s[%s]", name, w.index)
	default:
		// name is the position of the row's first cell.
		w.rows.linef("%s := %s", name, first)
		use = fmt.Sprintf("%s[%s + %s]", array, name, times(by, w.index))
	}
	w.slices[key] = use
	return use
}

// affineAtRow returns the text of a subscript at the first iteration of the row.
func (w *boxWriter) affineAtRow(a ir.Affine) string {
	rest := w.moved(a)
	rest.Iters = slices.Clone(a.Iters)
	var parts []string
	for k := range rest.Iters {
		c := a.Iters[k]
		if c == 0 || w.along(k) == 0 {
			continue
		}
		parts = append(parts, times(fmt.Sprint(c), w.first(k)))
		rest.Iters[k] = 0
	}
	return plus(append(parts, affine(rest, w.generator.loops, w.params))...)
}
