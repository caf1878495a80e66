package codegen

import (
	"fmt"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/transform/plan"
)

// position names coordinate x of the plan in box.
func (w *vectorWriter) position(x int) string {
	if x > 0 && x < w.s.Last() && x != w.along {
		return fmt.Sprintf("p%d", x)
	}
	return fmt.Sprintf("lo[%d]", x)
}

// box prints Box: frames for the planes of a box.
func (w *vectorWriter) box() {
	s, last := w.s, w.s.Last()
	w.blank()
	w.beginMethod()
	w.linef("// Box implements kernel.Loops.")
	w.linef("func (tile *%s) Box(lo, hi []int) {", w.typeVector())
	if w.splits() {
		w.linef("tile.split.Box(lo, hi)")
		w.linef("}")
		w.blank()
		w.linef("// vectors is Box where given arrays have all cells that vectors load: see kernel.Split.")
		w.linef("func (tile *%s) vectors(lo, hi []int) {", w.typeVector())
	}
	if len(s.Indices) > 0 {
		w.linef("// Lanes hold indices as 32-bit integers.")
		w.linef("for x := range lo {")
		w.linef("if lo[x] < -1<<26 || hi[x] > 1<<26 {")
		w.linef("%s(lo, hi)", w.others())
		w.linef("return")
		w.linef("}")
		w.linef("}")
	}
	live := false
	for _, x := range s.Streams {
		live = live || x.Memory == vector.Live
	}
	if live {
		w.linef("block := tile.block")
	}
	w.linef("frame := &tile.frame")
	if live && last > 1 {
		for x := 1; x < last; x++ {
			w.linef("stride%d := block.Stride(%d)", x, x)
		}
	}
	w.entire()
	w.levelRows()
	w.belowRows()
	if w.downwards() {
		w.comment("If there are few planes, each call computes the rows that lie at one place in all of them.")
		w.linef("if n := hi[%d] - lo[%d]; n < %d && n < hi[%d]-lo[%d] {", last-2, last-2, plan.FewPlanes, last-1, last-1)
		w.planes(last - 2)
		w.linef("return")
		w.linef("}")
	}
	w.planes(last - 1)
	w.linef("}")
	w.wrongMethod()
	if w.manyLevels() && (w.splits() || len(s.Indices) > 0 || s.Checks()) {
		w.blank()
		w.linef("// others computes boxes without vectors.")
		w.linef("func (tile *%s) others(lo, hi []int) { kernel.EachLevel(lo, hi, tile.%s.Box) }", w.typeVector(), w.typeKernel)
	}
}

// manyLevels reports whether a box may have several levels: see kernel.Kernel.
func (w *vectorWriter) manyLevels() bool {
	straight := w.slope() == 0 || !w.splits() && len(w.s.Indices) == 0 // the rows of sloped boxes have other indices
	return w.s.Last() == 1 && w.inArrays() && straight && len(w.s.Outer) == 0
}

// others is the function that computes boxes without vectors.
func (w *vectorWriter) others() string {
	if w.manyLevels() {
		return "tile.others"
	}
	return fmt.Sprintf("tile.%s.Box", w.typeKernel)
}

// downwards reports whether levels have planes, and Box may compute the rows of a level in any
// order. Then a call may compute the rows at one place of several planes.
func (w *vectorWriter) downwards() bool {
	return w.s.Scheme == vector.Contiguous && len(w.s.Indices)+len(w.s.Outer) == 0 && w.plan.AnyRowFirst()
}

