package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// Loops that a name in a subscript may mean.

// cellsWith are the cells of the body that have a name in a subscript.
func (c *checker) cellsWith(name string) []*expr {
	return slices.DeleteFunc(c.allCells(), func(e *expr) bool { return !named(e.args, name) })
}

// allCells are all cells of the body.
func (c *checker) allCells() (cells []*expr) {
	var walk func(e *expr)
	walk = func(e *expr) {
		if e.kind == cellExpr {
			cells = append(cells, e)
		}
		for _, x := range e.args {
			walk(x)
		}
	}
	for _, b := range c.body {
		switch {
		case b.let != nil:
			walk(flatTree(b.let.Value))
		case b.reduce != nil:
			walk(flatTree(b.reduce.Value))
		default:
			walk(flatTree(b.assign.whole()))
			var subs []*expr
			for _, s := range b.assign.Cell.Subs {
				subs = append(subs, flatTree(s))
			}
			walk(&expr{kind: cellExpr, name: b.assign.Cell.Name.Name, args: subs})
		}
	}
	return cells
}

// loopsBeside are the loops that other cells of the same array have alone where a single cell has a name.
func (c *checker) loopsBeside(cells []*expr, name string) []string {
	if len(cells) != 1 {
		return nil
	}
	cell := cells[0]
	return slices.DeleteFunc(c.loopNames(), func(l string) bool {
		return named(cell.args, l) || !slices.ContainsFunc(c.allCells(), func(e *expr) bool {
			if e == cell || e.name != cell.name || len(e.args) != len(cell.args) {
				return false
			}
			d := slices.IndexFunc(cell.args, func(s *expr) bool { return named([]*expr{s}, name) })
			return slices.Equal(e.args[d].names(), []string{l})
		})
	})
}

// idleLoop is the only loop whose name no statement of the body uses; "" if there is none.
func (c *checker) idleLoop() string {
	if idle := c.idleLoops(); len(idle) == 1 {
		return idle[0]
	}
	return ""
}

// missing is the advice for a name that stands in subscripts and is no loop: a loop that nothing uses may be meant, if it goes over
// these cells. Only if no statement uses any loop, none is missing.
func (c *checker) missing(name string) string {
	idle := c.idleLoops()
	all := len(idle) == len(c.nest.Loops)
	idle = slices.DeleteFunc(idle, func(l string) bool { return !c.counts(l, name) })
	other := fmt.Sprintf(missingLoop, name)
	switch {
	case len(idle) == 1 && all:
		return fmt.Sprintf(idleLoopNamed, name, idle[0])
	case all && len(idle) > 1:
		return fmt.Sprintf("the name %s for one of the loops %s, which nothing uses", name, strings.Join(idle, ", "))
	}
	return other
}

// idleLoopNamed is the advice for a name that a loop should have.
const idleLoopNamed = "the name %s for the loop %s, which nothing uses"

// idleLoops are the loops whose names no statement of the body uses.
func (c *checker) idleLoops() (idle []string) {
	used := map[string]bool{}
	note := func(e *exprSyntax) {
		for _, name := range flatTree(e).names() {
			used[name] = true
		}
	}
	for _, b := range c.body {
		switch {
		case b.let != nil:
			note(b.let.Value)
		case b.reduce != nil:
			note(b.reduce.Value)
		default:
			note(b.assign.Value)
			for _, s := range b.assign.Cell.Subs {
				note(s)
			}
		}
	}
	for _, l := range c.nest.Loops {
		if !used[l.Name] {
			idle = append(idle, l.Name)
		}
	}
	return idle
}

// counts reports whether a loop goes over the cells in whose subscripts a name stands: their dimension and the range of the loop
// have a parameter together, or neither has any. A loop of time has no place there.
func (c *checker) counts(loop, name string) bool {
	k := slices.IndexFunc(c.nest.Loops, func(l ir.Loop) bool { return l.Name == loop })
	note := func(list ...ir.Affine) (found map[int]bool) {
		found = map[int]bool{}
		for _, f := range list {
			for p, factor := range f.Params {
				if factor != 0 {
					found[p] = true
				}
			}
		}
		return found
	}
	if k < 0 {
		return false
	}
	params := note(append(slices.Clone(c.nest.Loops[k].Lo), c.nest.Loops[k].Hi...)...)
	for _, cell := range c.cellsWith(name) {
		a := slices.IndexFunc(c.nest.Arrays, func(x ir.Array) bool { return x.Name == cell.name })
		for d, sub := range cell.args {
			if a < 0 || d >= len(c.nest.Arrays[a].Lo) || !named([]*expr{sub}, name) {
				continue
			}
			dim := note(c.nest.Arrays[a].Lo[d], c.nest.Arrays[a].Hi[d])
			shared := len(dim) == 0 && len(params) == 0
			for p := range dim {
				shared = shared || params[p]
			}
			if !shared {
				return false
			}
		}
	}
	return true
}
