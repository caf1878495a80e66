package codegen

import (
	"slices"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// inArrays reports whether the kernel with vectors along rows may compute in entire arrays instead of tiles:
// see kernel.AsLoops. It then computes level by level, in groups of rows (see vector.Shape), and each result
// overwrites its cell of the array at once. So the kernel must read and overwrite each cell in the order of the loops.
func (g *generator) inArrays() bool {
	if g.onArrays.asked {
		return g.onArrays.yes
	}
	g.onArrays.asked = true
	g.rotating = kernel.NewRotating(g.plan)
	if g.usesNumbers() {
		g.rotating = nil
	}
	g.onArrays.yes = g.notInArrays() == ""
	return g.onArrays.yes
}

// notInArrays says why a kernel with vectors along rows does not compute in entire arrays; "" if it does.
func (g *generator) notInArrays() string {
	switch {
	case g.mayFail():
		return "an operation may fail"
	case !g.vectorsInOrder():
		return "a reduction has a place, or lanes may not hold the numbers of repeats"
	case !g.resultsInArrays():
		return "results of a row are no neighbors there, or would overwrite cells too early"
	}
	if why := g.notRead(); why != "" {
		return why
	}
	if g.rotating == nil && !g.oneShape() {
		return "results have arrays of several shapes"
	}
	return ""
}

// vectorsInOrder reports whether there is a kernel with vectors along rows that needs nothing else than its block of memory: no
// places of reductions, and no numbers of repeats that lanes may not hold.
func (g *generator) vectorsInOrder() bool {
	s := g.vector.shape
	places := func(r *ir.Reduce) bool { return r.Place }
	if s == nil || s.Scheme != vector.Contiguous || slices.ContainsFunc(g.n.Reduces(), places) {
		return false
	}
	// Whether lanes hold the numbers of repeats is decided when kernels are made, not for each run.
	_, held := g.small()
	return !g.usesNumbers() || held
}

// resultsInArrays reports whether the results of a row are adjacent in their array, and overwrite cells in the order
// of the loops.
func (g *generator) resultsInArrays() bool {
	inner, ok := g.rowLoop()
	if !ok {
		return false
	}
	live := g.findLive()
	for v, k := range g.l.Values {
		w, val := g.n.Body[k].(*ir.Assign), &g.plan.Values[v]
		meets := func(s int) bool { return s != k && !g.n.NeverMeet(w.Subs, g.n.Body[s].(*ir.Assign).Subs) }
		switch {
		case slices.ContainsFunc(g.n.Assigns(w.Array), meets), !g.complete(w.Array), len(val.Fallbacks) > 0 && g.n.Arrays[w.Array].Boundary == nil:
			return false
		case g.l.Dead[v] && !val.Direct, !live[k]: // the kernel does not store it
			return false
		case !adjacentInRow(w, len(g.n.Loops), inner), !g.keepsOrder(w.Subs, k, k):
			return false
		}
	}
	return true
}

// oneShape reports whether rows, and levels, lie as far apart in the arrays of all results, as a block requires: see
// kernel.Layout.
func (g *generator) oneShape() bool {
	first := g.n.Body[g.l.Values[0]].(*ir.Assign)
	return !slices.ContainsFunc(g.l.Values, func(k int) bool { return !g.sameStrides(first, g.n.Body[k].(*ir.Assign)) })
}

// sameStrides reports whether the cells of successive iterations of each loop lie as far apart in the arrays of two statements.
func (g *generator) sameStrides(v, w *ir.Assign) bool {
	same := true // the dimensions behind the one at hand are as long
	for back := 1; back <= max(len(v.Subs), len(w.Subs)); back++ {
		x, y := g.dimension(v, back), g.dimension(w, back)
		for loop := range g.n.Loops {
			if c, d := x.sub.Iter(loop), y.sub.Iter(loop); c != d || c != 0 && !same {
				return false
			}
		}
		same = same && x.cells.Equal(y.cells)
	}
	return true
}

// A dimension is what a statement writes along a dimension of its array.
type dimension struct{ sub, cells ir.Affine }

// dimension returns the dimension of w's array that is back from the end; none if the array has fewer.
func (g *generator) dimension(w *ir.Assign, back int) (d dimension) {
	if m := len(w.Subs) - back; m >= 0 {
		arr := &g.n.Arrays[w.Array]
		d = dimension{w.Subs[m], arr.Hi[m].PlusTimes(-1, arr.Lo[m])}
	}
	return d
}

// An answer keeps the answer to a question that is asked several times, so that it is found only
// once.
type answer struct{ asked, yes bool }

// apart returns the coordinates along which CPUs may share the iterations of a nest in entire arrays: iterations that
// differ in such a coordinate neither read nor overwrite one another's results. There are none if levels rotate.
func (g *generator) apart() (all []int) {
	if g.rotating != nil {
		return nil
	}
	live := g.findLive()
	linked := make([]bool, len(g.n.Loops))
	link := func(subs []ir.Affine, by int) {
		if !g.sameForm(subs, by) {
			return // they never meet: see keepsOrder
		}
		if distance, free, meet := g.between(subs, by); meet {
			for k := range linked {
				linked[k] = linked[k] || free[k] || distance[k] != 0
			}
		}
	}
	for _, k := range g.l.Values {
		link(g.n.Body[k].(*ir.Assign).Subs, k)
	}
	for id, r := range g.n.Reads {
		if live[g.n.ReadStmt[id]] {
			for _, k := range g.n.Assigns(r.Array) {
				link(r.Subs, k)
			}
		}
	}
	for x, row := range g.l.Skew {
		for k, c := range row[g.shift:] {
			if c != 0 && x >= g.shift && !linked[k] {
				all = append(all, x)
			}
		}
	}
	return all
}

// writtenOnce returns the arrays whose cells are written at most once, and not read before. Only those of their cells
// that no iteration writes need initial content. Statements of one array must write different components.
func (g *generator) writtenOnce() (all []int) {
	var none []int
	for _, s := range g.l.Values {
		w := g.n.Body[s].(*ir.Assign)
		loops := 0
		for _, sub := range w.Subs {
			if k, ok := sub.OnlyLoop(); ok && k >= 0 {
				loops++
			}
		}
		before := func(r *ir.Read) bool { return r.Array == w.Array && g.l.Reads[r.ID].From == ir.FromInitial }
		same := func(k int) bool { return k != s && !otherComponent(w.Subs, g.n.Body[k].(*ir.Assign).Subs) }
		if loops == len(g.n.Loops) && g.initial(w.Array) && !slices.ContainsFunc(g.n.Reads, before) && !slices.ContainsFunc(g.n.Assigns(w.Array), same) {
			all = append(all, w.Array)
		} else {
			none = append(none, w.Array)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(a int) bool { return slices.Contains(none, a) })
}

// otherComponent reports whether two cells of an array are different components: a dimension has different numbers as subscripts.
func otherComponent(x, y []ir.Affine) bool {
	number := func(f ir.Affine) bool {
		return !f.HasIters() && !slices.ContainsFunc(f.Params, func(c int) bool { return c != 0 })
	}
	for m := range x {
		if number(x[m]) && number(y[m]) && x[m].Const != y[m].Const {
			return true
		}
	}
	return false
}

// ownLevels reports whether each read of an earlier level that has iterations is of a cell that an iteration has written: a
// step back along a flow dependence leaves the space only through bounds that depend on nothing but the level.
func (g *generator) ownLevels() bool {
	return !slices.ContainsFunc(g.plan.Values, func(v plan.Value) bool {
		return slices.ContainsFunc(v.Flow, func(d []int) bool {
			return slices.ContainsFunc(kernel.Bounds(g.plan), func(f plan.Affine) bool {
				slope, level := 0, true
				for x, c := range f.Iters {
					slope, level = slope+c*d[x], level && (x == 0 || c == 0)
				}
				return slope > 0 && !level
			})
		})
	})
}

// usesNumbers reports whether the loops depend on what is known only when they run: the number of a repetition, or results of earlier
// nests.
func (g *generator) usesNumbers() bool {
	if g.plan.Numbers != nil || g.earlier() != "" {
		return true
	}
	uses := func(subs []ir.Affine) bool { return slices.ContainsFunc(subs, g.n.Numbered) }
	found := false
	for _, s := range g.n.Body {
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.ParamRef:
				found = found || slices.ContainsFunc(g.n.Numbers, func(x ir.Number) bool { return x.Param == e.Param })
			case *ir.Read:
				found = found || uses(e.Subs)
			}
		})
		if w, ok := s.(*ir.Assign); ok {
			found = found || uses(w.Subs)
		}
	}
	return found
}