// planes prints the loops over the calls in Box, each for rows that are neighbors along a
// dimension.
func (w *vectorWriter) planes(along int) {
	s, last := w.s, w.s.Last()
	w.along = along
	rows := "1"
	if w.severalRows() {
		rows = fmt.Sprintf("hi[%d] - lo[%d] + 1", along, along)
	}
	w.linef("frame[%d] = hi[%d] - lo[%d] + 1", vector.FrameWidth, last, last)
	for k := range s.Streams {
		x := &s.Streams[k]
		_, step := w.stream(x)
		w.linef("frame[%d] = %s // %s", s.FrameStep(k), times(step, fmt.Sprint(x.Elem.Size())), w.streamNote(x))
	}
	for k := range s.Streams {
		if x := &s.Streams[k]; x.Along == vector.Strided {
			w.linef("frame[%d] = %s // %s", s.FrameStride(k), w.stride(x), w.streamNote(x))
		}
	}
	w.ends()
	for x := 1; x < last; x++ {
		if x != along {
			w.linef("for p%d := lo[%d]; p%d <= hi[%d]; p%d++ {", x, x, x, x, x)
		}
	}
	for _, x := range s.Streams {
		if x.Memory == vector.Result && s.Scheme == vector.Wavefront {
			w.comment("Results that do not fit the caches go past them.")
			w.linef("if simd.Streams(%d, len(tile.%s)) {", x.Elem.Size(), w.cells(&x))
			w.linef("frame[%d] = 1", vector.FrameStream)
			w.linef("}")
		}
	}
	for k := range s.Streams {
		x := &s.Streams[k]
		at, _ := w.stream(x)
		at = plus(append([]string{at}, w.inside(k)...)...)
		name, size := "tile."+w.cells(x), x.Elem.Size()
		base := fmt.Sprintf("unsafe.SliceData(%s)", name)
		if w.readsBelow(x) {
			base, _, _ = w.below(x)
		}
		w.linef("frame[%d] = int(uintptr(unsafe.Pointer(%s))) + %s // %s", s.FrameAt(k), base, times(at, fmt.Sprint(size)), w.streamNote(x))
	}
	for k, i := range s.Indices {
		w.linef("frame[%d] = %s", s.FrameIndex(k), w.index(i.Loop))
	}
	w.paramWords()
	w.reduceWords()
	if s.Scheme == vector.Wavefront {
		w.groups(rows)
	} else {
		w.linef("frame[%d] = %s", vector.FrameRows, rows)
		if w.downwards() && along == last-2 {
			w.linef("if tile.ahead != nil {")
			w.linef("tile.ahead.Step()")
			w.linef("}")
		}
		w.call("whole", "1")
	}
	for x := 1; x < last-1; x++ {
		w.linef("}")
	}
}

// reduceWords prints the words of reductions that are neither exact sums nor have places.
func (w *vectorWriter) reduceWords() {
	for k, r := range w.n.Reduces() {
		if !exact(r) && !r.Place && len(w.n.Places(k)) == 0 {
			w.linef("frame[%d] = int(uintptr(unsafe.Pointer(tile.%s)))", w.s.FrameReduced(k), w.reduces[k])
		}
	}
}

// paramWords prints the words of parameters.
func (w *vectorWriter) paramWords() {
	s := w.s
	outer := &emitter{p: &w.printer, r: w.outerRefs()}
	for k, use := range s.Params {
		value := "tile." + w.floats[floatUse{use.Param, use.Type}]
		switch {
		case use.Float && s.OuterValue(use.Param) != nil:
			value = outer.expr(s.OuterValue(use.Param))
		case use.Part != "":
			value = fmt.Sprintf("%s(kernel.TableNumber(tile.%s, %d, %q))", use.Type, w.tableName(use.Param), use.Dim, use.Part)
		case !use.Float:
			value = fmt.Sprintf("%s(tile.%s)", use.Type, w.params[use.Param])
		}
		w.linef("*(*%s)(unsafe.Pointer(&frame[%d])) = %s", use.Type, s.FrameParam(k), value)
	}
}

// severalRows reports whether a box may have several rows: those of a level, or levels of one row each if the
// block is entire arrays.
func (w *vectorWriter) severalRows() bool {
	return w.s.Last() > 1 || w.inArrays() && len(w.s.Outer) == 0
}

// outerRefs are the names of what values of outer loops depend on, at the first iteration of a call.
func (w *vectorWriter) outerRefs() *refs {
	r := w.refs(w.scope())
	param, float := r.param, r.float
	r.iter = w.index
	r.param = func(k int) string { return "tile." + param(k) }
	r.float = func(e *ir.FloatRef) string { return "tile." + float(e) }
	return r
}

