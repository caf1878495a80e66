package transform_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform"
)

// TestRowOrder names the nests whose loops are computed in another order, and the order.
func TestRowOrder(t *testing.T) {
	const head = "param N = 6\narray A[0..N, 0..N] float64 in\narray x[0..N] float64 in\n"
	for body, want := range map[string][]string{
		"array C[1..N, 1..N] float64 inout\nfor i = 1..N, j = 1..N, k = 1..N {\n C[i,j] = C[i,j] + A[i,k]*A[k,j]\n}\n":      {"i", "k", "j"},
		"array C[1..N, 1..N] float64 inout\nfor i = 1..N, j = 1..N, k = 1..N {\n C[i,j] = C[i,j] + A[i,k]*A[k,i]\n}\n":      {"i", "k", "j"},
		"array C[1..N, 1..N] float64 inout\nfor i = 1..N, j = i..N, k = j..N {\n C[i,j] = C[i,j] + A[i,k]*A[k,j]\n}\n":      {"i", "k", "j"}, // bounds follow
		"array C[1..N, 1..N] float64 inout\nfor j = 1..N, i = 1..N {\n C[i,j] = C[i,j] + x[i]\n}\n":                         {"i", "j"},      // along the array
		"array C[0..N, 1..N] float64 inout\nfor j = 1..N, i = 1..N {\n C[i,j] = C[i-1,j] + x[i]\n}\n":                       {"i", "j"},
		"array C[1..N, 0..N] float64 inout\nfor j = 1..N, i = 1..N {\n C[i,j] = C[i,j-1] + x[i]\n}\n":                       {"j", "i"},      // the new row would wait, too
		"array C[0..N, 0..N+1] float64 inout\nfor i = 1..N, j = 1..N {\n C[i,j] = C[i-1,j+1] + x[i]\n}\n":                   {"i", "j"},      // along the array already
		"array C[1..N, 1..N] float64 inout\nfor k = 1..N, i = 1..N, j = 1..N {\n C[i,j] = C[i,j] + A[k,i]*A[k,j]\n}\n":      {"i", "k", "j"}, // a result stays in a register
		"array C[1..N, 1..N] float64 inout\nfor k = 1..N, j = 1..N, i = 1..N {\n C[i,j] = C[i,j] + A[k,i]*A[k,j]\n}\n":      {"i", "k", "j"},
		"array C[1..N, 0..N] float64 inout\nfor k = 1..N, i = 1..N, j = 1..N {\n C[i,j] = C[i,j-1] + A[k,j]\n}\n":           {"k", "i", "j"}, // a sum along j
		"array C[1..N, 1..N] float64 inout\nfor k = 1..N, i = 1..N, j = 1..N {\n C[i,j] = C[i,j] + 0.5*A[i,j]\n}\n":         {"k", "i", "j"}, // no terms of k
		"array y[1..N] float64 inout\nfor i = 1..N, k = 1..N {\n y[i] = y[i] + A[i,k]*x[k]\n}\n":                            {"i", "k"},      // A would be copied, which takes as long
		"array y[1..N] float64 inout\nfor i = 1..N, k = 1..N {\n y[i] = y[i] + A[k,i]*x[k]\n}\n":                            {"k", "i"},
		"array C[1..N, 1..N] float64 inout\nreduce m = max(C[i,j])\nfor j = 1..N, i = 1..N {\n C[i,j] = C[i,j] + x[i]\n}\n": {"j", "i"}, // a reduction keeps its order
	} {
		nest, diags := frontend.Compile("order.loop", []byte(head+body))
		if diag.HasErrors(diags) {
			t.Fatalf("%s%v", body, diags)
		}
		_, lowered, diags := transform.Lower(nest)
		if diag.HasErrors(diags) {
			t.Fatalf("%s%v", body, diags)
		}
		if !slices.Equal(lowered.Dims, want) {
			t.Errorf("the order is %v, want %v:\n%s", lowered.Dims, want, body)
		}
	}
}

// TestRandomRowOrder requires that random nests have loops that are computed in another order, for the tests that run
// them.
func TestRandomRowOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	found, all := 0, 200
	for range all {
		nest, diags := frontend.Compile("random.loop", []byte(irtest.RandomNest(rng)))
		if diag.HasErrors(diags) {
			continue
		}
		if l, _, diags := transform.Lower(nest); !diag.HasErrors(diags) && l.Why == transform.AlongRows {
			found++
		}
	}
	if found < all/50 {
		t.Errorf("%d of %d nests", found, all)
	}
}
