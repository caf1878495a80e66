package vector

import (
	"slices"

	"loopc/ir"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// AnalyzeInitial returns the kernel that computes the initial content of rows of array a; or nil, and why there is
// none. The kernel is that of a nest over the cells of the array, whose only statement is the init.
func AnalyzeInitial(n *ir.Nest, a int) (_ *Shape, why Refusal) {
	defer refusal(&why)
	arr := &n.Arrays[a]
	own := *n
	own.Loops, own.Reads, own.ReadStmt, own.Analysis = nil, nil, nil, nil
	w := &ir.Assign{Array: a, Span: arr.Init.Span, Line: arr.Init.Span.Line}
	for k, name := range arr.Init.Names {
		own.Loops = append(own.Loops, ir.Loop{Name: name})
		sub := ir.Affine{Iters: make([]int, len(arr.Lo))}
		sub.Iters[k] = 1
		w.Subs = append(w.Subs, sub)
	}
	w.Expr = ir.MapReads(arr.Init.Expr, func(r *ir.Read) ir.Expr {
		x := *r
		x.ID = len(own.Reads)
		own.Reads, own.ReadStmt = append(own.Reads, &x), append(own.ReadStmt, 0)
		return &x
	})
	own.Body = []ir.Stmt{w}

	dims := max(2, len(arr.Lo))
	l := &ir.Lowered{Levelled: true, Values: []int{0}, Dead: []bool{true}, Reads: make([]ir.ReadFrom, len(own.Reads))}
	for k := range l.Reads {
		l.Reads[k].From = ir.FromInitial
	}
	for x := range dims {
		row := make([]int, dims)
		row[x] = 1
		l.Skew = append(l.Skew, row)
	}
	l.Unskew = l.Skew
	p := &plan.Nest{Dims: make([]string, dims), Skew: l.Skew, Arrays: make([]plan.Array, len(n.Arrays)), Values: []plan.Value{{Array: a, Direct: true}}}
	s := analyze(&own, l, p, []bool{true}) // not a named result, which a refusal would leave set
	integer := func(use ParamUse) bool { return !use.Float || use.Part != kernel.TablePart("") }
	if len(s.Indices)+len(s.Outer)+len(s.Small) > 0 || s.Checks() || slices.ContainsFunc(s.Params, integer) {
		refuse("an init of indices, integer parameters or tables")
	}
	if slices.ContainsFunc(s.Streams, func(x Stream) bool { return x.Along != 0 && x.Along != 1 }) {
		refuse("an init across rows")
	}
	return s, Refusal{}
}