// groups prints the calls for the rows of a plane: groups of interleaved vectors of rows, then
// single vectors. Rows that do not fill a vector are computed together with some of the rows
// before them. The latter get the same bits again, because their operands, in other levels, in
// rows above or in given arrays, are still there. A box with fewer rows than lanes needs masks for
// idle lanes. The portable kernel computes single rows, and boxes that would leave most lanes idle.
// (The cost model prices these tails: see lanes in package cost.)
func (w *vectorWriter) groups(rows string) {
	last := w.s.Last()
	w.linef("rows := %s", rows)
	w.linef("rest := rows %% tile.rows")
	w.linef("few := rest %% tile.lanes")
	w.linef("if few > 1 && (rows >= tile.lanes || 2*few >= tile.lanes && few > 2) {")
	w.linef("few = 0")
	w.linef("}")
	w.linef("if rows > rest {")
	w.linef("frame[%d] = rows - rest", vector.FrameRows)
	w.call("whole", "tile.rows")
	w.linef("}")
	w.linef("if left := rest - few; left > 0 {")
	if !w.sums() {
		w.again()
	}
	w.linef("frame[%d] = left", vector.FrameRows)
	w.call("rest", "tile.lanes")
	w.linef("}")
	w.linef("if few > 0 {")
	w.linef("// Too few for vectors.")
	w.linef("first, most := tile.first[:], tile.most[:]")
	w.linef("copy(first, lo)")
	w.linef("copy(most, hi)")
	for x := 1; x < last-1; x++ {
		w.linef("first[%d], most[%d] = p%d, p%d", x, x, x, x)
	}
	w.linef("first[%d] = hi[%d] - few + 1", last-1, last-1)
	w.linef("tile.%s.Box(first, most)", w.typeKernel)
	w.linef("}")
}

// call prints a call of the function in a field of the kernel, for the rows of the frame. The function computes so many rows together.
func (w *vectorWriter) call(field, together string) {
	if w.exactSums() {
		w.linef("tile.exact.Call(tile.%s, frame[:], %s, %d, %d)", field, together, w.s.Skew(), w.s.Before())
	} else if w.hasPlaces() {
		w.linef("tile.places.Call(tile.%s, frame[:])", field)
	} else {
		w.linef("tile.%s(&frame[0])", field)
	}
	w.checkWrong()
}

// again prints the code that computes some rows again, if rows are left that do not fill a vector. Sums count each row once.
func (w *vectorWriter) again() {
	s := w.s
	w.linef("if again := (tile.lanes - left%%tile.lanes) %% tile.lanes; left+again <= rows {")
	w.linef("// Rows that are computed already fill the lanes.")
	w.linef("for k := %d; k < %d; k++ {", s.FrameAt(0), s.FrameStep(0))
	w.linef("frame[k] -= again * frame[k+%d]", s.FrameStep(0)-s.FrameAt(0))
	w.linef("}")
	for k, i := range s.Indices {
		if i.ByRow != 0 {
			w.linef("frame[%d] -= %s", s.FrameIndex(k), times("again", fmt.Sprint(i.ByRow)))
		}
	}
	w.linef("left += again")
	w.linef("}")
}

// cells returns the field of the kernel with the cells of a stream.
func (w *vectorWriter) cells(x *vector.Stream) string {
	switch x.Memory {
	case vector.Live:
		return w.values[x.Value]
	case vector.Given:
		return w.givenName(x.Array)
	}
	return w.resultName(x.Array)
}

func (w *vectorWriter) streamNote(x *vector.Stream) string {
	switch x.Memory {
	case vector.Live:
		return fmt.Sprintf("%s, %v before", w.generator.arrays[w.plan.Values[x.Value].Array], x.Dist)
	case vector.Given:
		return w.n.Arrays[x.Array].Name + ", as given"
	}
	return w.n.Arrays[x.Array].Name + ", given back"
}

