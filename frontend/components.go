package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Components are the parts of an array that a number in a subscript keeps apart, such as x[0,i] and x[1,i].

// plainNumber reports whether a subscript is the same number in all iterations and runs.
func plainNumber(sub ir.Affine) bool {
	return !sub.HasIters() && !slices.ContainsFunc(sub.Params, func(x int) bool { return x != 0 })
}

// numbers is how many of the loops of writtenAt stand for a number.
func numbers(loops []int) (count int) {
	for _, l := range loops {
		if l < 0 {
			count++
		}
	}
	return count
}

// inComponents returns a view of a nest, for warnings of what its reads get: each component of an array is an array of its own. The
// view has the statements and the reads of the nest, with the components in place of the arrays, but values of statements are as they were.
func inComponents(n *ir.Nest) *ir.Nest {
	view := *n
	view.Arrays, view.Body, view.Reads = slices.Clone(n.Arrays), slices.Clone(n.Body), slices.Clone(n.Reads)
	for a := range n.Arrays {
		dims := numbered(n, a)
		if dims == nil {
			continue
		}
		known := map[string]int{}
		part := func(subs []ir.Affine) int {
			var at []int
			for _, d := range dims {
				at = append(at, subs[d].Const)
			}
			key := fmt.Sprint(at)
			k, ok := known[key]
			if !ok {
				if k = a; len(known) > 0 {
					k, view.Arrays = len(view.Arrays), append(view.Arrays, n.Arrays[a])
				}
				known[key] = k
			}
			return k
		}
		for _, k := range n.Assigns(a) {
			w := *n.Body[k].(*ir.Assign)
			w.Array = part(w.Subs)
			view.Body[k] = &w
		}
		for id, r := range n.Reads {
			if r.Array == a {
				x := *r
				x.Array = part(r.Subs)
				view.Reads[id] = &x
			}
		}
	}
	return &view
}

// numbered are the dimensions in which every access of a nest to an array has a number for its subscript.
func numbered(n *ir.Nest, array int) (dims []int) {
	for d := range n.Arrays[array].Lo {
		of := func(subs []ir.Affine) bool { return !plainNumber(subs[d]) }
		if !slices.ContainsFunc(n.Assigns(array), func(k int) bool { return of(n.Body[k].(*ir.Assign).Subs) }) &&
			!slices.ContainsFunc(n.Reads, func(r *ir.Read) bool { return r.Array == array && of(r.Subs) }) {
			dims = append(dims, d)
		}
	}
	return dims
}

// firstCells is a loop before whose first iteration an array has cells in the dimension with this loop in its subscript; -1 if there
// is none. loops and added are those of writtenAt.
func firstCells(arr *ir.Array, n *ir.Nest, loops, added []int) int {
	first := n.Depth()
	for d, l := range loops {
		if l < 0 || len(n.Loops[l].Lo) != 1 || len(n.Loops[l].Hi) != 1 {
			continue
		}
		room := n.Loops[l].Lo[0].PlusTimes(-1, arr.Lo[d])
		if room.Const += added[d]; n.Loops[l].Backward {
			room = arr.Hi[d].PlusTimes(-1, n.Loops[l].Hi[0])
			room.Const -= added[d]
		}
		if plainNumber(room) && room.Const > 0 {
			first = min(first, l)
		}
	}
	if first == n.Depth() {
		return -1
	}
	return first
}

// alikeAlong reports whether the init of an array gives all cells the same value along a loop, and reads of the array go back along
// this loop. loops and added are those of writtenAt.
func alikeAlong(n *ir.Nest, array int, loops, added []int) bool {
	for id, r := range n.Reads {
		if r.Array == array && len(n.Analysis.Reads[id].Sources) > 0 {
			k := slices.IndexFunc(aheadOf(n, r, loops, added), func(x int) bool { return x != 0 })
			if k >= 0 && steady(n.Arrays[array].Init, slices.Index(loops, k)) {
				return true
			}
		}
	}
	return false
}

// steady reports whether an init gives all cells along a dimension the same value, or one of two that do not depend on it, as for the
// first cell and all others.
func steady(init *ir.Init, d int) bool {
	parts := []ir.Expr{init.Expr}
	if s, ok := init.Expr.(*ir.Select); ok {
		parts = []ir.Expr{s.A, s.B}
	}
	return !slices.ContainsFunc(parts, func(x ir.Expr) bool { return !slices.Contains((&ir.Init{Names: init.Names, Expr: x}).Ignored(), d) })
}

// readSubscript is the subscript of dimension d of a read of a number, as the source has it: the variable of a loop that is written
// out, too. It is the number if the source has no such read.
func readSubscript(n *ir.Nest, r *ir.Read, d int) string {
	return subscriptAt(n, r.At, d, fmt.Sprint(r.Subs[d].Const))
}

// subscriptAt is the subscript of dimension d of the cell at a place of the source, or what is told otherwise if no cell is there.
func subscriptAt(n *ir.Nest, at diag.Span, d int, otherwise string) string {
	tokens, _ := scan([]byte(spanText(n.Source, at)))
	if list := subscriptsBehind(tokens); d < len(list) {
		return strings.ReplaceAll(textOf(list[d]), " ", "")
	}
	return otherwise
}

// writtenOut reports whether a loop is written out that is in a subscript of a read. loops are those of writtenAt.
func writtenOut(n *ir.Nest, r *ir.Read, loops []int) bool {
	for d, l := range loops {
		if l < 0 && readSubscript(n, r, d) != fmt.Sprint(r.Subs[d].Const) {
			return true
		}
	}
	return false
}
