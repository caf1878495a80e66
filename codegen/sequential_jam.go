package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// A seqJam is how the sequential reference computes several rows together (unroll and jam), where iterations of a
// row wait for one another, and those of neighboring rows do not:
//
//	for i { for j { s[i] += a[i,j]*x[j] } }
//	  =>
//	for i in steps of 4 { for j { s[i] += a[i,j]*x[j]; s[i+1] += a[i+1,j]*x[j]; ... } }
//
// Each cell gets the same values in the same order, so results have the same bits.
type seqJam struct {
	rows  int
	part  string     // the function that computes a part of one row, or of a group
	loops [][]string // by row of a group: the variables of the loops
	group *seqWriter // prints a group of rows
}

// groupRows are the numbers of rows that are computed together, the best first; a group with more than groupSlices
// slices of rows has fewer rows, because slices need registers.
var groupRows = []int{4, 3, 2}

const groupSlices = 8

// jammed returns how rows are computed together; nil if they are not.
func (w *seqWriter) jammed() *seqJam {
	last := len(w.n.Loops) - 1
	// The first iteration that fails must be the one that reports it, and reductions need the order of the loops.
	if last < 1 || w.refused() != "" || w.evaluates(func(e ir.Expr) bool { return ir.MayFail(e) || calls(e) }) || len(w.n.Reduces()) > 0 || !w.jammable(groupRows[0]-1) {
		return nil
	}
	carries := false // without results that iterations wait for, there is no latency to overlap
	for s := range w.n.Body {
		carries = carries || w.live[s] && w.carry(s) != nil
	}
	if rolled := func(st *seqArray) bool { return st.roll >= 0 }; !carries || slices.ContainsFunc(w.arrays, rolled) {
		return nil
	}
	for _, rows := range groupRows {
		j := w.grouped(rows)
		if len(j.group.in.rows) <= groupSlices {
			j.part = w.s.name("rows")
			return j
		}
	}
	return nil
}

// grouped returns a jam of so many rows, whose group has printed an iteration of each. All rows say first which slices they use, so
// that the longest one leads; then each prints its statements, with its own carried results.
func (w *seqWriter) grouped(rows int) *seqJam {
	last := len(w.n.Loops) - 1
	j := &seqJam{rows: rows, group: &seqWriter{generator: w.generator, s: w.s.copy(), arrays: w.arrays, live: w.live, lets: map[int]string{}, results: map[int]string{}, several: true}}
	j.group.in = innermost{from: w.in.from, to: w.in.to, place: w.in.place, named: map[string]string{}}
	var all [][]*seqCarry
	for u := range rows {
		j.loops = append(j.loops, slices.Clone(w.generator.loops))
		if u > 0 {
			j.loops[u][last-1] = j.group.s.name(fmt.Sprint(w.generator.loops[last-1], u+1))
		}
		j.inRow(u, func() {
			j.group.in.carried = nil
			j.group.passes()
			all = append(all, j.group.in.carried)
		})
	}
	j.group.lead()
	j.group.in.shared = map[int]string{}
	for a := range w.n.Arrays {
		if w.shared(a) {
			j.group.in.shared[a] = ""
		}
	}
	for u := range rows {
		j.inRow(u, func() {
			j.group.in.carried = all[u]
			j.group.statements()
		})
	}
	j.group.keepShared()
	j.group.in.carried, j.group.suffix = slices.Concat(all...), ""
	return j
}

// inRow calls f while the group's writer prints its row u.
func (j *seqJam) inRow(u int, f func()) {
	j.group.suffix = ""
	if u > 0 {
		j.group.suffix = fmt.Sprint(u + 1)
	}
	j.group.with(j.loops[u], f)
}

// with calls f while the generator has other names for the variables of the loops.
func (w *seqWriter) with(loops []string, f func()) {
	before := w.generator
	renamed := *before
	renamed.loops = loops
	w.generator = &renamed
	f()
	w.generator = before
}

