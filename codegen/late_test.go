package codegen

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/eval"
	"loopc/ir/irtest"
	"loopc/transform"
)

// compiled returns a nest and the decisions about it; ok is false if it is refused.
func compiled(text string) (n *ir.Nest, l *ir.Lowered, ok bool) {
	n, diags := frontend.Compile("late.loop", []byte(text))
	if diag.HasErrors(diags) {
		return nil, nil, false
	}
	l, _, diags = transform.Lower(n)
	return n, l, !diag.HasErrors(diags)
}

// TestLateLast names the reads of expressions, in the order in which they are computed.
func TestLateLast(t *testing.T) {
	const head = "param M, N = 9, 9\narray x[1..N] int32 in\narray d[0..M, 0..N] int32 inout\narray f[0..M, 0..N] float64 inout\nfor i = 1..M, j = 1..N {\n"
	left := []int{0, -1} // of the constants of the subscripts of d
	for _, test := range []struct {
		body string
		last []int // the constants of the subscripts of the last read
	}{
		{"d[i,j] = max(d[i,j-1], d[i-1,j], x[j])", left},
		{"d[i,j] = min(min(d[i,j-1], d[i-1,j]) + 1, min(d[i,j-1] - 1, d[i-1,j-1], d[i-1,j]))", left},
		{"d[i,j] = d[i,j-1] + x[j] - d[i-1,j]", left},
		{"d[i,j] = x[j] - d[i,j-1] - d[i-1,j]", left},
		{"d[i,j] = d[i-1,j] - (d[i,j-1] - d[i-1,j-1])", left},
		{"f[i,j] = min(f[i,j-1], f[i-1,j])", left},
		{"f[i,j] = f[i,j-1] + f[i-1,j]", []int{-1, 0}}, // sums of floats keep their order
		{"d[i,j] = d[i-1,j-1] + d[i-1,j]", []int{-1, 0}},
	} {
		n, l, ok := compiled(head + test.body + "\n}\n")
		if !ok {
			t.Fatal(test.body)
		}
		var last *ir.Read
		ir.Walk(ir.Value(lateLast(n, l).Body[0]), func(e ir.Expr) {
			if r, isRead := e.(*ir.Read); isRead {
				last = r
			}
		})
		for k, c := range test.last {
			if last.Subs[k].Const != c {
				t.Errorf("the last read has %+v:\n%s", last.Subs, test.body)
				break
			}
		}
	}
}

// TestLateLastBits compares the results of random nests whose operands lateLast has reordered with
// their results in the order of the source.
func TestLateLastBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	changed := 0
	for range irtest.OfAll(1500, 300) {
		n, l, ok := compiled(irtest.RandomNest(rng))
		if !ok || len(n.Externs) > 0 {
			continue
		}
		late := lateLast(n, l)
		if sameOrder(n, late) {
			continue
		}
		params := irtest.RandomParams(rng, n)
		given := irtest.RandomInputs(rng, n, params)
		want, err := eval.Run(n, params, given)
		got, err2 := eval.Run(late, params, given)
		if err != nil || err2 != nil {
			continue
		}
		changed++
		for name, a := range want {
			if cell, same := eval.Diff(a, got[name]); !same {
				t.Fatalf("%s%v differs", name, cell)
			}
		}
	}
	if changed < 20 {
		t.Errorf("only %d nests have operands in another order; the test proves little", changed)
	}
}

// sameOrder reports whether the reads of two nests are evaluated in the same order.
func sameOrder(n, m *ir.Nest) bool {
	order := func(n *ir.Nest) (ids []int) {
		for _, s := range n.Body {
			ir.Walk(ir.Value(s), func(e ir.Expr) {
				if r, ok := e.(*ir.Read); ok {
					ids = append(ids, r.ID)
				}
			})
		}
		return ids
	}
	return slices.Equal(order(n), order(m))
}
