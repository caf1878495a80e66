package frontend

import (
	"fmt"
	"go/constant"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// An init says what cells have before a nest writes them. If it makes no difference, a read that was to be of an
// earlier iteration is probably missing.

// idleInits warns of internal arrays that one nest writes and whose init makes no difference: no
// read sees its value, or the value is 0 and the only statement of the nest that sees it adds to
// it, also if a slice of the array is given back, which has one place in a dimension. repeated says whether a nest is in a repeat.
func idleInits(arrays []ir.Array, nests []*ir.Nest, repeated func(nest int) bool) (out []diag.Diagnostic) {
	for a := range arrays {
		arr := &arrays[a]
		if arr.Init == nil || arr.Returned() && fixedOut(arr) < 0 || arr.Boundary != nil {
			continue
		}
		writer, writers, readers := -1, 0, 0
		for k, n := range nests {
			list := n.Assigns(a)
			own := len(list) > 0 && n.Body[list[0]].(*ir.Assign).Span != arr.Init.Span
			if own {
				writer, writers = k, writers+1
			} else if firstRead(nests[k:k+1], a) != nil {
				readers++
			}
		}
		if writers != 1 || nests[writer].Analysis == nil || spanText(nests[writer].Source, arr.Span) != arr.Name {
			continue
		}
		initial, read := initialReads(nests[writer], a)
		switch {
		case read && len(initial) == 0 && readers == 0 && !arr.Returned():
			out = append(out, diag.Diagnostic{
				Severity: diag.Warning, Code: diag.NoResult, At: arr.Init.Span,
				Message: fmt.Sprintf("nothing reads a cell of %s before the nest writes it: its init has no effect", arr.Name),
				Hint:    fmt.Sprintf("a read of %s in place of one of another array, if an iteration needs what an earlier one has; else no init", arr.Name), Kind: diag.Advice,
			})
		case !repeated(writer):
			if d := addedOnce(nests[writer], arr, a, initial); d != nil {
				out = append(out, *d)
			}
		}
	}
	return out
}

// fixedOut is the first dimension in which the slice of an array that is given back has one place; -1 if there is none.
func fixedOut(arr *ir.Array) int {
	return slices.IndexFunc(arr.Out, func(at *ir.Affine) bool { return at != nil })
}

// initialReads are the reads of an array that may see what its cells have before the nest, and whether there are
// any reads of it.
func initialReads(n *ir.Nest, array int) (initial []int, read bool) {
	for id, r := range n.Reads {
		if r.Array != array {
			continue
		}
		read = true
		if n.Analysis.Reads[id].Initial {
			initial = append(initial, id)
		}
	}
	return initial, read
}

// addedOnce warns of the only statement that writes an array, if it adds to the cell that it writes
// and always finds there the 0 of the init. initial are the reads that see the init.
func addedOnce(n *ir.Nest, arr *ir.Array, array int, initial []int) *diag.Diagnostic {
	loops := len(n.Loops)
	list := n.Assigns(array)
	zero, known := arr.Init.Expr.(*ir.Lit)
	if len(list) != 1 || len(initial) != 1 || !known || constant.Sign(zero.Value) != 0 || n.ReadStmt[initial[0]] != list[0] || len(n.Analysis.Reads[initial[0]].Sources) > 0 {
		return nil
	}
	w, r := n.Body[list[0]].(*ir.Assign), n.Reads[initial[0]]
	sum, isSum := w.Expr.(*ir.Binary)
	added, all := writtenAt(n, array)
	if !isSum || sum.Op != ir.Add || sum.X != ir.Expr(r) || len(added) != loops || numbers(added) > 0 {
		return nil
	}
	cell := spanText(n.Source, w.Span)
	along := loops - 1
	if d := fixedOut(arr); d >= 0 {
		along = added[d]
	}
	var before []string
	for k, loop := range added {
		sub := n.Loops[loop].Name
		if loop == along {
			sub += map[bool]string{true: "+1", false: "-1"}[n.Loops[loop].Backward]
		}
		if all[k] != 0 {
			return nil
		}
		before = append(before, sub)
	}
	return &diag.Diagnostic{
		Severity: diag.Warning, Code: diag.NoResult, At: w.Span,
		Message: fmt.Sprintf("%s is written once: what is added is added to the 0 of its init, and no iteration reads what another one has", cell),
		Hint:    fmt.Sprintf("%s = %s[%s] + ..., if a running sum is meant", cell, arr.Name, strings.Join(before, ",")), Kind: diag.Advice,
	}
}

// ownContent reports whether an init gives every cell its own content: it reads an array with all indices.
func ownContent(init *ir.Init) bool {
	own := false
	ir.Walk(init.Expr, func(e ir.Expr) {
		if r, ok := e.(*ir.Read); ok {
			used := map[int]bool{}
			for _, sub := range r.Subs {
				for k, x := range sub.Iters {
					if x != 0 {
						used[k] = true
					}
				}
			}
			own = own || len(used) == len(init.Names)
		}
	})
	return own
}
