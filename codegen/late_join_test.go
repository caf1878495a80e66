package codegen

import (
	"testing"

	"loopc/ir"
)

// TestJoinedLets: a let with one more operand of a maximum is joined with the statement that uses it, unless it is used again, may
// fail, or reads a cell of an array that a statement between them writes. If more than two operands are late, they are
// compared in pairs.
func TestJoinedLets(t *testing.T) {
	const head = "param N = 40\narray x[0..N, 0..N] float64 in\narray a[0..N, 0..N] float64 inout\narray b[0..N, 0..N] float64 inout\narray k[0..N] int64 inout\narray n[0..N] int64 in\nfor i = 1..N, j = 4..N {\n"
	for body, want := range map[string]struct {
		joined bool
		depth  int
	}{
		"let m = max(a[i,j], x[i,j])\nb[i,j] = max(m, b[i,j-1])":                                                                {true, 2},
		"let m = max(a[i,j], x[i,j])\na[i,j] = 2*x[i,j]\nb[i,j] = max(m, b[i,j-1])":                                             {false, 0},
		"let m = max(a[i,j], x[i,j])\na[i,j] = 2*m\nb[i,j] = max(m, b[i,j-1])":                                                  {false, 0},
		"let m = max(a[i,j], x[i,j])\nk[j] = int64(m)\nb[i,j] = max(m, b[i,j-1])":                                               {false, 0},
		"let m = min(a[i,j], x[i,j])\nb[i,j] = max(m, b[i,j-1])":                                                                {false, 0},
		"let m = max(a[i,j], x[i,j])\nb[i,j] = m + b[i,j-1]":                                                                    {false, 0},
		"let m = max(1, 7/n[j])\nk[j] = max(m, k[j-1])":                                                                         {false, 0},
		"let m = max(b[i,j-1], b[i,j-2])\nlet o = max(m, b[i,j-3])\nb[i,j] = max(o, b[i,j-4])":                                  {true, 2},
		"let m = max(b[i,j-1] + x[i,j], x[i,j-1] + b[i,j-2])\nlet o = max(m, 2*b[i,j-3])\nb[i,j] = max(o, b[i,j-4] - x[i,j-2])": {true, 2},
		"let m = max(x[i,j], x[i,j-1])\nlet o = max(m, x[i,j-2])\nb[i,j] = max(o, b[i,j-1])":                                    {true, 3},
	} {
		g := decide(t, head+body+"\n}\n")
		last := ir.Value(lateLast(g.n, g.l).Body[len(g.n.Body)-1])
		joined := true
		ir.Walk(last, func(e ir.Expr) {
			if _, ok := e.(*ir.LocalRef); ok {
				joined = false
			}
		})
		if depth := maxima(last); joined != want.joined || joined && depth != want.depth {
			t.Errorf("joined %v, %d maxima in one another, want %v:\n%s", joined, depth, want, body)
		}
	}
}

// maxima is the greatest number of calls in one another.
func maxima(e ir.Expr) (depth int) {
	for _, x := range ir.Operands(e) {
		depth = max(depth, maxima(x))
	}
	if _, ok := e.(*ir.Call); ok {
		depth++
	}
	return depth
}
