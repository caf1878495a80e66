package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/runtime/boundary"
)

// A seqArray says how the sequential reference stores an array.
type seqArray struct {
	a      int
	name   string
	result string // for an internal array, the returned slice
	// If all accesses to an internal array are within a few levels of the outermost loop, it
	// stores these levels only: dimension roll is stored modulo levels. Otherwise roll is -1.
	roll         int
	least, most  int // offsets from the outermost loop along dimension roll
	levels       int
	innermost    int // the dimension with stride 1; -1: none
	positionVars map[int]string
	level        string // in cellLoops, the variable with the position of the level
}

// store decides how array a is stored.
func (w *seqWriter) store(a int) *seqArray {
	arr := &w.n.Arrays[a]
	st := &seqArray{a: a, name: w.generator.arrays[a], roll: -1}
	st.innermost = len(arr.Lo) - 1
	if arr.Item > st.innermost { // items share their cells: the stride is 0
		st.innermost = -1
	}
	if arr.Role != ir.Internal {
		return st
	}
	if arr.Out != nil {
		st.result = st.name + "Result"
	}
	for m := range arr.Lo {
		if arr.Out != nil && arr.Out[m] == nil {
			continue // every level of this dimension is returned
		}
		if least, most, ok := w.window(a, m); ok && most-least < 8 {
			st.roll, st.least, st.most, st.levels = m, least, most, most-least+1
			break
		}
	}
	if st.roll >= 0 && st.roll == st.innermost {
		st.innermost--
	}
	return st
}

// window returns the range of c over all accesses to array a, whose subscripts along dimension m
// are i + c for the outermost loop i. ok is false if a subscript has another form, or if the dimension has a
// boundary.
func (w *seqWriter) window(a, m int) (least, most int, ok bool) {
	arr := &w.n.Arrays[a]
	if arr.Boundary != nil && arr.Boundary[m] != (boundary.Ends{}) {
		return 0, 0, false
	}
	first := true
	nonzero := func(c int) bool { return c != 0 }
	add := func(sub ir.Affine) bool {
		if sub.Iter(0) != 1 || slices.ContainsFunc(sub.Iters[1:], nonzero) || slices.ContainsFunc(sub.Params, nonzero) {
			return false
		}
		if first {
			least, most, first = sub.Const, sub.Const, false
		}
		least, most = min(least, sub.Const), max(most, sub.Const)
		return true
	}
	for _, r := range w.n.Reads {
		if r.Array == a && !add(r.Subs[m]) {
			return 0, 0, false
		}
	}
	for _, s := range w.n.Assigns(a) {
		if !add(w.n.Body[s].(*ir.Assign).Subs[m]) {
			return 0, 0, false
		}
	}
	return least, most, !first
}

// stride returns the variable with the stride of array st along dimension m.
func (st *seqArray) stride(m int) string {
	if m == st.innermost {
		return "1"
	}
	return strideName(st.name, m)
}

// bounds returns the bounds of array a along dimension m as Go expressions.
func (w *seqWriter) bounds(a, m int) (lo, hi string) {
	arr := &w.n.Arrays[a]
	return affine(arr.Lo[m], nil, w.params), affine(arr.Hi[m], nil, w.params)
}

// rolled returns the variable with the position of the level at offset c from the outermost
// loop.
func (w *seqWriter) rolled(st *seqArray, c int) string {
	if st.positionVars == nil {
		st.positionVars = map[int]string{}
	}
	if name, ok := st.positionVars[c]; ok {
		return name
	}
	name := st.name + "Level"
	if c != 0 {
		name = st.name + offsetName("level", c)
	}
	name = w.s.name(name)
	st.positionVars[c] = name
	return name
}

// used reports whether the loops access array st.
func (w *seqWriter) used(st *seqArray) bool {
	for id, r := range w.n.Reads {
		if r.Array == st.a && w.live[w.n.ReadStmt[id]] {
			return true
		}
	}
	return len(w.n.Assigns(st.a)) > 0 || w.tableOfLive(st.a, w.live)
}

