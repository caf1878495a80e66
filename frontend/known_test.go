package frontend

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/eval"
)

// A knownCondition is a condition on the variable q of a small loop, and on i, as text and in Go. settled says that q alone decides.
type knownCondition struct {
	text    string
	holds   func(q, i int) bool
	settled bool
}

func randomKnown(rng *rand.Rand, depth int) knownCondition {
	if depth > 0 && rng.IntN(3) > 0 {
		x, y := randomKnown(rng, depth-1), randomKnown(rng, depth-1)
		switch rng.IntN(3) {
		case 0:
			return knownCondition{"(" + x.text + " && " + y.text + ")", func(q, i int) bool { return x.holds(q, i) && y.holds(q, i) }, x.settled && y.settled}
		case 1:
			return knownCondition{"(" + x.text + " || " + y.text + ")", func(q, i int) bool { return x.holds(q, i) || y.holds(q, i) }, x.settled && y.settled}
		}
		return knownCondition{"!" + x.text, func(q, i int) bool { return !x.holds(q, i) }, x.settled}
	}
	k, ops := rng.IntN(5)-1, []string{"==", "!=", "<", "<=", ">", ">="}
	op := rng.IntN(len(ops))
	compare := func(x, y int) bool { return []bool{x == y, x != y, x < y, x <= y, x > y, x >= y}[op] }
	switch rng.IntN(4) {
	case 0:
		return knownCondition{fmt.Sprintf("(i %s q + %d)", ops[op], k), func(q, i int) bool { return compare(i, q+k) }, false}
	case 1:
		return knownCondition{fmt.Sprintf("(%d %s q)", k, ops[op]), func(q, i int) bool { return compare(k, q) }, true}
	case 2:
		return knownCondition{fmt.Sprintf("(q%%2 %s %d)", ops[op], k), func(q, i int) bool { return compare(q%2, k) }, true}
	}
	return knownCondition{fmt.Sprintf("(q %s %d)", ops[op], k), func(q, i int) bool { return compare(q, k) }, true}
}

// TestKnownConditions evaluates small loops whose selects, ifs and reads depend on conditions that are known once the loop is
// written out. Where the loop's variable alone decides, no select remains.
func TestKnownConditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 30))
	settled := 0
	for range 1500 {
		c, d := randomKnown(rng, 2), randomKnown(rng, 1)
		src := fmt.Sprintf(`param N = 7
array a[1..N] float64 in
array x[1..N] float64 inout
for i = 1..N {
	var s float64 = 0
	for q = 0..3 {
		if %s {
			s += q*a[i]
		} else {
			s = 2*s - select(%s, 1, a[i] + q)
		}
	}
	x[i] = s
}
`, c.text, d.text)
		p, diags := CompileProgram("known.loop", []byte(src))
		if diag.HasErrors(diags) {
			t.Fatalf("%v\n%s", diags, src)
		}
		in, want := map[string]*eval.Array{}, []float64{}
		for _, name := range []string{"a", "x"} {
			in[name], _ = eval.NewArray(ir.Float64, []int{1}, []int{7})
		}
		for i := 1; i <= 7; i++ {
			in["a"].Floats[i-1] = float64(3*i - 8)
			s := 0.0
			for q := range 4 {
				switch {
				case c.holds(q, i):
					s += float64(q * (3*i - 8))
				case d.holds(q, i):
					s = 2*s - 1
				default:
					s = 2*s - float64(3*i-8+q)
				}
			}
			want = append(want, s)
		}
		out, err := eval.RunProgram(p, []int{7}, in)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range want {
			if got := out["x"].Floats[k]; got != v {
				t.Fatalf("x[%d] = %v, want %v\n%s", k+1, got, v, src)
			}
		}
		if !c.settled || !d.settled {
			continue
		}
		settled++
		for _, s := range p.Nests[0].Body {
			ir.Walk(ir.Value(s), func(e ir.Expr) {
				if _, ok := e.(*ir.Select); ok {
					t.Fatalf("a select remains:\n%s", src)
				}
			})
		}
	}
	if settled < 200 {
		t.Errorf("in only %d of 1500 programs the small loop decides", settled)
	}
}