// stream returns two Go expressions: the position of a stream's cell at the first iteration of the
// box, and the number of cells from a row to the next.
func (w *vectorWriter) stream(x *vector.Stream) (at, step string) {
	last := w.s.Last()
	if x.Memory == vector.Live {
		row, strides := w.levelRow(x), []string{"0"}
		for k := 1; k < last; k++ {
			strides = append(strides, fmt.Sprintf("stride%d", k))
		}
		if w.readsBelow(x) {
			_, row, strides = w.below(x)
		}
		parts := []string{row}
		for k := 1; k < last; k++ {
			parts = append(parts, times(sum(term{1, w.position(k)}, term{-x.Dist[k], ""}), strides[k]))
		}
		parts = append(parts, sum(term{1, fmt.Sprintf("lo[%d]", last)}, term{-x.Dist[last], ""}))
		if last == 1 && w.inArrays() {
			strides[0] = "block.LevelStep"
		}
		return plus(parts...), strides[w.along]
	}
	name := "tile." + w.cells(x)
	parts, steps := []string{name + "Origin"}, []string{}
	row := len(x.Subs) - 1
	if x.Memory == vector.Given {
		row = w.rowDim(x.Array)
	}
	for m, sub := range x.Subs {
		stride := viewStride(name, m, row)
		parts = append(parts, times(w.inward(x, m), stride))
		c := w.s.Coefficient(sub, w.along)
		if w.along == 0 {
			c += w.slope() * w.s.Coefficient(sub, last)
		}
		if w.severalRows() && c != 0 {
			steps = append(steps, times(fmt.Sprint(c), stride))
		}
	}
	return plus(parts...), plus(steps...)
}

// stride is the number of bytes from a cell of a strided stream to the next.
func (w *vectorWriter) stride(x *vector.Stream) string {
	var parts []string
	for m, sub := range x.Subs {
		if c := w.s.Coefficient(sub, w.s.Last()); c != 0 {
			parts = append(parts, times(fmt.Sprint(c), viewStride("tile."+w.cells(x), m, w.rowDim(x.Array))))
		}
	}
	return times(plus(parts...), fmt.Sprint(x.Elem.Size()))
}

// readsBelow reports whether a live stream reads a level that may be a given array.
func (w *vectorWriter) readsBelow(x *vector.Stream) bool {
	return x.Memory == vector.Live && w.levelsBefore(x) > 0 && w.begins() != nil
}

// levelRow is the variable with the position of row 0 of the level that a live stream reads.
func (w *vectorWriter) levelRow(x *vector.Stream) string {
	return fmt.Sprintf("row%dAt%d", x.Value, w.levelsBefore(x))
}

// levelsBefore is the number of levels between a box and the level that a live stream reads.
func (w *vectorWriter) levelsBefore(x *vector.Stream) int {
	if w.plan.Values[x.Value].Levels() == 1 {
		return 0
	}
	return x.Dist[0]
}

// levelRows prints the variables of levelRow.
func (w *vectorWriter) levelRows() {
	done := map[string]bool{}
	for k := range w.s.Streams {
		if x := &w.s.Streams[k]; x.Memory == vector.Live && !w.readsBelow(x) && !done[w.levelRow(x)] {
			done[w.levelRow(x)] = true
			w.linef("%s := block.Row0(%d, %s)", w.levelRow(x), x.Value, sum(term{1, "lo[0]"}, term{-w.levelsBefore(x), ""}))
		}
	}
}

// subscript returns a subscript at the first iteration of the box.
func (w *vectorWriter) subscript(a ir.Affine) string {
	var terms []term
	for x := range w.plan.Dims {
		terms = append(terms, term{w.s.Coefficient(a, x), w.position(x)})
	}
	for k, c := range a.Params {
		terms = append(terms, term{c, "tile." + w.params[k]})
	}
	return sum(append(terms, term{a.Const, ""})...)
}

// index returns the value of a loop at the first iteration of the box.
func (w *vectorWriter) index(loop int) string {
	unit := make([]int, loop+1)
	unit[loop] = 1
	return w.subscript(ir.Affine{Iters: unit})
}
