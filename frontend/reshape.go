package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Arrays whose declaration has fewer or more dimensions than their cells have subscripts.

// factors returns the factors of a product of parameters, constants and numbers; nil for another expression.
func (c *checker) factors(e *expr) []*expr {
	if e.kind == binaryExpr && e.op == ir.Mul {
		x, y := c.factors(e.args[0]), c.factors(e.args[1])
		if x == nil || y == nil {
			return nil
		}
		return slices.Concat(x, y)
	}
	if e.kind == numberExpr || e.kind == nameExpr && c.ofParameters(e) {
		return []*expr{e}
	}
	return nil
}

// unfolded completes the report of the only dimension of array k, if its length is a product, as where C and
// Fortran keep several dimensions in one: the hint has a dimension for each factor. told is the number of
// reports before.
func (c *checker) unfolded(k, told int, r *rangeSyntax) {
	decl := &c.arrays[k]
	if told+1 != len(c.diags) || c.diags[told].Code != diag.NotAffine || len(decl.syntax.Dims) != 1 {
		return
	}
	lo, hi := flatTree(r.Lo), flatTree(r.Hi)
	zero, less := bare(lo) == "0", ""
	if zero && hi.kind == binaryExpr && hi.op == ir.Sub && bare(hi.args[1]) == "1" {
		hi, less = hi.args[0], " - 1"
	}
	list := c.factors(hi)
	if len(list) < 2 || len(list) > maxDepth || lo.kind != numberExpr || zero && less == "" || !lo.oneLine() || !hi.oneLine() || lo.at.Line != hi.at.Line {
		return
	}
	var dims []string
	for _, f := range list {
		dims = append(dims, bare(lo)+".."+strings.ReplaceAll(bare(f)+less, " ", ""))
	}
	decl.unfolded = true
	report{&c.diags[told]}.fix(join(lo.at, flatTree(r.Hi).at), "%s", strings.Join(dims, ", "))
}

// declareIt begins the hint for an array with another number of dimensions.
const declareIt = "declare it for what its subscripts go over,"

// otherDimensions completes the report of a cell of array k with a wrong number of subscripts. If it has too
// few, it lacks loops. If it has too many, and so have all cells in the body, the declaration is wrong.
func (c *checker) otherDimensions(r report, k int, list []*expr) {
	if c.examined++; c.examined > 2*diag.MaxShown {
		return
	}
	name, subscripts := c.nest.Arrays[k].Name, len(list)
	dims := len(c.arrays[k].syntax.Dims)
	if subscripts < dims {
		if c.itemSubscript(r, name, list, dims) {
			return
		}
		c.fewSubscripts(r, name, list, dims)
		return
	}
	var right [][]*expr
	for _, subs := range c.cellsOfBody(name) {
		if len(subs) == dims {
			right = append(right, subs)
		} else if len(subs) != subscripts {
			return
		}
	}
	if len(right) > 0 {
		cell := &expr{kind: cellExpr, name: name, args: right[0]}
		r.advise("a subscript for each dimension, as in %s", bare(cell))
		return
	}
	if reach := c.reachOf(name, subscripts); reach != nil && !c.others.names[name] && c.arrays[k].edges == nil {
		r.advise(declareIt+" array %s", c.declared(name, reach, c.nest.Arrays[k].Elem.String(), c.arrays[k].syntax.Role))
	}
}

// fewSubscripts completes the report of a cell with too few subscripts. The hint adds the
// subscripts that other reads of the array have or, if the resulting cell is already read, the
// loops themselves.
func (c *checker) fewSubscripts(r report, name string, list []*expr, dims int) {
	if slices.ContainsFunc(list, func(e *expr) bool {
		return slices.ContainsFunc(c.arrayNames(), func(array string) bool { return reads(e, array) })
	}) {
		return // what is looked up tells nothing of the other subscripts
	}
	text := func(subs []*expr) string { return bare(&expr{kind: cellExpr, name: name, args: subs}) }
	var targets, cells []string // cells: of the same statement
	var whole [][]*expr
	for _, b := range c.body {
		if b.assign != nil && b.assign.Cell.Name.Name == name {
			targets = append(targets, text(flatTrees(b.assign.Cell.Subs)))
		}
	}
	for _, b := range c.body {
		var value *expr
		switch {
		case b.let != nil:
			value = flatTree(b.let.Value)
		case b.assign != nil:
			value = flatTree(b.assign.Value)
		default:
			continue // a reduction reads what is written
		}
		for _, subs := range cellsOf(value, name) {
			t := text(subs)
			if len(subs) != dims || slices.Contains(targets, t) {
				continue
			}
			whole = append(whole, subs)
			if value.at.Line == r.d.At.Line {
				cells = append(cells, t)
			}
		}
	}
	if c.assigned != nil && cellSpan(c.assigned.assign.Cell) == r.d.At {
		whole, cells = nil, nil // a written cell has the loops, in their order, as subscripts
	}
	first := c.withLoops(name, list, dims, whole)
	if first == nil {
		return
	}
	if plain := c.withLoops(name, list, dims, nil); slices.Contains(cells, bare(first)) && !slices.Contains(cells, bare(plain)) && !slices.Contains(targets, bare(plain)) {
		first = plain
	}
	if slices.Contains(cells, bare(first)) {
		r.advise("%s, or a neighbor of it, as it is read already", bare(first))
		return
	}
	r.fix(r.d.At, "%s", bare(first))
}

