package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// A dimension for the time, which the cells of an array have and its declaration lacks: one of both is wrong.

// withoutTime adds a hint to the report of a cell with one subscript too many, if its first subscript, and no
// other, has the outermost loop or a repeat. The array needs no dimension for that if each cell still has, where it is
// read, the value that is meant; else the declaration needs it.
func (c *checker) withoutTime(r report, name string, subs []*expr) {
	time := ""
	if len(c.nest.Loops) > 0 { // a mistake may have spoiled their header
		time = c.nest.Loops[0].Name
	}
	if ent := c.names[subs[0].name]; subs[0].kind == nameExpr && ent != nil && ent.kind == repeatEntity {
		time = subs[0].name
	}
	with := func(e *expr) bool { return slices.Contains(e.names(), time) }
	if !with(subs[0]) || slices.ContainsFunc(subs[1:], with) {
		return
	}
	switch keeps, known := c.keepsLevels(name, time); {
	case !known:
		return
	case !keeps:
		c.declareTime(r, name, time)
		return
	}
	var rest []string
	for _, e := range subs[1:] {
		rest = append(rest, bare(e))
	}
	cell := name + "[" + strings.Join(rest, ",") + "]"
	r.d.Message += fmt.Sprintf("; without a dimension for %s, a cell keeps its value from one iteration of %s to the next", time, time)
	r.fix(r.d.At, "%s", cell)
}

// keepsLevels reports whether the cells of an array have the same values without their first subscript, which has the loop time:
// what is read of the iteration itself has been written, and what is read of the one before is not yet overwritten. known is false
// if cells cannot be compared.
func (c *checker) keepsLevels(name, time string) (keeps, known bool) {
	keeps = true
	for at, b := range c.body {
		if b.assign == nil || b.assign.Cell.Name.Name != name {
			continue
		}
		written := flatTrees(b.assign.Cell.Subs)
		for k, other := range c.body {
			var value *expr
			switch {
			case other.let != nil:
				value = flatTree(other.let.Value)
			case other.assign != nil:
				value = flatTree(other.assign.Value)
			default:
				continue // a reduction reads what is written
			}
			for _, read := range cellsOf(value, name) {
				if len(read) == len(c.arrays[c.names[name].index].syntax.Dims) {
					continue // as it is declared
				}
				if len(read) != len(written) || bare(written[0]) != time {
					return false, false
				}
				level, by := offsetOf(read[0])
				later, comparable := c.laterCell(read[1:], written[1:])
				if !comparable || level != time {
					return false, false
				}
				keeps = keeps && (by == 0 && later <= 0 || by != 0 && (later > 0 || later == 0 && k <= at))
			}
		}
	}
	return keeps, true
}

// laterCell compares when the iterations of the loops within the outermost one write a cell that is read, with when they
// read it: 1 if they write it later, -1 earlier, 0 in the same iteration; false if that is not known.
func (c *checker) laterCell(read, written []*expr) (later int, known bool) {
	first := len(c.nest.Loops)
	for d := range written {
		loop := slices.IndexFunc(c.nest.Loops, func(l ir.Loop) bool { return written[d].kind == nameExpr && written[d].name == l.Name })
		if loop < 0 {
			if bare(read[d]) != bare(written[d]) {
				return 0, false
			}
			continue
		}
		name, by := offsetOf(read[d])
		if name != written[d].name {
			return 0, false
		}
		if c.nest.Loops[loop].Backward {
			by = -by
		}
		if by != 0 && loop < first {
			first, later = loop, 1
			if by < 0 {
				later = -1
			}
		}
	}
	return later, true
}

// offsetOf returns the name and the number of which an expression is the sum; no name for another expression.
func offsetOf(e *expr) (name string, by int) {
	if e.kind == binaryExpr && (e.op == ir.Add || e.op == ir.Sub) && e.args[0].kind == nameExpr && e.args[1].decimal() && len(e.args[1].name) < 9 {
		fmt.Sscan(e.args[1].name, &by)
		if e.op == ir.Sub {
			by = -by
		}
		return e.args[0].name, by
	}
	if e.kind == nameExpr {
		name = e.name
	}
	return name, by
}

// mostRim is how far beyond a boundary cells are read, at most.
const mostRim = 8

// declareTime completes the report of a cell of an array whose declaration lacks the dimension that has the loop time.
func (c *checker) declareTime(r report, name, time string) {
	decl, ent := &c.arrays[c.names[name].index], c.names[name]
	r.d.Message += fmt.Sprintf("; without a dimension for %s, cells would be read here that the same iteration of %s has written", time, time)
	r.d.Hint = ""
	arr, reach := &c.nest.Arrays[ent.index], c.reachOf(name, len(decl.syntax.Dims)+1)
	if decl.unfolded {
		return
	}
	r.advise(declareIt+" with a dimension for %s", time)
	if reach == nil || c.others.names[name] {
		return
	}
	rim := 0 // what is read beyond a boundary
	if decl.edges != nil {
		rim = mostRim
	}
	for d, own := range reach[1:] {
		below, known := distance(arr.Lo[d], own[0])
		above, also := distance(own[1], arr.Hi[d])
		if !known || !also || below > rim || above > rim {
			if rim == 0 {
				r.advise(declareIt+" array %s", c.declared(name, reach, arr.Elem.String(), decl.syntax.Role))
			}
			return // another dimension may be the one that the declaration lacks
		}
		reach[d+1] = [2]ir.Affine{arr.Lo[d], arr.Hi[d]}
	}
	r.advise(declareIt+" array %s", c.declared(name, reach, arr.Elem.String(), decl.syntax.Role))
	if s := c.inits[name]; s != nil && len(s.Indices) == len(arr.Lo) {
		names := []string{time}
		for _, n := range s.Indices {
			names = append(names, n.Name)
		}
		r.d.Hint += fmt.Sprintf(", and init %s[%s] = ...", name, strings.Join(names, ", "))
	}
}