// jammable reports whether the rows of a group may be computed together, column by column; most is the distance of its first
// and its last row. Two iterations then change their order if the one in the earlier row is in a later column. Such
// iterations must not access the same cell, unless both only read it.
func (w *seqWriter) jammable(most int) bool {
	type access struct {
		array  int
		subs   []ir.Affine
		writes bool
	}
	var all []access
	for id, r := range w.n.Reads {
		if w.live[w.n.ReadStmt[id]] && len(w.n.Assigns(r.Array)) > 0 {
			if w.beyond(r) {
				return false
			}
			all = append(all, access{array: r.Array, subs: r.Subs})
		}
	}
	for s, stmt := range w.n.Body {
		if a, ok := stmt.(*ir.Assign); ok && w.live[s] {
			all = append(all, access{a.Array, a.Subs, true})
		}
	}
	for _, a := range all {
		for _, b := range all {
			if a.array != b.array || !a.writes && !b.writes || w.n.NeverMeet(a.subs, b.subs) {
				continue
			}
			for rows := 1; rows <= most; rows++ {
				if columns, known, meet := w.columns(a.subs, b.subs, rows); meet && (!known || columns < 0) {
					return false
				}
			}
		}
	}
	return true
}

// columns compares an iteration that accesses a cell with subscripts a with the iteration, the given number of rows later, that
// accesses the same cell with subscripts b: it is so many columns later. known is false if it may be in any column, and meet
// is false if no iteration of that row accesses the cell.
func (w *seqWriter) columns(a, b []ir.Affine, rows int) (columns int, known, meet bool) {
	last := len(w.n.Loops) - 1
	down, along := w.n.Loops[last-1].Step(), w.n.Loops[last].Step()
	for m, to := range b {
		from := a[m]
		if from.Const = to.Const; !from.Equal(to) {
			continue // the difference is not constant, which tells nothing
		}
		// The subscripts are equal if c·columns = rest.
		rest, c := a[m].Const-to.Const-to.Iter(last-1)*down*rows, to.Iter(last)*along
		switch {
		case c == 0 && rest != 0, c != 0 && rest%c != 0, c != 0 && known && rest/c != columns:
			return 0, false, false
		case c != 0:
			columns, known = rest/c, true
		}
	}
	return columns, known, true
}

// shared reports whether all accesses to array a in an iteration of a group are to one cell: it is then stored once.
func (w *seqWriter) shared(a int) bool {
	by := w.n.Assigns(a)
	if len(by) != 1 || w.carry(by[0]) != nil {
		return false
	}
	subs := w.n.Body[by[0]].(*ir.Assign).Subs
	other := func(r *ir.Read) bool { return r.Array == a && !slices.EqualFunc(r.Subs, subs, ir.Affine.Equal) }
	moves := func(sub ir.Affine) bool { return sub.Iter(len(w.n.Loops)-2) != 0 }
	return !slices.ContainsFunc(w.n.Reads, other) && !slices.ContainsFunc(subs, moves)
}

// keepShared prints, at the end of an iteration of a group, the stores of shared results.
func (w *seqWriter) keepShared() {
	for a := range w.n.Arrays {
		if name := w.in.shared[a]; name != "" {
			w.body.linef("%s = %s", w.cell(w.arrays[a], w.n.Body[w.n.Assigns(a)[0]].(*ir.Assign).Subs), name)
		}
	}
}

// assignShared prints the assignment of a shared result to its variable.
func (w *seqWriter) assignShared(m *emitter, stmt *ir.Assign) {
	if name := w.in.shared[stmt.Array]; name != "" {
		m.assign(name, stmt.Expr)
		return
	}
	name := w.name(w.arrays[stmt.Array].name + "New")
	m.define(name, stmt.Expr)
	w.in.shared[stmt.Array] = name
}

