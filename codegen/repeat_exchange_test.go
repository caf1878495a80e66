package codegen

import (
	"bytes"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/transform"
)

// TestExchanges names repeats in which arrays change places instead of a copy: if all of one is copied to all of the other, and the next
// nest writes all of the one, of which it reads nothing but the cells that its iterations overwrite.
func TestExchanges(t *testing.T) {
	const head = "param N = 40\narray w[1..N] int32 in\narray a[0..N, 0..N] int64 out\narray b[0..N, 0..N] int64\ninit a[i, j] = i\ninit b[i, j] = 0\nrepeat t = 1..N {\n"
	const copies = "for i = 0..N, j = 0..N {\n b[i,j] = a[i,j]\n}\n"
	for body, want := range map[string]int{
		copies + "for i = 0..N, j = 0..N {\n a[i,j] = b[i,max(j - w[t], 0)]\n}":                                                                                   1,
		copies + "for i = N..0 step -1, j = 0..N {\n a[i,j] = b[i,max(j - w[t], 0)] + 1\n}":                                                                       1,
		copies + "for i = 0..N, j = 1..N {\n a[i,j] = b[i,max(j - w[t], 0)] + 1\n}":                                                                               0, // a column remains
		copies + "for i = 0..N, j = 0..N {\n a[i,j] = a[i,j] + b[i,max(j - w[t], 0)]\n}":                                                                          1, // each iteration reads the copy
		copies + "for i = 0..N, j = 0..N {\n if j >= w[t] {\n a[i,j] += b[i,j - w[t]]\n }\n}":                                                                     1,
		copies + "for i = 0..N, j = 0..N {\n a[i,j] = max(a[i,j], b[i,max(j - w[t], 0)]) + select(i > 0, a[i-1,j], 0)\n}":                                         0, // other cells are read
		copies + "for i = 0..N, j = 0..N {\n a[i,j] = a[i,j] + w[max(j - i, 1)]\n b[i,j] = 1\n}":                                                                  0, // the copy changes
		copies + "for i = 0..N, j = 0..N {\n a[j,i] = b[i,max(j - w[t], 0)] + 1\n}":                                                                               1,
		copies + "for i = 0..N {\n a[i,0] = b[i,max(1 - w[t], 0)]\n}":                                                                                             0,
		"for i = 0..N, j = 0..N {\n b[i,j] = a[j,i]\n}\nfor i = 0..N, j = 0..N {\n a[i,j] = b[i,max(j - w[t], 0)] + 1\n}":                                         0, // transposed
		"for i = 0..N, j = 0..N {\n b[i,j] = -a[i,j]\n}\nfor i = 0..N, j = 0..N {\n a[i,j] = b[i,max(j - w[t], 0)] + 1\n}":                                        0,
		"for i = 0..N-1, j = 0..N {\n b[i,j] = a[i,j]\n}\nfor i = 0..N, j = 0..N {\n a[i,j] = b[i,max(j - w[t], 0)] + 1\n}":                                       0, // a row remains
		copies + "repeat s = 1..2 {\nfor i = 0..N, j = 0..N {\n a[i,j] = b[i,max(j - w[t], 0)] + s\n}\n}":                                                         0,
		"repeat s = 1..2 {\n" + copies + "for i = 0..N, j = 0..N {\n a[i,j] = b[i,max(j - w[t], 0)] + s\n}\n}":                                                    1,
		copies + "for i = 0..N, j = 0..N {\n a[i,j] = b[i,max(j - w[t], 0)] + 1\n}\n" + copies + "for i = 0..N, j = 0..N {\n a[i,j] = 2*b[i,max(j - w[t], 0)]\n}": 1, // the first of both
	} {
		p, diags := frontend.CompileProgram("exchange.loop", []byte(head+body+"\n}\n"))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		lowered, nests, whole, diags := transform.LowerProgram(p, nil)
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", body, diags)
		}
		files, err := Generate(p, lowered, nests, whole, Options{Package: "exchange"})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, f := range files {
			got += bytes.Count(f.Text, []byte("the arrays change places"))
		}
		if got != want {
			t.Errorf("arrays change places %d times, want %d:\n%s", got, want, body)
		}
	}
}
