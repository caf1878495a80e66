package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"loopc/codegen"
	"loopc/frontend"
	"loopc/transform"
)

// TestInterleavedRows: a sweep has lanes across levels, unless it reads so many coefficient fields
// that interleaving them takes longer than lanes across rows. Then the kernel with lanes across
// levels is left out, with a reason.
func TestInterleavedRows(t *testing.T) {
	for _, x := range []struct {
		fields int
		levels bool
	}{{0, true}, {1, true}, {4, false}} {
		terms, arrays := []string{"u[i-1,j]", "u[i+1,j]", "u[i,j-1]", "u[i,j+1]"}, ""
		for k := range x.fields {
			terms[k] = fmt.Sprintf("c%d[i,j]*%s", k, terms[k])
			arrays += fmt.Sprintf("array c%d[0..N+1, 0..N+1] float32 in\n", k)
		}
		src := "param T, N = 10, 100\narray u[0..N+1, 0..N+1] float32 inout\n" + arrays +
			"for t = 1..T, i = 1..N, j = 1..N {\n\tu[i,j] = " + strings.Join(terms, " + ") + "\n}\n"
		n, diags := frontend.Compile("sweep.loop", []byte(src))
		if n == nil {
			t.Fatal(diags)
		}
		l, p, diags := transform.Lower(n)
		if p == nil {
			t.Fatal(diags)
		}
		for _, isa := range []string{"avx2", "avx512"} {
			v, _ := codegen.UsableKernel(n, l, p, func(name string) bool { return name == isa })
			if got := v.Temporal != nil; got != x.levels || v.Name != isa {
				t.Errorf("%d fields, %s: %+v, want lanes across levels: %v", x.fields, isa, v, x.levels)
			}
		}
		text := strings.Join(codegen.ExplainKernels(n, l, p, false), "\n")
		if why := "not across levels: to interleave 4 rows"; strings.Contains(text, why) == x.levels {
			t.Errorf("%d fields:\n%s", x.fields, text)
		}
		if !strings.Contains(text, "vectors across i") {
			t.Errorf("%d fields, no vectors across rows:\n%s", x.fields, text)
		}
	}
}