// rowLoop returns the loop along which a row goes. ok is false unless it goes upward and each coordinate of the plan, without
// the slope of levels, is a single loop.
func (g *generator) rowLoop() (loop int, ok bool) {
	slopes := kernel.Slopes(g.plan)
	for x, row := range g.l.Skew {
		used := 0
		for k, c := range row {
			if c -= slopes[x] * g.l.Skew[0][k]; c != 0 {
				used += max(c, -c)
				loop, ok = k-g.shift, c == 1
			}
		}
		if used != 1 {
			return 0, false
		}
	}
	return loop, ok
}

// slope returns by how many columns rows are shifted from level to level in entire arrays: see kernel.Slopes.
func (g *generator) slope() int { return kernel.Slopes(g.plan)[len(g.plan.Dims)-1] }

// complete reports whether the kernel finds all cells of array a in the array: all are the caller's, or the levels of
// the array rotate.
func (g *generator) complete(a int) bool {
	return g.rotating != nil && len(g.n.Assigns(a)) > 0 || g.ofCaller(a)
}

// ofCaller reports whether all cells of array a are in the caller's memory: the array is neither internal nor a slice.
func (g *generator) ofCaller(a int) bool {
	arr := &g.plan.Arrays[a]
	return arr.Role != plan.Internal && arr.Slice == nil
}