// prepare prints the storage of the arrays and their initial content.
func (w *seqWriter) prepare() {
	g := w.generator
	for _, st := range w.arrays {
		arr := &w.n.Arrays[st.a]
		if !w.used(st) && !arr.Returned() {
			continue
		}
		if arr.Role == ir.Internal {
			w.internal(st)
			continue
		}
		w.view(st, "fields")
		if arr.Role == ir.InOut && !w.again {
			g.linef("copy(%s, array.Cells[%s](fields.Given[%d]))", st.name, arr.Elem, st.a)
		}
		if arr.Role == ir.Out {
			w.fill(st, nil)
		}
	}
}

// view prints the variables with the cells, origin and strides of an array of the caller. fields is the Go expression of the
// nest's kernel.Fields, which has the array. view returns the expression of the array in it.
func (w *seqWriter) view(st *seqArray, fields string) (view string) {
	arr := &w.n.Arrays[st.a]
	view = fmt.Sprintf("%s.Result[%d]", fields, st.a)
	if arr.Role == ir.In {
		view = fmt.Sprintf("%s.Given[%d]", fields, st.a)
	}
	w.generator.linef("%s := array.Cells[%s](%s)", st.name, arr.Elem, view)
	w.viewPosition(st.name, view, len(arr.Lo), st.innermost)
	return view
}

// extentOf returns the number of cells of an array along dimension m.
func extentOf(arr *ir.Array, m int) ir.Affine {
	e := ir.Affine{Const: arr.Hi[m].Const - arr.Lo[m].Const + 1}
	for k := range max(len(arr.Hi[m].Params), len(arr.Lo[m].Params)) {
		e.Params = append(e.Params, arr.Hi[m].Param(k)-arr.Lo[m].Param(k))
	}
	return e
}

// viewPosition prints the origin and the strides of a view, but not that of dimension innermost, which is 1.
func (w *seqWriter) viewPosition(name, view string, dims, innermost int) {
	w.generator.linef("%sOrigin := %s.Origin()", name, view)
	for m := range dims {
		if m != innermost {
			w.generator.linef("%s := %s.Stride[%d]", strideName(name, m), view, m)
		}
	}
}

// internal prints the storage of an internal array.
func (w *seqWriter) internal(st *seqArray) {
	g := w.generator
	arr := &w.n.Arrays[st.a]
	g.comment(fmt.Sprintf("%s is internal: %s.", arr.Name, w.storageNote(st)))
	cells := "1"
	origin := []string{}
	for m := len(arr.Lo) - 1; m >= 0; m-- {
		if m == st.roll {
			continue
		}
		if m != st.innermost {
			g.linef("%s := %s", st.stride(m), cells)
		}
		lo, _ := w.bounds(st.a, m)
		origin = append(origin, times(factor(lo), st.stride(m)))
		extent := factor(affine(extentOf(arr, m), nil, w.params))
		if cells == "1" {
			cells = extent
		} else {
			name := w.s.name(st.name + "Cells")
			g.linef("%s := %s*%s", name, cells, extent)
			cells = name
		}
	}
	if st.roll >= 0 {
		g.linef("%s := %s", st.stride(st.roll), cells)
		cells = fmt.Sprintf("%d*%s", st.levels, st.stride(st.roll))
	}
	g.linef("%s := array.Cast[%s](fields.Memory.Bytes(%d * %s))", st.name, arr.Elem, arr.Elem.Size(), factor(cells))
	if o := plus(origin...); o == "0" {
		g.linef("const %sOrigin = 0", st.name)
	} else {
		g.linef("%sOrigin := -(%s)", st.name, o)
	}
	if st.result != "" {
		g.linef("%s := array.Cells[%s](fields.Result[%d])", st.result, arr.Elem, st.a)
		dims := len(w.sliceDims(st))
		w.viewPosition(st.result, fmt.Sprintf("fields.Result[%d]", st.a), dims, dims-1)
	}
	switch {
	case st.roll < 0:
		w.fill(st, nil)
	case w.initial(st.a):
		lo, hi := w.bounds(st.a, st.roll)
		g.linef("// %s gives a level its initial content as the outermost loop comes to it.", w.enter(st))
		level := w.s.name("level")
		g.linef("%s := func(%s int) {", w.enter(st), level)
		g.linef("if %s < %s || %s > %s {\nreturn\n}", level, lo, level, hi)
		w.fill(st, map[int]string{st.roll: level})
		g.linef("}")
	}
	if st.result != "" && st.roll >= 0 && w.initial(st.a) {
		w.copySlice(st, true)
	}
}

