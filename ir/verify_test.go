package ir

import (
	"go/constant"
	"strings"
	"testing"
)

// sample is
//
//	param N
//	array A[0..N] float64 out
//	array b[0..N] int32 in
//	init A[k] = b[k]
//	for i = 1..N, j = i..N {
//		let s float64 = sqrt(2)
//		A[i] = select(A[i-1] < s, b[j], 1)
//	}
func sample() *Nest {
	n := &Nest{
		Params: []Param{{Name: "N"}},
		Arrays: []Array{
			{Name: "A", Elem: Float64, Role: Out, Lo: []Affine{{}}, Hi: []Affine{{Params: []int{1}}}},
			{Name: "b", Elem: Int32, Role: In, Lo: []Affine{{}}, Hi: []Affine{{Params: []int{1}}}},
		},
		Loops: []Loop{
			{Name: "i", Lo: []Affine{{Const: 1}}, Hi: []Affine{{Params: []int{1}}}},
			{Name: "j", Lo: []Affine{{Iters: []int{1}}}, Hi: []Affine{{Params: []int{1}}}},
		},
	}
	n.Arrays[0].Init = &Init{Names: []string{"k"}, Expr: &Convert{T: Float64, X: &Read{T: Int32, ID: -1, Array: 1, Subs: []Affine{{Iters: []int{1}}}}}}
	a := &Read{T: Float64, ID: 0, Array: 0, Subs: []Affine{{Iters: []int{1}, Const: -1}}}
	b := &Read{T: Int32, ID: 1, Array: 1, Subs: []Affine{{Iters: []int{0, 1}}}}
	n.Reads, n.ReadStmt = []*Read{a, b}, []int{1, 1}
	n.Body = []Stmt{
		&Let{Name: "s", Type: Float64, Expr: &Call{T: Float64, Fn: Sqrt, Args: []Expr{&Lit{T: Float64, Value: constant.MakeInt64(2)}}}},
		&Assign{Array: 0, Subs: []Affine{{Iters: []int{1}}}, Expr: &Select{
			T: Float64, Cond: &Binary{T: Bool, Op: Lt, X: a, Y: &LocalRef{T: Float64, Stmt: 0}},
			A: &Convert{T: Float64, X: b}, B: &Lit{T: Float64, Value: constant.MakeInt64(1)},
		}},
	}
	return n
}

func TestString(t *testing.T) {
	const want = `param N
array A[0..N] float64 out
array b[0..N] int32 in
init A[k] = b[k]
for i = 1..N, j = i..N {
	let s float64 = sqrt(2)
	A[i] = select(A[i-1] < s, b[j], 1)
}
`
	if got := sample().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestVerify breaks one invariant at a time.
func TestVerify(t *testing.T) {
	if err := sample().Verify(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		ruin func(n *Nest, s *Select)
	}{
		{"there is no loop", func(n *Nest, s *Select) { n.Loops = nil }},
		{"there is no assignment", func(n *Nest, s *Select) { n.Body = n.Body[:1] }},
		{"loop j: an affine form", func(n *Nest, s *Select) { n.Loops[1].Lo[0].Iters = []int{0, 1} }},
		{"array A: an affine form", func(n *Nest, s *Select) { n.Arrays[0].Lo[0].Iters = []int{1} }},
		{"array A: cells of type bool", func(n *Nest, s *Select) { n.Arrays[0].Elem = Bool }},
		{"array b: a slice", func(n *Nest, s *Select) { n.Arrays[1].Out = []*Affine{nil} }},
		{"init A: 2 names", func(n *Nest, s *Select) { n.Arrays[0].Init.Names = []string{"k", "l"} }},
		{"init b: the array is in", func(n *Nest, s *Select) { n.Arrays[1].Init = n.Arrays[0].Init }},
		{"b is an in array", func(n *Nest, s *Select) { n.Arrays[0].Init, n.Arrays[0].Role = nil, In; n.Arrays[0].Name = "b" }},
		{"*ir.Read of type int32 where float64", func(n *Nest, s *Select) { s.A = n.Reads[1] }},
		{"read 0 has the number 1", func(n *Nest, s *Select) { n.Reads[0].ID = 1 }},
		{"1 reads in the body, 2 listed", func(n *Nest, s *Select) { s.A = s.B }},
		{"read 1 is listed in statement 0", func(n *Nest, s *Select) { n.ReadStmt[1] = 0 }},
		{"not before this one", func(n *Nest, s *Select) { s.B = &LocalRef{T: Float64, Stmt: 1} }},
		{"not a let of type", func(n *Nest, s *Select) { n.Body[0].(*Let).Type = Float32 }},
		{"sqrt of type int32", func(n *Nest, s *Select) { s.B = &Convert{T: Float64, X: &Call{T: Int32, Fn: Sqrt}} }},
		{"min of 1 arguments", func(n *Nest, s *Select) { s.B = &Call{T: Float64, Fn: Min, Args: []Expr{s.B}} }},
		{"unary ! of type float64", func(n *Nest, s *Select) { s.B = &Unary{T: Float64, Op: Not, X: s.B} }},
		{"binary < of type float64", func(n *Nest, s *Select) { s.B = &Binary{T: Float64, Op: Lt, X: s.B, Y: s.B} }},
		{"parameter 1 of 1", func(n *Nest, s *Select) { s.B = &ParamRef{T: Float64, Param: 1} }},
		{"iterator 2 of 2", func(n *Nest, s *Select) { s.B = &IterRef{T: Float64, Iter: 2} }},
		{"the literal 256 as uint8", func(n *Nest, s *Select) {
			s.B = &Convert{T: Float64, X: &Lit{T: Uint8, Value: constant.MakeInt64(256)}}
		}},
		{"an expression is missing", func(n *Nest, s *Select) { s.B = nil }},
		{"2 subscripts for b", func(n *Nest, s *Select) { n.Reads[1].Subs = make([]Affine, 2) }},
	} {
		n := sample()
		c.ruin(n, n.Body[1].(*Assign).Expr.(*Select))
		if err := n.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
}
