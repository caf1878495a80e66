package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// A seqRow is the slice of an array whose cells the innermost loop passes one by one.
type seqRow struct {
	st          *seqArray
	at          string // the position of the cell that the loop's value 0 stands for
	name        string
	least, most int // offsets of its accesses
}

// innermost is what the innermost loop of the sequential reference keeps: slices of rows, of which
// the longest leads, so that Go proves that indices are within them; values that do not change; and
// results that the next iteration reads.
type innermost struct {
	rows            []*seqRow
	lead            *seqRow // nil: there are no rows
	from, to, place string  // variables: the bounds of the loop, and the place in the row
	before          printer // what precedes the loop
	after           printer
	steps           []string          // at the end of an iteration: move positions
	named           map[string]string // by position or value: its variable
	carried         []*seqCarry
	shared          map[int]string // by array: the variable with a result that all rows of a group read and overwrite, once it is known
	counts          bool           // the body needs the value of the loop
}

// passes prepares the innermost loop for the results and the cells that it passes one by one.
func (w *seqWriter) passes() {
	for s := range w.n.Body {
		w.carries(s)
	}
	add := func(a int, subs []ir.Affine) {
		if st := w.arrays[a]; w.inRow(st, subs) {
			c, row := subs[st.innermost].Const, w.row(st, subs)
			row.least, row.most = min(row.least, c), max(row.most, c)
		}
	}
	for id, r := range w.n.Reads {
		if w.live[w.n.ReadStmt[id]] && !w.beyond(r) {
			add(r.Array, r.Subs)
		}
	}
	for s, stmt := range w.n.Body {
		if a, ok := stmt.(*ir.Assign); ok && w.live[s] {
			add(a.Array, a.Subs)
		}
	}
}

// lead chooses the row that leads.
func (w *seqWriter) lead() {
	in := &w.in
	for _, row := range in.rows {
		if in.lead == nil || row.most-row.least > in.lead.most-in.lead.least {
			in.lead = row
		}
	}
}

// inRow reports whether an access passes the cells of a row one by one.
func (w *seqWriter) inRow(st *seqArray, subs []ir.Affine) bool {
	last := len(w.n.Loops) - 1
	for m, sub := range subs {
		if c := sub.Iter(last); m == st.innermost && c != 1 || m != st.innermost && c != 0 {
			return false
		}
	}
	return st.innermost >= 0 && len(subs) > 0
}

// row returns the row of an access.
func (w *seqWriter) row(st *seqArray, subs []ir.Affine) *seqRow {
	start := slices.Clone(subs)
	start[st.innermost] = without(subs[st.innermost], len(w.n.Loops)-1)
	c := start[st.innermost].Const
	start[st.innermost].Const = 0
	at := w.placed(st, start, w.generator.loops)
	for _, row := range w.in.rows {
		if row.st == st && row.at == at {
			return row
		}
	}
	row := &seqRow{st: st, at: at, name: w.name(w.rowName(st, start)), least: c, most: c}
	w.in.rows = append(w.in.rows, row)
	return row
}

// name returns a new name for a variable of the row.
func (w *seqWriter) name(want string) string { return w.s.name(want + w.suffix) }

// without returns a without its part of loop k.
func without(a ir.Affine, k int) ir.Affine {
	if a.Iter(k) != 0 {
		a.Iters = slices.Clone(a.Iters)
		a.Iters[k] = 0
	}
	return a
}

// rowName proposes a name for the row of an access, from the offsets along outer loops.
func (w *seqWriter) rowName(st *seqArray, subs []ir.Affine) string {
	name := st.name + "Row"
	for _, sub := range subs {
		for k := range len(w.n.Loops) - 1 {
			if sub.Iter(k) != 0 {
				if sub.Const != 0 {
					name += offsetName(w.n.Loops[k].Name, sub.Const)
				}
				break
			}
		}
	}
	return name
}

// placed returns the position of a cell of an array, for the given values of the loops.
func (w *seqWriter) placed(st *seqArray, subs []ir.Affine, loops []string) string {
	return st.position(len(subs), func(m int) string {
		if m == st.roll {
			return w.rolled(st, subs[m].Const)
		}
		return times(affine(subs[m], loops, w.params), st.stride(m))
	})
}

// bounding returns the position of a cell whose subscripts may be beyond a boundary.
func (w *seqWriter) bounding(st *seqArray, subs []ir.Affine) string {
	return st.position(len(subs), func(m int) string {
		if m == st.roll {
			return w.rolled(st, subs[m].Const)
		}
		w.in.counts = w.in.counts || subs[m].Iter(len(w.n.Loops)-1) != 0
		return times(w.bounded(st.a, m, affine(subs[m], w.generator.loops, w.params)), st.stride(m))
	})
}

// loopVariables returns the variables of the loops, for code in the innermost loop, which then must count.
func (w *seqWriter) loopVariables() []string {
	w.in.counts = true
	return w.generator.loops
}

