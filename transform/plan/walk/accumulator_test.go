package walk_test

import (
	"math/rand/v2"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform"
	"loopc/transform/plan"
)

// sharedRows reports whether the rows of a block along dimension 1 have the same cells.
func sharedRows(p *plan.Plan) bool {
	strides := make([]int, len(p.Side))
	p.BlockLayout(strides)
	return len(strides) > 2 && strides[1] == 0
}

// TestAccumulators compares which nests replace their only live row with what their sums say.
func TestAccumulators(t *testing.T) {
	const head = "param N = 6\narray A[0..N, 0..N] float64 in\n"
	for body, want := range map[string]bool{
		"array C[1..N, 1..N] float64 inout\nfor i = 1..N, k = 1..N, j = 1..N {\n C[i,j] = C[i,j] + A[i,k]*A[k,j]\n}\n":                       true,
		"array C[1..N, 1..N] float64 inout\nfor i = 1..N, k = 1..N, j = k..N {\n C[i,j] = C[i,j] + A[i,k]*A[k,j]\n}\n":                       false, // rows differ
		"array C[1..N, 1..N] float64 inout\nfor i = 1..N, j = 1..N, k = 1..N {\n C[i,j] = C[i,j] + A[i,k]*A[k,j]\n}\n":                       true,  // in the order i, k, j
		"array C[1..N, 0..N, 1..N] float64 out\ninit C[i,k,j] = 0\nfor i = 1..N, k = 1..N, j = 1..N {\n C[i,k,j] = C[i,k-1,j] + A[k,j]\n}\n": false, // all are returned
	} {
		nest, diags := frontend.Compile("sum.loop", []byte(head+body))
		if diag.HasErrors(diags) {
			t.Fatalf("%s%v", body, diags)
		}
		_, lowered, diags := transform.Lower(nest)
		if diag.HasErrors(diags) {
			t.Fatalf("%s%v", body, diags)
		}
		p, err := plan.New(lowered, []int{6}, plan.Options{Ranks: 1, CPUs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := sharedRows(p); got != want {
			t.Errorf("rows share cells: %v, want %v:\n%s", got, want, body)
		}
	}
}

// TestRandomAccumulators: random nests must include accumulators, so that other tests cover them.
func TestRandomAccumulators(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	found := 0
	for range 150 {
		nest, diags := frontend.Compile("random.loop", []byte(irtest.RandomNest(rng)))
		if diag.HasErrors(diags) {
			continue
		}
		_, lowered, diags := transform.Lower(nest)
		if diag.HasErrors(diags) {
			continue
		}
		if p, err := plan.New(lowered, irtest.RandomParams(rng, nest), plan.Options{Ranks: 1, CPUs: 1}); err == nil && !p.Empty && sharedRows(p) {
			found++
		}
	}
	t.Logf("%d of 150", found)
	if found == 0 {
		t.Error("no random nest sums up over rows")
	}
}
