package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/transform/plan"
)

// A givenLevel says where the initial content of a value lies in the given array that it is
// copied from: the kernel can read a level below all iterations there.
type givenLevel struct {
	name    string   // of the given array
	cells   string   // the field of the kernel
	at      string   // the position of location 0 of the level that is some levels below the box
	strides []string // per dimension of the plan, except the first and the last
}

// begins returns, by value, the place in given arrays where the kernel reads the levels below all
// iterations. It is nil if a level has no such place. Results are the same as without it, because
// exterior cells contain their initial content.
func (w *vectorWriter) begins() map[int]givenLevel {
	p := w.plan
	if !p.Whole || w.s.Scheme != vector.Contiguous || len(w.s.Indices) > 0 || w.s.Last() < 2 {
		return nil
	}
	if slices.ContainsFunc(w.n.Reads, w.beyond) {
		return nil // there is memory beyond the cells of a block, but not beyond those of a given array
	}
	out := map[int]givenLevel{}
	for v := range p.Values {
		if len(p.Values[v].Need) == 0 {
			continue
		}
		g, ok := w.givenLevel(v, 1)
		if !ok {
			return nil
		}
		out[v] = g
	}
	for k := range w.s.Streams {
		if x := &w.s.Streams[k]; x.Memory == vector.Live && w.levelsBefore(x) > 0 {
			if _, ok := out[x.Value]; !ok {
				return nil
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// givenLevel returns where value v finds its initial content, if that is in a given array, in the
// level that is the given number of levels below the box.
func (w *vectorWriter) givenLevel(v, below int) (g givenLevel, ok bool) {
	val := &w.plan.Values[v]
	arr := &w.n.Arrays[val.Array]
	if arr.Init == nil || !w.copiesRow(val.Array) {
		return g, false
	}
	read := arr.Init.Expr.(*ir.Read)
	if w.n.Arrays[read.Array].Role != ir.In {
		return g, false
	}
	last := w.s.Last()
	g.name, g.cells = w.n.Arrays[read.Array].Name, "tile."+w.givenName(read.Array)
	parts := []string{g.cells + "Origin"}
	along := make([][]string, last)
	for m, sub := range read.Subs {
		stride := "1"
		if m < len(read.Subs)-1 {
			stride = "tile." + strideName(w.givenName(read.Array), m)
		}
		index := plan.Affine{Const: sub.Const, Params: sub.Params, Iters: sub.Iters}.Of(val.Cell)
		if c := coefficient(index.Iters, last); c != b2i(m == len(read.Subs)-1) {
			return g, false
		}
		terms := []term{{coefficient(index.Iters, 0), "lo[0]"}, {index.Const - below*coefficient(index.Iters, 0), ""}}
		for k, c := range index.Params {
			terms = append(terms, term{c, "tile." + w.params[k]})
		}
		parts = append(parts, times(sum(terms...), stride))
		for x := 1; x < last; x++ {
			if c := coefficient(index.Iters, x); c != 0 {
				along[x] = append(along[x], times(fmt.Sprint(c), stride))
			}
		}
	}
	g.at = plus(parts...)
	for x := 1; x < last; x++ {
		g.strides = append(g.strides, plus(along[x]...))
	}
	return g, true
}

func coefficient(of []int, x int) int {
	if x < len(of) {
		return of[x]
	}
	return 0
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// below returns, of the level that a live stream reads below the box: the name of its cells, the
// position of location 0 in these cells, and the strides per dimension of the plan.
func (w *vectorWriter) below(x *vector.Stream) (cells, at string, strides []string) {
	name := fmt.Sprintf("below%dAt%d", x.Value, w.levelsBefore(x))
	strides = []string{""}
	for x := 1; x < w.s.Last(); x++ {
		strides = append(strides, fmt.Sprintf("%sStride%d", name, x))
	}
	return name, name + "Row", strides
}

// belowRows prints the variables of below.
func (w *vectorWriter) belowRows() {
	begins := w.begins()
	done := map[string]bool{}
	for k := range w.s.Streams {
		x := &w.s.Streams[k]
		if _, ok := begins[x.Value]; !ok || !w.readsBelow(x) {
			continue
		}
		cells, at, strides := w.below(x)
		if done[cells] {
			continue
		}
		done[cells] = true
		levels := w.levelsBefore(x)
		g, _ := w.givenLevel(x.Value, levels)
		own := []string{}
		for k := 1; k < w.s.Last(); k++ {
			own = append(own, fmt.Sprintf("stride%d", k))
		}
		w.linef("%s, %s := unsafe.SliceData(tile.%s), block.Row0(%d, lo[0]-%d)", cells, at, w.cells(x), x.Value, levels)
		w.linef("%s := %s", strings.Join(strides[1:], ", "), strings.Join(own, ", "))
		w.linef("if tile.begins && lo[0]-%d < tile.first {", levels)
		w.linef("// This level is %s, as given.", g.name)
		w.linef("%s, %s = unsafe.SliceData(%s), %s", cells, at, g.cells, g.at)
		w.linef("%s = %s", strings.Join(strides[1:], ", "), strings.Join(g.strides, ", "))
		w.linef("}")
	}
}

// beginMethod prints Begin, which tells the kernel the first level.
func (w *vectorWriter) beginMethod() {
	begins := w.begins()
	if begins == nil {
		return
	}
	var there []string
	for v := range w.plan.Values {
		if g, ok := begins[v]; ok {
			there = append(there, g.cells+" != nil")
		}
	}
	w.linef("// begin is Kernel.Begin: see package kernel.")
	w.linef("func (tile *%s) begin(level int) bool {", w.typeVector())
	w.linef("tile.first, tile.begins = level, %s", strings.Join(there, " && "))
	w.linef("return tile.begins")
	w.linef("}")
	w.blank()
}
