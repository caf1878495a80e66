package codegen

import (
	"math"
	"slices"

	"loopc/codegen/vector"
	"loopc/ir"
)

// A last loop of a few iterations, such as one over the components of a state, makes rows that vectors do not fill, and calls that compute
// little. If it covers the last dimension of all arrays, the cells of a row, and those of the next row, follow one another in memory. So the
// last two loops are one, whose iterations have these cells: they are folded.
//
//	for j = 1..N, c = 0..3 { u[j,c] += u[j-1,c] }
//	  =>
//	for q = 4..4*N+3 { u[q] += u[q-4] }     q = 4*j + c
//
// Iterations keep their order, which is all that kernels in entire arrays need. Only these are made of the folded nest: all else has the loops
// and the arrays that the user knows.

// mostFolded bounds the iterations of a last loop that is folded: rows of more fill vectors.
const mostFolded = 16

// fold returns a generator for the folded nest; nil if the nest cannot be folded.
func (g *generator) fold() *generator {
	last := len(g.n.Loops) - 1
	lo, cells := g.lastLoop()
	if cells < 2 || cells > mostFolded || g.namesLoops(last-1) {
		return nil
	}
	n, l, p := *g.n, *g.l, *g.plan
	n.Loops, n.Body, n.Reads, n.Arrays = n.Loops[:last], slices.Clone(n.Body), make([]*ir.Read, len(n.Reads)), slices.Clone(n.Arrays)
	folded := make([]answer, len(n.Arrays))
	fine := true
	subs := func(array int, subs []ir.Affine) []ir.Affine {
		out, yes := g.foldCell(array, subs, lo, cells)
		a := &folded[array]
		fine = fine && out != nil && (!a.asked || a.yes == yes)
		*a = answer{true, yes}
		return out
	}
	read := func(r *ir.Read) ir.Expr {
		x := *r
		x.Subs = subs(r.Array, r.Subs)
		n.Reads[r.ID] = &x
		return &x
	}
	for k, s := range n.Body {
		n.Body[k] = ir.With(s, ir.MapReads(ir.Value(s), read))
		if w, ok := n.Body[k].(*ir.Assign); ok {
			w.Subs = subs(w.Array, w.Subs)
			fine = fine && folded[w.Array].yes
		}
	}
	if !fine {
		return nil
	}
	for a, x := range folded {
		if x.yes {
			foldArray(&n.Arrays[a], cells)
		}
	}
	f := &generator{n: &n, l: &l, plan: &p, typeKernel: g.typeKernel, folds: cells}
	if f.foldPlan(g); !f.evenRows() {
		return nil
	}
	return f
}

// lastLoop returns the first number of the last loop and how many it has; 0 if a folded nest could not have it, or if they are not constant.
func (g *generator) lastLoop() (lo, cells int) {
	last := len(g.n.Loops) - 1
	if last < 2 || g.shift > 0 || g.n.Loops[last].Backward || g.n.Loops[last-1].Backward || !g.evenRows() {
		return 0, 0
	}
	lo, hi, ok := constantBounds(&g.n.Loops[last])
	if !ok {
		return 0, 0
	}
	return lo, hi - lo + 1
}

// foldArray makes the last two dimensions of an array one; the last has so many cells.
func foldArray(arr *ir.Array, cells int) {
	m := len(arr.Lo) - 2
	arr.Lo = append(slices.Clone(arr.Lo[:m]), ir.Affine{}.PlusTimes(cells, arr.Lo[m]))
	arr.Hi = append(slices.Clone(arr.Hi[:m]), ir.Affine{Const: cells - 1}.PlusTimes(cells, arr.Hi[m]))
}

// foldPlan makes the loops of f the coordinates of its plan. g is the generator of the nest that is folded.
func (f *generator) foldPlan(g *generator) {
	last := len(g.n.Loops) - 1
	n, l, p := f.n, f.l, f.plan
	if n.Analysis != nil {
		a := *n.Analysis
		a.Space = slices.DeleteFunc(slices.Clone(a.Space), func(c ir.Constraint) bool { return c.Iter(last) != 0 })
		n.Analysis = &a
	}
	l.Skew = nil
	for x := range last {
		l.Skew = append(l.Skew, make([]int, last))
		l.Skew[x][x] = n.Loops[x].Step()
	}
	l.Unskew, l.Reads, p.Dims, p.Skew, p.Values = l.Skew, slices.Clone(l.Reads), nil, l.Skew, slices.Clone(p.Values)
	for _, loop := range n.Loops {
		p.Dims = append(p.Dims, loop.Name)
	}
	for v, stmt := range l.Values {
		p.Values[v].Cell, p.Values[v].Flow = f.overLoops(n.Body[stmt].(*ir.Assign).Subs), nil
	}
	for k, r := range l.Reads {
		if r.From != ir.FromBlock {
			continue
		}
		by := make(ir.Vec, last+1)
		for k, row := range g.l.Unskew {
			for x, c := range row {
				by[k] += c * r.Dist[x]
			}
		}
		by[last-1] = f.folds*by[last-1] + by[last]
		l.Reads[k].Dist = n.Steps(by[:last])
	}
}