// function prints the function that computes a part of one row, or of a group. It has several callers, so Go does not inline
// it; inlined, it would have fewer registers, because the variables of the loops around it need some.
func (j *seqJam) function(w *seqWriter) {
	last := len(w.n.Loops) - 1
	n, loops := j.group.s.name("n"), w.generator.loops
	w.linef("%s := func(%s, %s, %s, %s int) {", j.part, n, strings.Join(loops[:last], ", "), w.in.from, w.in.to)
	w.linef("if %s == 1 {", n)
	w.innermostRow(last)
	w.linef("return")
	w.linef("}")
	w.comment(fmt.Sprintf("%d rows together, so that their latencies overlap.", j.rows))
	j.names(w)
	j.group.innermostRow(last)
	w.linef("}")
}

// names prints the variables of the loop over rows, by row of a group.
func (j *seqJam) names(w *seqWriter) {
	k, sign := len(w.n.Loops)-2, "+"
	if w.n.Loops[k].Backward {
		sign = "-"
	}
	for u := 1; u < j.rows; u++ {
		w.linef("%s := %s %s %d", j.loops[u][k], j.loops[0][k], sign, u)
	}
}

// print prints the loop over rows, which is loop k. Rows that are too few for a group are computed one by one. If the bounds of the
// innermost loop depend on the row, the group computes the columns that all its rows have, and each row computes its columns
// before and after these by itself.
func (j *seqJam) print(w *seqWriter, k int, lo, hi string) {
	g, inner, from, to := w.generator, w.n.Loops[k+1], w.in.from, w.in.to
	bounds := func(u int) (lo, hi string) {
		return extremeOf("max", inner.Lo, j.loops[u], g.params), extremeOf("min", inner.Hi, j.loops[u], g.params)
	}
	rows := func(n, u int, lo, hi string) { // n rows from row u on, 1 or all, of which the columns lo to hi
		g.linef("%s(%d, %s, %s, %s)", j.part, n, strings.Join(j.loops[u][:k+1], ", "), lo, hi)
	}
	each := func(f func(u int)) {
		for u := range j.rows {
			f(u)
		}
	}
	x, most, sign := g.loops[k], j.group.s.name("last"), "+"
	left := most + "-" + x // rows after this one
	if w.n.Loops[k].Backward {
		lo, hi, sign, left = hi, lo, "-", x+"-"+most
	}
	g.linef("for %s, %s := %s, %s; %s >= 0; {", x, most, lo, hi, left)
	if k == 0 {
		w.look(fmt.Sprintf("fields.Due(%d)", j.rows))
	}
	g.linef("if %s < %d {", left, j.rows-1)
	lo, hi = bounds(0)
	rows(1, 0, lo, hi)
	g.linef("%s%s%s", x, sign, sign)
	g.linef("continue")
	g.linef("}")
	if !slices.ContainsFunc(slices.Concat(inner.Lo, inner.Hi), func(a ir.Affine) bool { return a.Iter(k) != 0 }) {
		rows(j.rows, 0, lo, hi)
	} else {
		j.names(w)
		var least, last []string
		each(func(u int) {
			least, last = append(least, j.group.s.name("least")), append(last, j.group.s.name("most"))
			lo, hi := bounds(u)
			g.linef("%s, %s := %s, %s", least[u], last[u], lo, hi)
		})
		g.linef("%s, %s := max(%s), min(%s)", from, to, strings.Join(least, ", "), strings.Join(last, ", "))
		g.linef("if %s > %s {", from, to)
		each(func(u int) { rows(1, u, least[u], last[u]) })
		g.linef("} else {")
		before := func(u int) { rows(1, u, least[u], fmt.Sprintf("%s-1", from)) }
		after := func(u int) { rows(1, u, fmt.Sprintf("%s+1", to), last[u]) }
		if inner.Backward {
			before, after = after, before
		}
		each(before)
		rows(j.rows, 0, from, to)
		each(after)
		g.linef("}")
	}
	g.linef("%s %s= %d", x, sign, j.rows)
	g.linef("}")
}
