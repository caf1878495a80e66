package codegen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// leastRow is the least number of iterations of a row for which a vector kernel is called: a call costs as much as
// about so many iterations in Go.
const leastRow = 24

// A rowCall is how the sequential reference calls a vector kernel for a row: it writes addresses of cells into a frame.
type rowCall struct {
	row, frame string // variables: the kernel's function, and the frame
	fields     string // the nest's kernel.Fields: its loops report wrong subscripts
}

// alongRows returns the vector kernel that computes rows of entire arrays with lanes along them; nil if there is none.
func (g *generator) alongRows() *vector.Shape {
	switch s := g.front.shape; {
	case s != nil && s.Rows() && g.front.of == nil:
		return s
	case !g.inArrays() || g.rotating != nil || g.splits():
		return nil
	}
	return g.vector.shape
}

// callsRows reports whether loops in Go may call a vector kernel for single rows of entire arrays. The rows of the kernel must be
// those of the innermost loop.
func (g *generator) callsRows() bool {
	if !g.callable() || g.alongRows().Rows() {
		return g.callable()
	}
	for x, row := range g.l.Skew {
		for k, c := range row {
			if c != 0 && c != 1 || (c == 1) != (x == k) {
				return false
			}
		}
	}
	return true
}

// callable reports whether loops in Go may call a vector kernel that computes rows of entire arrays. The kernel must need nothing
// but addresses, indices, parameters and tables, and the loops in Go must report the wrong subscripts that it finds.
func (g *generator) callable() bool {
	s := g.alongRows()
	if s == nil || s.Words() > vector.MostRowWords || len(g.n.Reduces()) > 0 || len(s.Outer) > 0 {
		return false
	}
	ordered := func(a int) bool { return g.plan.Arrays[a].RowDim != 0 }
	if at, again := s.LooksUp(); at != "" && !again || slices.ContainsFunc(s.Tables(), ordered) {
		return false
	}
	if _, held := g.small(); !held {
		return false
	}
	if s.Rows() {
		return len(g.front.strips) == 0 // the rows of arrays with strips lie elsewhere in a front than in loops in Go
	}
	for _, x := range s.Streams {
		if x.Memory == vector.Given && g.plan.Arrays[x.Array].RowDim != 0 {
			return false
		}
	}
	return !slices.ContainsFunc(g.n.Reads, g.beyond)
}

// callRow prints the call of a vector kernel for the row between the bounds of the innermost loop.
func (w *seqWriter) callRow() {
	last := len(w.n.Loops) - 1
	count := w.s.name("count")
	w.linef("if %s := %s - %s + 1; %s >= %d && %s != nil%s {", count, w.in.to, w.in.from, count, leastRow, w.call.row, w.inLanes(func(k int) (lo, hi string) {
		if k == last {
			return w.in.from, w.in.to
		}
		return w.generator.loops[k], w.generator.loops[k]
	}))
	loops := slices.Clone(w.generator.loops)
	loops[last] = w.first(last)
	w.frameOf(loops, last, -1)
	w.linef("%s[%d], %s[%d] = 1, %s", w.call.frame, vector.FrameRows, w.call.frame, vector.FrameWidth, count)
	w.linef("%s(&%s[0])", w.call.row, w.call.frame)
	if s := w.alongRows(); s.Checks() {
		w.linef("if [%d]int(%s[%d:]) != [%d]int{} { // a wrong subscript, which the loops report", vector.WrongWords, w.call.frame, s.FrameWrong(), vector.WrongWords)
		w.linef("if err := %s(params, %s); err != nil {\nreturn err\n}", w.funcSeq, w.call.fields)
		w.linef("}")
	}
	fmt.Fprint(&w.buf, "} else ")
}

// inLanes returns the condition that lanes can hold the indices of a call, as text to append to another condition. bounds returns
// the first and the last value of a loop.
func (g *generator) inLanes(bounds func(loop int) (lo, hi string)) (and string) {
	for _, i := range g.alongRows().Indices {
		lo, hi := bounds(i.Loop)
		if test := fmt.Sprintf(" && kernel.InLanes(%s, %s)", lo, hi); !strings.Contains(and, test) {
			and += test
		}
	}
	return and
}

// frameOf prints the words of a frame for streams, indices and parameters. The first iteration has these loops, rows lie along loop
// inner, and follow one another along loop outer; -1: there is one row.
func (w *seqWriter) frameOf(loops []string, inner, outer int) {
	s := w.alongRows()
	for k := range s.Streams {
		x := &s.Streams[k]
		array, subs := w.streamCells(x)
		st, first := w.arrays[array], slices.Clone(subs)
		for m := range first {
			first[m] = atNumbers(first[m], loops)
		}
		bytes := func(loop int) string { // from an iteration to the next
			var parts []string
			for m, sub := range subs {
				parts = append(parts, times(fmt.Sprint(w.n.Loops[loop].Step()*sub.Iter(loop)), st.stride(m)))
			}
			return times(plus(parts...), fmt.Sprint(x.Elem.Size()))
		}
		w.linef("%s[%d] = kernel.Address(%s, %s)", w.call.frame, s.FrameAt(k), st.name, w.placed(st, first, loops))
		if outer >= 0 {
			w.linef("%s[%d] = %s", w.call.frame, s.FrameStep(k), bytes(outer))
		}
		if x.Along == vector.Strided {
			w.linef("%s[%d] = %s", w.call.frame, s.FrameStride(k), bytes(inner))
		}
	}
	for k, i := range s.Indices {
		w.linef("%s[%d] = %s", w.call.frame, s.FrameIndex(k), loops[i.Loop])
	}
	for k, use := range s.Params {
		value := w.floats[floatUse{use.Param, use.Type}]
		switch {
		case use.Part == kernel.TableCells:
			value = fmt.Sprintf("%s(kernel.Address(%s, 0))", use.Type, w.arrays[use.Param].name)
		case use.Part != "":
			value = fmt.Sprintf("%s(kernel.TableNumber(fields.Given[%d], %d, %q))", use.Type, use.Param, use.Dim, use.Part)
		case !use.Float:
			value = fmt.Sprintf("%s(%s)", use.Type, w.params[use.Param])
		}
		w.linef("%s[%d] = kernel.Bits(%s)", w.call.frame, s.FrameParam(k), value)
	}
}

// atNumbers returns a with the values of those loops whose given values are numbers.
func atNumbers(a ir.Affine, loops []string) ir.Affine {
	a.Iters = slices.Clone(a.Iters)
	for k, c := range a.Iters {
		if n, err := strconv.Atoi(loops[k]); err == nil {
			a.Const, a.Iters[k] = a.Const+c*n, 0
		}
	}
	return a
}

// streamCells returns the array of a stream of the kernel for rows, and the subscripts of its cell at an iteration.
func (w *seqWriter) streamCells(x *vector.Stream) (array int, subs []ir.Affine) {
	if x.Memory != vector.Live || w.alongRows().Rows() {
		return x.Array, x.Subs
	}
	return w.liveCells(x)
}

// liveCells does what streamCells does, for a stream of results of the kernel for tiles.
func (g *generator) liveCells(x *vector.Stream) (array int, subs []ir.Affine) {
	by := g.n.Body[g.l.Values[x.Value]].(*ir.Assign)
	subs = slices.Clone(by.Subs)
	for m := range subs {
		for i := range g.n.Loops {
			for y, c := range g.l.Unskew[i+g.shift] {
				subs[m].Const -= subs[m].Iter(i) * c * x.Dist[y]
			}
		}
	}
	return by.Array, subs
}