// constantBounds returns the bounds of a loop; ok is false if they are no constants.
func constantBounds(l *ir.Loop) (lo, hi int, ok bool) {
	constant := func(forms []ir.Affine) bool {
		return len(forms) == 1 && forms[0].Equal(ir.Affine{Const: forms[0].Const})
	}
	if !constant(l.Lo) || !constant(l.Hi) {
		return 0, 0, false
	}
	return l.Lo[0].Const, l.Hi[0].Const, true
}

// namesLoops reports whether the body has the value of a loop from the given one on, or computes subscripts.
func (g *generator) namesLoops(from int) (found bool) {
	for _, s := range g.n.Body {
		r, ok := s.(*ir.Reduce)
		found = found || ok && r.Place
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.IterRef:
				found = found || e.Iter >= from
			case *ir.Lookup, *ir.ConstCell:
				found = true
			}
		})
	}
	return found
}

// foldCell returns the subscripts of a cell where the last two loops are one, and whether its array changes: the last two dimensions are then
// one, too. It returns nil if the cells of iterations that follow one another do not do so in the array. The last loop begins at lo and has so
// many iterations (cells).
func (g *generator) foldCell(array int, subs []ir.Affine, lo, cells int) (out []ir.Affine, folded bool) {
	last, m := len(g.n.Loops)-1, len(subs)-2
	uses := func(sub ir.Affine) bool { return sub.Iter(last) != 0 || sub.Iter(last-1) != 0 }
	if !slices.ContainsFunc(subs, uses) {
		return subs, false
	}
	arr := &g.n.Arrays[array]
	if m < 0 || slices.ContainsFunc(subs[:m], uses) || arr.Boundary != nil {
		return nil, false
	}
	row, cell := subs[m], subs[m+1]
	first, end := arr.Lo[m+1], arr.Hi[m+1]
	along := ir.Affine{Iters: make([]int, last+1)} // the last subscript covers its dimension
	along.Iters[last] = 1
	if along = along.PlusTimes(1, first); row.Iter(last-1) != 1 || row.Iter(last) != 0 || !end.Equal(first.PlusTimes(1, ir.Affine{Const: cells - 1})) {
		return nil, false
	}
	if along.Const -= lo; !cell.Equal(along) {
		return nil, false
	}
	q := ir.Affine{}.PlusTimes(cells, row)
	q.Iters = slices.Clone(q.Iters[:last])
	q.Iters[last-1] = 1
	return append(slices.Clone(subs[:m]), q), true
}

// unfold returns the subscripts in array of a cell that has the given ones in the folded nest. They may be beyond the bounds of the last
// dimension, and have the cell's place in memory all the same.
func (g *generator) unfold(array int, subs []ir.Affine, cells int) []ir.Affine {
	last, m := len(g.n.Loops)-1, len(subs)-1
	if len(subs) == len(g.n.Arrays[array].Lo) {
		return subs
	}
	row, cell := subs[m], g.n.Arrays[array].Lo[m+1]
	cell.Iters = make([]int, last+1)
	cell.Iters[last] = 1
	cell.Const += row.Const - g.n.Loops[last].Lo[0].Const
	row = ir.Affine{Params: slices.Clone(row.Params), Iters: append(slices.Clone(row.Iters), 0)}
	for k := range row.Params {
		row.Params[k] /= cells
	}
	for k := range last - 1 {
		row.Iters[k] /= cells
	}
	return append(slices.Clone(subs[:m]), row, cell)
}

// foldedFronts decides on kernels of the folded nest.
func (f *generator) foldedFronts() {
	most := f.rowsInOrder()
	if skew, ok := f.frontSkew(); ok && most < math.MaxInt { // iterations of a row need one another
		f.front.shape, _ = vector.AnalyzeFront(f.n, f.l, f.plan, f.findLive(), skew)
		f.assembleFronts()
	}
	if f.front.shape == nil && most > 1 {
		f.front.shape, _ = vector.AnalyzeRows(f.n, f.l, f.plan, f.findLive(), 0, most)
		f.assembleFronts()
	}
	strided := func(x vector.Stream) bool { return x.Along == vector.Strided }
	if s := f.front.shape; s != nil && slices.ContainsFunc(s.Streams, strided) {
		f.front.shape = nil
	}
}
