package depend

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// Cells that are read beyond the bounds, and that the nest writes only later: the loop runs the other way.

// early returns the hint for a read of a cell that the nest writes only in a later iteration: the
// neighbor on the other side is written before. It returns "" for other accesses, and for inout
// arrays, whose cells have values before the nest writes them.
func (a *analyzer) early(array int, subs []ir.Affine) string {
	arr, writers := &a.nest.Arrays[array], a.nest.Assigns(array)
	if len(writers) != 1 || arr.Role == ir.In || arr.Role == ir.InOut {
		return ""
	}
	written, near := a.writing(writers[0]).subs, slices.Clone(subs)
	used := make([]bool, len(a.nest.Loops))
	first, at := len(a.nest.Loops), -1
	for d := range subs {
		loop, ok := index(written[d])
		by, known := beside(subs[d], written[d])
		if !ok || loop < 0 || !known {
			return ""
		}
		used[loop] = true
		if by != 0 && loop < first {
			first, at = loop, d
		}
	}
	if at < 0 || slices.Contains(used, false) {
		return ""
	}
	by, _ := beside(subs[at], written[at])
	if by < 0 != a.nest.Loops[first].Backward {
		return "" // written in an earlier iteration
	}
	near[at] = written[at]
	if slices.EqualFunc(near, written, same) && a.writtenAbove(writers[0], array, subs) && !a.isRead(array, near) { // the iteration itself has written it
		return fmt.Sprintf("%s is written only after it is read here; %s is written in the statement before", a.text(array, subs), a.text(array, near))
	}
	cells := a.otherSides(array, subs, written, at)
	if len(cells) == 0 {
		return ""
	}
	hint := a.text(array, subs) + " is written only after it is read here"
	if l := &a.nest.Loops[first]; l.Backward {
		hint += ", as " + l.Name + " goes down"
	}
	if len(cells) > 1 {
		return fmt.Sprintf("%s; %s and %s are written before", hint, a.text(array, cells[0]), a.text(array, cells[1]))
	}
	return fmt.Sprintf("%s; %s is written before", hint, a.text(array, cells[0]))
}

// otherSides returns the cells of which one is most likely meant by a cell that a later iteration writes. They are on the other side of
// the written cell in dimension at, which has the loop that runs ahead, and in those dimensions that turn with it. If nothing tells
// which turn, all do or none. If such cells do not fit, the cell is meant that is not ahead.
func (a *analyzer) otherSides(array int, subs, written []ir.Affine, at int) (cells [][]ir.Affine) {
	fits := func(near []ir.Affine) bool {
		_, by := a.leading(near, written)
		return by < 0 && !a.outside(&a.nest.Arrays[array], near) && !a.isRead(array, near)
	}
	opposite := func(turns func(d int) bool) []ir.Affine {
		near := slices.Clone(subs)
		for d := range near {
			if by, _ := beside(subs[d], written[d]); turns(d) {
				near[d] = plusConst(written[d], -by)
			}
		}
		return near
	}
	sure := true
	likely := opposite(func(d int) bool {
		turns, known := a.turned(array, subs, written, at, d)
		sure = sure && known
		return turns
	})
	all, alone := opposite(func(int) bool { return true }), opposite(func(d int) bool { return d == at })
	for _, near := range [][]ir.Affine{likely, all, alone} {
		have := func(x []ir.Affine) bool { return slices.EqualFunc(x, near, same) }
		if (len(cells) == 0 || !sure) && fits(near) && !slices.ContainsFunc(cells, have) {
			cells = append(cells, near)
		}
	}
	if len(cells) > 0 {
		return cells
	}
	near := slices.Clone(subs) // only the loop that runs ahead is wrong
	if near[at] = written[at]; fits(near) {
		return [][]ir.Affine{near}
	}
	by, _ := beside(subs[at], written[at])
	if near = a.earlierBeside(array, written, by); near != nil {
		return [][]ir.Affine{near}
	}
	return nil
}

// turned reports whether dimension d of a cell that a later iteration writes is most likely on the wrong side of the written cell, as
// dimension at is, which has the loop that runs ahead; known is false if nothing tells. Reads of earlier cells tell on which side they
// have the dimension. Else, if several loops are ahead, all cells are those of the other direction. If the direction of a backward loop
// was forgotten, then that of all backward loops, and of no other; if several cells are ahead by one loop, only this loop is wrong.
func (a *analyzer) turned(array int, subs, written []ir.Affine, at, d int) (turns, known bool) {
	own, _ := beside(subs[d], written[d])
	ahead, _ := index(written[at])
	if d == at || own == 0 {
		return true, true
	}
	alike, opposite, late, several := 0, 0, 0, false
	for _, r := range a.nest.Reads {
		if r.Array != array {
			continue
		}
		by, near := beside(r.Subs[d], written[d])
		switch first, distance := a.leading(r.Subs, written); {
		case distance > 0:
			late, several = late+1, several || first != ahead
		case near && by*own > 0:
			alike++
		case near && by*own < 0:
			opposite++
		}
	}
	loop, _ := index(written[d])
	switch {
	case alike+opposite > 0:
		return alike == 0, true
	case several:
		return true, true
	case a.nest.Loops[ahead].Backward:
		return a.nest.Loops[loop].Backward, true
	}
	return late < 2, late > 1
}

// leading returns the first loop in which a cell differs from the one that is written, and by how many numbers that is later: less
// than 0 if an earlier iteration writes the cell, and 0 if that is not known.
func (a *analyzer) leading(cell, written []ir.Affine) (first, later int) {
	first = len(a.nest.Loops)
	for d, sub := range written {
		loop, _ := index(sub)
		if distance, known := beside(cell[d], sub); !known {
			return first, 0
		} else if distance != 0 && loop < first {
			first, later = loop, distance*a.nest.Loops[loop].Step()
		}
	}
	return first, later
}

// earlierBeside returns the cell that differs by a constant in one subscript from the one that is written, if an earlier iteration
// writes it, nothing reads it yet, and it is within the bounds; nil if there is none.
func (a *analyzer) earlierBeside(array int, written []ir.Affine, by int) []ir.Affine {
	for d, sub := range written {
		near := slices.Clone(written)
		near[d] = plusConst(sub, by)
		if loop, _ := index(sub); by < 0 != a.nest.Loops[loop].Backward && !a.outside(&a.nest.Arrays[array], near) && !a.isRead(array, near) {
			return near
		}
	}
	return nil
}