// cell returns the cell of an access in the innermost loop.
func (w *seqWriter) cell(st *seqArray, subs []ir.Affine) string {
	if w.inRow(st, subs) {
		row := w.row(st, subs)
		return fmt.Sprintf("%s[%s]", row.name, plus(w.in.place, fmt.Sprint(-w.back(row, subs))))
	}
	last := len(w.n.Loops) - 1
	if st.roll >= 0 && last == 0 {
		return fmt.Sprintf("%s[%s]", st.name, w.placed(st, subs, w.loopVariables()))
	}
	// Other positions are found before the loop. Each iteration moves those that depend on it.
	loops, moves, start := slices.Clone(w.generator.loops), "", slices.Clone(subs)
	loops[last] = w.first(last)
	for m := range subs {
		if c := subs[m].Iter(last); c != 0 && m != st.roll {
			start[m] = without(subs[m], last)
			moves = plus(moves, times(fmt.Sprint(c), st.stride(m)))
		}
	}
	name, at := w.rowName(st, start), w.placed(st, subs, loops)
	if moves == "" || moves == "0" || w.alone() {
		return fmt.Sprintf("%s[%s]", st.name, w.once(name, at))
	}
	key := at + " first"
	if w.in.named[key] == "" {
		w.in.named[key] = w.name(name)
		w.in.before.linef("%s := %s", w.in.named[key], at)
		sign := "+"
		if w.n.Loops[last].Backward {
			sign = "-"
		}
		w.in.steps = append(w.in.steps, fmt.Sprintf("%s %s= %s", w.in.named[key], sign, moves))
	}
	return fmt.Sprintf("%s[%s]", st.name, w.in.named[key])
}

// first is the variable with the first value of loop k, the innermost one.
func (w *seqWriter) first(k int) string {
	if w.n.Loops[k].Backward {
		return w.in.to
	}
	return w.in.from
}

// alone reports whether the innermost loop has one iteration.
func (w *seqWriter) alone() bool {
	l := &w.n.Loops[len(w.n.Loops)-1]
	return len(l.Lo) == 1 && len(l.Hi) == 1 && l.Lo[0].Equal(l.Hi[0])
}

// once returns a variable that has a value before the innermost loop.
func (w *seqWriter) once(name, value string) string {
	if !strings.ContainsAny(value, " [") {
		return value
	}
	if _, ok := w.in.named[value]; !ok {
		w.in.named[value] = w.name(name)
		w.in.before.linef("%s := %s", w.in.named[value], value)
	}
	return w.in.named[value]
}

// back returns how far before the place in the leading row an access is in its row.
func (w *seqWriter) back(row *seqRow, subs []ir.Affine) int {
	return w.in.lead.most - w.in.lead.least - (subs[row.st.innermost].Const - row.least)
}

// read returns the value of a read.
func (w *seqWriter) read(r *ir.Read) string {
	st := w.arrays[r.Array]
	if w.beyond(r) {
		return fmt.Sprintf("%s[%s]", st.name, w.bounding(st, r.Subs))
	}
	for _, c := range w.in.carried {
		switch {
		case slices.Contains(c.reads, r.ID) && (!c.stays || c.result == ""):
			return c.name
		case c.result != "" && (slices.Contains(c.reads, r.ID) || slices.Contains(c.again, r.ID)):
			return c.result
		}
	}
	if name := w.in.shared[r.Array]; name != "" {
		return name
	}
	if from := w.l.Reads[r.ID]; from.From == ir.FromLocal && w.results[w.l.Values[from.Value]] != "" {
		return w.results[w.l.Values[from.Value]]
	}
	if !w.fixed(r, len(w.n.Loops)-1) {
		return w.cell(st, r.Subs)
	}
	return w.once(st.name+"Here", fmt.Sprintf("%s[%s]", st.name, w.placed(st, r.Subs, w.generator.loops)))
}

// fixed reports whether a read is of the same value in all iterations of the innermost loop, loop last.
func (w *seqWriter) fixed(r *ir.Read, last int) bool {
	moves := func(sub ir.Affine) bool { return sub.Iter(last) != 0 }
	same := len(w.n.Assigns(r.Array)) == 0 || w.l.Reads[r.ID].From == ir.FromInitial
	return !w.beyond(r) && same && !slices.ContainsFunc(r.Subs, moves)
}

// innermostLoop prints the innermost loop, with its body.
func (w *seqWriter) innermostLoop(k int, lo, hi string) {
	g, in := w.generator, &w.in
	l, loop := w.n.Loops[k], g.loops[k]
	plain := w.versions.holds == nil && in.lead == nil && len(in.carried) == 0 && in.before.buf.Len() == 0
	parted := k == 0 && w.looks() && !w.alone()
	switch {
	case parted:
		w.eachPiece(lo, hi, l.Backward)
		lo, hi = in.from, in.to
	case !plain:
		g.linef("%s, %s := %s, %s", in.from, in.to, lo, hi)
	}
	if plain {
		header(&g.printer, loop, lo, hi, l.Backward)
		w.iteration(k)
	} else {
		w.innermostRow(k)
	}
	if parted {
		g.linef("}")
	}
}

