package frontend

import (
	"slices"

	"loopc/ir"
)

// readCopies makes nests of repeats read copies: if a nest copies an entire array to another, and the next nest overwrites all cells of the
// one, each of its iterations reads the cell that it overwrites in the copy. Then the nest does not read the array, whose cells may be
// anything: functions of repeats exchange the arrays instead of copying.
func (p *programChecker) readCopies(steps []outlineStep, repeated bool) {
	for k, s := range steps {
		switch {
		case s.repeat >= 0:
			p.readCopies(p.outline.repeats[s.repeat].steps, true)
		case repeated && k+1 < len(steps) && steps[k+1].repeat < 0:
			readCopy(p.checkers[s.nest].nest, p.checkers[steps[k+1].nest].nest)
		}
	}
}

// readCopy does what readCopies does, for two nests that follow one another.
func readCopy(copies, next *ir.Nest) {
	to, from := copies.Copied()
	if from == nil || len(next.Assigns(to.Array)) > 0 || next.LooksUp(from.Array) {
		return
	}
	writes := next.Assigns(from.Array)
	if len(writes) != 1 || !next.WritesAll(next.Body[writes[0]].(*ir.Assign)) {
		return
	}
	var reads []*ir.Read
	for id, r := range next.Reads {
		if r.Array != from.Array {
			continue
		}
		if next.ReadStmt[id] > writes[0] || !slices.EqualFunc(r.Subs, next.Body[writes[0]].(*ir.Assign).Subs, ir.Affine.Equal) {
			return
		}
		reads = append(reads, r)
	}
	for _, r := range reads {
		r.Array = to.Array
	}
}
