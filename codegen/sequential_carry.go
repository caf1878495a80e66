package codegen

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// A seqCarry is the result of an assignment that the next iteration reads.
type seqCarry struct {
	array  int
	stmt   int
	name   string   // the variable that holds the result for the next iteration
	reads  []int    // the reads of the previous result
	again  []int    // the reads of the result later in the same iteration
	stays  bool     // all iterations of the innermost loop assign to the same cell
	keeper bool     // stays, and all reads of the array's results are in reads or again: the result is stored after the loop
	late   bool     // a statement behind the assignment reads the previous result
	result string   // the variable that holds the result of this iteration: name, or one that keepResults copies to name
	loops  []string // the variables of the loops
}

// carry returns the reads of the result of statement s by the next iteration of the innermost loop.
// It returns nil if there are none, or if other statements assign to the array.
func (w *seqWriter) carry(s int) *seqCarry {
	stmt, ok := w.n.Body[s].(*ir.Assign)
	last := len(w.n.Loops) - 1
	if !ok || len(w.n.Assigns(stmt.Array)) > 1 || last == 0 && w.arrays[stmt.Array].roll >= 0 {
		return nil
	}
	step := w.n.Loops[last].Step()
	c := &seqCarry{array: stmt.Array, stmt: s, stays: true, loops: w.generator.loops}
	for _, sub := range stmt.Subs {
		c.stays = c.stays && sub.Iter(last) == 0
	}
	c.keeper = c.stays
	for id, r := range w.n.Reads {
		if r.Array != stmt.Array || !w.live[w.n.ReadStmt[id]] {
			continue
		}
		previous, same := w.reaches(r, stmt, step), w.reaches(r, stmt, 0)
		switch {
		case previous:
			c.reads = append(c.reads, id)
			c.late = c.late || !c.stays && w.n.ReadStmt[id] > s
		case same && w.n.ReadStmt[id] > s:
			c.again = append(c.again, id)
		case w.l.Reads[id].From == ir.FromInitial: // the read is of a cell that no iteration has written
		default:
			c.keeper = false
		}
	}
	if len(c.reads) == 0 {
		return nil
	}
	return c
}

// carries prepares to keep the result of statement s in variables for the next iteration.
func (w *seqWriter) carries(s int) {
	c := w.carry(s)
	if c == nil {
		return
	}
	last, name := len(w.n.Loops)-1, w.arrays[c.array].name
	switch {
	case c.stays:
		name += "Here"
	case w.n.Loops[last].Backward:
		name += offsetName(w.n.Loops[last].Name, 1)
	default:
		name += offsetName(w.n.Loops[last].Name, -1)
	}
	c.name = w.name(name)
	w.in.carried = append(w.in.carried, c)
}

// reaches reports whether a read is of the cell that the assignment wrote the given number of iterations of the innermost
// loop before.
func (w *seqWriter) reaches(r *ir.Read, by *ir.Assign, steps int) bool {
	for m, sub := range r.Subs {
		at := by.Subs[m]
		at.Const -= steps * at.Iter(len(w.n.Loops)-1)
		if !sub.Equal(at) {
			return false
		}
	}
	return !w.beyond(r)
}

// assign prints an assignment in the innermost loop.
func (w *seqWriter) assign(m *emitter, s int, stmt *ir.Assign) {
	st := w.arrays[stmt.Array]
	if _, shared := w.in.shared[stmt.Array]; shared {
		w.assignShared(m, stmt)
		return
	}
	target := w.cell(st, stmt.Subs)
	k := slices.IndexFunc(w.in.carried, func(c *seqCarry) bool { return c.stmt == s })
	_, selects := stmt.Expr.(*ir.Select)
	if k < 0 && !selects && !w.readLocally(s) {
		m.assign(target, stmt.Expr)
		return
	}
	if k < 0 {
		name := w.name(st.name + "New")
		m.define(name, stmt.Expr)
		w.body.linef("%s = %s", target, name)
		w.results[s] = name
		return
	}
	c := w.in.carried[k]
	result, operation := c.name, false
	switch stmt.Expr.(type) {
	case *ir.Binary, *ir.Call:
		operation = true
	}
	if operation && !c.late {
		m.assign(result, stmt.Expr)
	} else {
		result = w.name(st.name + "New")
		m.define(result, stmt.Expr)
	}
	c.result = result
	if c.keeper {
		w.in.after.linef("%s = %s", target, c.name)
	} else {
		w.body.linef("%s = %s", target, result)
	}
}

// readLocally reports whether the iteration itself reads the result of statement s.
func (w *seqWriter) readLocally(s int) bool {
	for id, from := range w.l.Reads {
		if from.From == ir.FromLocal && w.l.Values[from.Value] == s && w.live[w.n.ReadStmt[id]] {
			return true
		}
	}
	return false
}

// keepResults prints, at the end of an iteration, the assignments that keep results for the next iteration.
func (w *seqWriter) keepResults() {
	for _, c := range w.in.carried {
		if c.result != c.name {
			w.body.linef("%s = %s", c.name, c.result)
		}
	}
}

// firstCarried prints, before the loop, loads of the values that the first iteration reads as previous results.
func (w *seqWriter) firstCarried(p *printer) {
	last := len(w.n.Loops) - 1
	for _, c := range w.in.carried {
		st, subs := w.arrays[c.array], w.n.Reads[c.reads[0]].Subs
		loops := slices.Clone(c.loops)
		loops[last] = w.first(last)
		cell := ""
		w.with(loops, func() {
			switch {
			case !w.inRow(st, subs):
				cell = fmt.Sprintf("%s[%s]", st.name, w.placed(st, subs, loops))
			case w.n.Loops[last].Backward:
				cell = fmt.Sprintf("%s[%s]", w.row(st, subs).name, plus("len("+w.in.lead.name+")", fmt.Sprint(-1-w.back(w.row(st, subs), subs))))
			default:
				cell = fmt.Sprintf("%s[%d]", w.row(st, subs).name, w.in.lead.most-w.in.lead.least-w.back(w.row(st, subs), subs))
			}
		})
		p.linef("%s := %s", c.name, cell)
	}
}