// eachPiece prints the head of the loop over the pieces of a single loop. What an iteration reads of the one before it in a
// variable, the first iteration of a piece reads in the array: the loop stores it there, with the same bits. A loop of one
// piece does not look: repeats run many short ones.
func (w *seqWriter) eachPiece(lo, hi string, backward bool) {
	piece, last := w.s.name("piece"), w.s.name("last")
	w.comment("Pieces, between which the run can be ended.")
	if backward {
		w.linef("for %[1]s, %[2]s := %[3]s, %[4]s; %[1]s >= %[2]s; %[1]s -= kernel.Piece {", piece, last, hi, lo)
		w.linef("%s, %s := max(%s-kernel.Piece+1, %s), %s", w.in.from, w.in.to, piece, last, piece)
	} else {
		w.linef("for %[1]s, %[2]s := %[3]s, %[4]s; %[1]s <= %[2]s; %[1]s += kernel.Piece {", piece, last, lo, hi)
		w.linef("%s, %s := %s, min(%s+kernel.Piece-1, %s)", w.in.from, w.in.to, piece, piece, last)
	}
	more := fmt.Sprintf("%s < %s", w.in.to, last)
	if backward {
		more = fmt.Sprintf("%s > %s", w.in.from, last)
	}
	w.look(fmt.Sprintf("%s && fields.Due(%s-%s+1)", more, w.in.to, w.in.from))
}

// looks reports whether the loops look whether their run is to end. Those that never replace tiles do not: nobody ends them.
func (w *seqWriter) looks() bool { return w.pace > 0 }

// look prints that the loops look, if due, whether their run is to end.
func (w *seqWriter) look(due string) {
	if w.looks() {
		w.linef("if %s {\nif err := fields.Looks.Look(); err != nil {\nreturn err\n}\n}", due)
	}
}

// innermostRow prints the innermost loop between bounds that are in variables.
func (w *seqWriter) innermostRow(k int) {
	g, in, l, loop := w.generator, &w.in, w.n.Loops[k], w.generator.loops[k]
	if w.call != nil {
		w.callRow()
	}
	count := w.s.name("count")
	switch {
	case in.lead == nil && w.alone():
		g.linef("{")
	case in.lead == nil:
		g.linef("if %s <= %s {", in.from, in.to)
	default:
		g.linef("if %s := %s - %s + 1; %s > 0 {", count, in.to, in.from, count)
	}
	w.slices(count)
	g.buf.Write(in.before.buf.Bytes())
	w.firstCarried(&g.printer)
	w.eachVersion(w.versions, func() {
		switch {
		case in.lead == nil && w.alone():
			g.linef("{\n%s := %s", loop, in.from)
		case in.lead == nil:
			header(&g.printer, loop, in.from, in.to, l.Backward)
		default:
			longer, value := in.lead.most-in.lead.least, ""
			if in.counts || k == 0 && w.rolls() {
				value = fmt.Sprintf("%s := %s\n", loop, plus(in.from, in.place, fmt.Sprint(-longer)))
			}
			if l.Backward {
				g.linef("for %s := len(%s) - 1; %s >= %d; %s-- {", in.place, in.lead.name, in.place, longer, in.place)
			} else {
				w.forward(longer, value)
			}
			g.buf.WriteString(value)
		}
		w.iteration(k)
	})
	g.buf.Write(in.after.buf.Bytes())
	g.linef("}")
}

// iteration prints an iteration of the innermost loop, which is loop k, and closes the loop.
func (w *seqWriter) iteration(k int) {
	if k == 0 {
		w.advance()
	}
	w.generator.buf.Write(w.body.buf.Bytes())
	for _, step := range w.in.steps {
		w.linef("%s", step)
	}
	if k == 0 {
		w.keepLevels()
	}
	w.generator.linef("}")
}

// slices prints the slices of rows. Those of one length are as long as the first of them. Rows of a few iterations are pointers to Go's
// arrays, which are found in fewer instructions.
func (w *seqWriter) slices(count string) {
	longest := map[int]string{}
	rows := slices.Clone(w.in.rows)
	slices.SortStableFunc(rows, func(a, b *seqRow) int { return b.most - b.least - (a.most - a.least) })
	for _, row := range rows {
		n, first := row.most-row.least, plus(row.at, w.in.from, fmt.Sprint(row.least))
		if few := w.few(); few > 0 {
			at := w.name(row.name + "At")
			w.linef("%s := %s", at, first)
			w.linef("%[1]s := (*[%[2]d]%[3]s)(%[4]s[%[5]s:%[5]s+%[2]d:%[5]s+%[2]d])", row.name, few+n, w.n.Arrays[row.st.a].Elem, row.st.name, at)
			continue
		}
		length := plus(count, fmt.Sprint(n))
		if other, ok := longest[n]; ok {
			length = "len(" + other + ")"
		} else {
			longest[n] = row.name
		}
		w.generator.linef("%s := %s[%s:][:%s]", row.name, row.st.name, first, length)
	}
}

// header prints the beginning of a loop.
func header(p *printer, loop, lo, hi string, backward bool) {
	if backward {
		p.linef("for %s := %s; %s >= %s; %s-- {", loop, hi, loop, lo, loop)
	} else {
		p.linef("for %s := %s; %s <= %s; %s++ {", loop, lo, loop, hi, loop)
	}
}
