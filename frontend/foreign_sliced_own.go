package frontend

import "strings"

// Cells of its target that an assignment to a slice reads. The for that replaces the assignment must not read a cell that it
// has already changed.

// otherCells reports whether two lists of subscripts name different cells, because one of them, which is no slice, differs by a number.
func otherCells(x, y [][]token) bool {
	for d := range min(len(x), len(y)) {
		if len(x[d]) == 0 || len(y[d]) == 0 || isSlice(x[d]) || isSlice(y[d]) {
			continue
		}
		first, ok := linear(x[d])
		other, also := linear(y[d])
		if by := first.plus(other, -1); ok && also && len(by.names) == 0 && by.number != 0 {
			return true
		}
	}
	return false
}

// outside reports whether a single cell of the target lies in front of the cells that the statement changes, or behind them.
func (s *slicedStatement) outside(parts [][]token) bool {
	n := 0
	for d, p := range s.parts {
		if len(p) > 0 && !isSlice(p) {
			continue
		}
		changed := s.cells[n]
		n++
		if d >= len(parts) || len(parts[d]) == 0 || isSlice(parts[d]) {
			continue
		}
		at, ok := linear(parts[d])
		before, behind := changed.lo.plus(at, -1), at.plus(changed.hi, -1)
		if ok && (len(before.names) == 0 && before.number > 0 || len(behind.names) == 0 && behind.number > 0) {
			return true
		}
	}
	return false
}

// direction says which loops must run backward so that the value never reads what the statement has written; false if there
// are no such directions.
func (s *slicedStatement) direction() (down []bool, ok bool) {
	down = make([]bool, len(s.cells))
	for n := range s.cells {
		var before, behind bool
		for _, by := range s.own {
			if len(by[n].names) > 0 {
				return down, false
			}
			before, behind = before || by[n].number < 0, behind || by[n].number > 0
		}
		if before && behind {
			return down, false
		}
		down[n] = before
	}
	return down, true
}

// keep is the name of a let for a cell of the target that the value reads, as in A[k,:] /= A[k,k]: the for changes it. It returns
// false if the value reads another such cell, too.
func (s *slicedStatement) keep(array token, parts [][]token) (name token, ok bool) {
	cell := strings.ReplaceAll(textOf(cellTokens(array, parts)), " ", "")
	if s.kept != "" && s.keeps != cell {
		return name, false
	}
	if s.kept == "" {
		s.kept, s.keeps = s.r.t.fresh("kept"), cell
	}
	return word(tokIdent, s.kept, array), true
}

// keepsText declares that let, before the for.
func (s *slicedStatement) keepsText() string {
	if s.kept == "" {
		return ""
	}
	return "let " + s.kept + " = " + s.keeps + "; "
}