func (w *seqWriter) storageNote(st *seqArray) string {
	if st.roll >= 0 {
		return fmt.Sprintf("the last %d levels along %s are enough", st.levels, w.n.Loops[0].Name)
	}
	return "stored whole"
}

func (w *seqWriter) enter(st *seqArray) string { return st.name + "Enter" }

// sliceDims returns the dimensions of an internal array that its returned slice has, too.
func (w *seqWriter) sliceDims(st *seqArray) []int {
	var out []int
	for m, at := range w.n.Arrays[st.a].Out {
		if at == nil {
			out = append(out, m)
		}
	}
	return out
}

// cellLoops prints loops over dimensions of array st, calls body with the indices, and closes
// the loops. fixed gives the index of each dimension without a loop, bounds the first and the last index of each other one.
func (w *seqWriter) cellLoops(st *seqArray, fixed map[int]string, bounds func(m int) (lo, hi string), body func(index []string)) {
	g := w.generator
	arr := &w.n.Arrays[st.a]
	index := make([]string, len(arr.Lo))
	open := 0
	if at, ok := fixed[st.roll]; ok {
		st.level = w.s.name(st.name + "At")
		g.linef("%s := arith.Mod(%s, %d) * %s", st.level, at, st.levels, strideName(st.name, st.roll))
	}
	for m := range arr.Lo {
		if at, ok := fixed[m]; ok {
			index[m] = at
			continue
		}
		index[m] = fmt.Sprintf("cell%d", m)
		lo, hi := bounds(m)
		g.linef("for %s := %s; %s <= %s; %s++ {", index[m], lo, index[m], hi, index[m])
		open++
	}
	body(index)
	for range open {
		g.linef("}")
	}
}

// position returns the position of a cell; part is the contribution of a dimension's index.
func (st *seqArray) position(dims int, part func(m int) string) string {
	at := []string{st.name + "Origin"}
	for m := range dims {
		at = append(at, part(m))
	}
	return plus(at...)
}

// cellPosition returns the position of the cell with the given indices.
func (st *seqArray) cellPosition(index []string) string {
	return st.position(len(index), func(m int) string {
		if m == st.roll {
			return st.level
		}
		return times(index[m], st.stride(m))
	})
}

// copySlice prints the loops that fill the result of an internal array, with the values of the init
// expression or with the array's cells.
func (w *seqWriter) copySlice(st *seqArray, fromInit bool) {
	arr := &w.n.Arrays[st.a]
	fixed := map[int]string{}
	for m, at := range arr.Out {
		if at != nil {
			fixed[m] = factor(affine(*at, nil, w.params))
		}
	}
	w.cellLoops(st, fixed, func(m int) (lo, hi string) { return w.bounds(st.a, m) }, func(index []string) {
		dims := w.sliceDims(st)
		to := position(st.result, len(dims), len(dims)-1, func(k int) string { return index[dims[k]] })
		from := fmt.Sprintf("%s[%s]", st.name, st.cellPosition(index))
		if fromInit {
			from = fmt.Sprintf("tile.%s(%s)", w.initMethods[st.a], strings.Join(index, ", "))
		}
		w.generator.linef("%s[%s] = %s", st.result, to, from)
	})
}
