package frontend

import (
	"fmt"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// earlyCopy does what earlyRead does for an array that several statements write, each its own cells of every iteration: such
// as those of a small loop that is written out. It warns if all reads of the array look ahead along a loop.
func earlyCopy(n *ir.Nest, id int) *diag.Diagnostic {
	r := n.Reads[id]
	arr := &n.Arrays[r.Array]
	if arr.Init == nil || arr.Role == ir.InOut || n.Analysis == nil || len(n.Analysis.Reads[id].Sources) > 0 || !n.Analysis.Reads[id].Initial ||
		len(n.Assigns(r.Array)) < 2 || ownContent(arr.Init) || !readsBefore(n, r.Array) {
		return nil
	}
	ahead, dims := aheadOfCopy(n, r)
	inner := slices.IndexFunc(ahead, func(x int) bool { return x != 0 })
	if inner < 0 || ahead[inner] < 0 || !slices.Contains(arr.Init.Ignored(), dims[inner]) {
		return nil
	}
	for _, x := range n.Reads {
		if x.Array != r.Array {
			continue
		}
		if other, _ := aheadOfCopy(n, x); other == nil || other[inner] < 0 {
			return nil
		}
	}
	return &diag.Diagnostic{
		Severity: diag.Warning, Code: diag.NotSupplied, At: r.At,
		Message: spanText(n.Source, r.At) + " is read before it is written, and then never again: it is always what init gives",
		Hint:    fmt.Sprintf("loop %s in the other direction, if the cell is to have its new value", n.Loops[inner].Name), Kind: diag.Advice,
	}
}

// aheadOfCopy does what aheadOf does, for the only statement that may write the cell of r. dims are, by loop, the dimensions with the
// loop in the subscript. It returns nil if there is no such statement, or several, or if a loop is in none of its subscripts.
func aheadOfCopy(n *ir.Nest, r *ir.Read) (ahead, dims []int) {
	for _, k := range n.Assigns(r.Array) {
		by, at := aheadOfWrite(n, n.Body[k].(*ir.Assign).Subs, r.Subs)
		if by == nil {
			continue
		}
		if ahead != nil {
			return nil, nil
		}
		ahead, dims = by, at
	}
	return ahead, dims
}

// aheadOfWrite does what aheadOfCopy does, for one write. It returns nil if the write does not write the cell of the read.
func aheadOfWrite(n *ir.Nest, write, read []ir.Affine) (ahead, dims []int) {
	ahead, dims = make([]int, n.Depth()), slices.Repeat([]int{-1}, n.Depth())
	for d, w := range write {
		diff := read[d].PlusTimes(-1, w)
		if diff.HasIters() || slices.ContainsFunc(diff.Params, func(x int) bool { return x != 0 }) || !w.HasIters() && diff.Const != 0 {
			return nil, nil
		}
		if l := len(w.Iters) - 1; w.HasIters() {
			if w.Iters[l] != 1 || slices.ContainsFunc(w.Iters[:l], func(x int) bool { return x != 0 }) {
				return nil, nil
			}
			ahead[l], dims[l] = diff.Const*n.Loops[l].Step(), d
		}
	}
	if slices.Contains(dims, -1) {
		return nil, nil
	}
	return ahead, dims
}