// withLoops returns a cell with a subscript for each of the innermost dims loops, in their order: the subscript in list
// that has the loop. If list has none, it is the loop alone; or, if the first cell of whole has the loop in a sum
// and no cell has it alone, the subscript of that first cell. withLoops returns nil if a subscript of list is left over.
func (c *checker) withLoops(name string, list []*expr, dims int, whole [][]*expr) *expr {
	first := len(c.nest.Loops) - dims
	if first < 0 {
		return nil
	}
	cell := &expr{kind: cellExpr, name: name}
	used := 0
	for d, l := range c.nest.Loops[first:] {
		if used < len(list) && slices.Contains(list[used].names(), l.Name) {
			cell.args = append(cell.args, list[used])
			used++
			continue
		}
		missing := &expr{kind: nameExpr, name: l.Name}
		alone := slices.ContainsFunc(whole, func(subs []*expr) bool { return bare(subs[d]) == l.Name })
		if !alone && len(whole) > 0 && slices.Contains(whole[0][d].names(), l.Name) { // as another read has it
			missing = whole[0][d]
		}
		cell.args = append(cell.args, missing)
	}
	if used < len(list) {
		return nil
	}
	return cell
}

// cellsOfBody returns the subscripts of all cells of an array in the body.
func (c *checker) cellsOfBody(name string) (cells [][]*expr) {
	for _, b := range c.body {
		switch {
		case b.let != nil:
			cells = append(cells, cellsOf(flatTree(b.let.Value), name)...)
		case b.reduce != nil:
			cells = append(cells, cellsOf(flatTree(b.reduce.Value), name)...)
		default:
			cells = append(cells, cellsOf(flatTree(b.assign.Value), name)...)
			if b.assign.Cell.Name.Name == name {
				cells = append(cells, flatTrees(b.assign.Cell.Subs))
			}
		}
	}
	return cells
}

// initRead reports a read, in an init, of an array that is not an in array. The hint is the value of that array's
// own init, if this init reads in arrays only.
func (c *checker) initRead(e *expr, arr *ir.Array) {
	r := c.errorf(diag.InitRead, e.at, "an init expression may read in arrays only, and %s is %s", arr.Name, roleText(arr.Role)).
		note(arr.Span, "%s is declared here", arr.Name)
	if s := c.inits[arr.Name]; s != nil && len(s.Indices) == len(e.args) && c.ofGiven(flatTree(s.Value)) {
		value := map[string]*expr{}
		for k, n := range s.Indices {
			value[n.Name] = e.args[k]
		}
		r.d.Message += ": before the nests run, it is what its init gives"
		r.fixOf(e, "%s", exprText(substituted(flatTree(s.Value), value), unaryPrecedence))
		return
	}
	if !c.written[arr.Name] && !c.others.writes[arr.Name] && arr.Init == nil {
		r.advise("declare %s as an in array", arr.Name)
		return
	}
	r.advise("a nest of its own, before this one, gives cells that depend on %s their values", arr.Name)
}

// ofGiven reports whether all cells in e are those of in arrays.
func (c *checker) ofGiven(e *expr) bool {
	if e.kind == cellExpr {
		ent := c.names[e.name]
		if ent == nil || ent.kind != arrayEntity || c.nest.Arrays[ent.index].Role != ir.In {
			return false
		}
	}
	return !slices.ContainsFunc(e.args, func(x *expr) bool { return !c.ofGiven(x) })
}

// substituted is e with expressions in place of names.
func substituted(e *expr, value map[string]*expr) *expr {
	if x := value[e.name]; x != nil && e.kind == nameExpr {
		return x
	}
	out := *e
	out.args = nil
	for _, a := range e.args {
		out.args = append(out.args, substituted(a, value))
	}
	return &out
}