// adjacentInRow reports whether the results of a row are adjacent in their array, and no loop is in two subscripts.
func adjacentInRow(w *ir.Assign, loops, inner int) bool {
	_, ok := loopsOnce(w.Subs, loops)
	return ok && len(w.Subs) > 0 && w.Subs[len(w.Subs)-1].Iter(inner) == 1
}

// loopsOnce returns which loops the subscripts have. ok is false if a subscript has several loops, or a loop is in
// several subscripts.
func loopsOnce(subs []ir.Affine, loops int) (used []bool, ok bool) {
	used = make([]bool, loops)
	for _, sub := range subs {
		k, ok := sub.OnlyLoop()
		if !ok || k >= 0 && used[k] {
			return nil, false
		}
		if k >= 0 {
			used[k] = true
		}
	}
	return used, true
}

// sameForm reports whether subscripts differ only by constants from those that statement writer assigns to.
func (g *generator) sameForm(subs []ir.Affine, writer int) bool {
	return slices.EqualFunc(subs, g.n.Body[writer].(*ir.Assign).Subs, func(sub, to ir.Affine) bool {
		to.Const = sub.Const
		return sub.Equal(to)
	})
}

// between returns the distance, by loop, from an iteration that accesses the cell at subs to the iterations in which
// statement writer overwrites this cell. If a loop is free, the distance along it may be any number. meet is false if
// writer never overwrites the cell. subs must differ from the statement's subscripts by constants: see sameForm.
func (g *generator) between(subs []ir.Affine, writer int) (distance ir.Vec, free []bool, meet bool) {
	w, loops := g.n.Body[writer].(*ir.Assign), len(g.n.Loops)
	distance, free = make(ir.Vec, loops), make([]bool, loops)
	for k := range free {
		free[k] = true
	}
	for m, sub := range subs {
		c := sub.Const - w.Subs[m].Const
		k, _ := w.Subs[m].OnlyLoop()
		if k < 0 && c != 0 {
			return nil, nil, false // another cell
		}
		if k >= 0 {
			distance[k], free[k] = c*w.Subs[m].Iter(k), false
		}
	}
	return distance, free, true
}

// keepsOrder reports whether the kernel keeps the order of the loops between an access and an overwrite: statement
// reader accesses the cell at subs, and statement writer overwrites this cell in another iteration.
func (g *generator) keepsOrder(subs []ir.Affine, reader, writer int) bool {
	if !g.sameForm(subs, writer) {
		return g.n.NeverMeet(subs, g.n.Body[writer].(*ir.Assign).Subs)
	}
	apart, free, meet := g.between(subs, writer)
	return !meet || everyDistance(apart, free, 0, func() bool { return g.inOrder(apart, reader <= writer) })
}

// everyDistance reports whether holds is true for each distance along the free loops from k on. Only the sign of such a
// distance matters.
func everyDistance(apart ir.Vec, free []bool, k int, holds func() bool) bool {
	if k == len(free) {
		return holds()
	}
	if !free[k] {
		return everyDistance(apart, free, k+1, holds)
	}
	for _, apart[k] = range []int{-1, 0, 1} {
		if !everyDistance(apart, free, k+1, holds) {
			return false
		}
	}
	return true
}

// inOrder reports whether the kernel computes two iterations in the order of the loops. apart is the distance from the
// iteration that accesses a cell to the one that overwrites it. accessFirst says that the body has the statement of the
// access before the one that overwrites, or that they are one statement.
func (g *generator) inOrder(apart ir.Vec, accessFirst bool) bool {
	sign := g.n.Steps(apart).Sign()
	if sign == 0 {
		return true
	}
	later := make(ir.Vec, len(g.l.Skew)) // the distance from the first to the second, in coordinates
	for x, row := range g.l.Skew {
		for k, c := range row[g.shift:] {
			later[x] += sign * c * apart[k]
		}
	}
	last := len(later) - 1
	rows, along := later[1:last], later[last]
	switch {
	case later[0] != 0:
		return later[0] > 0
	case rows.Sign() == 0:
		return along > 0 && (sign < 0 || accessFirst) // a vector computes one statement after the other
	case slices.Min(rows) < 0 && (g.plan.AnyRowFirst() || slices.ContainsFunc(g.n.Reads, g.beyond)):
		return false // the rows at one place of all planes come first, or the lower part of a box that is divided
	}
	return rows.Sign() > 0 && along >= 0 // a group of rows is computed in turn: a vector of the first row, one of the second, and so on
}
