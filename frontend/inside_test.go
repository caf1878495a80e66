package frontend

import (
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
)

// TestInside says of subscripts of a constant array whether they are within its bounds, whatever the cells of arrays are.
func TestInside(t *testing.T) {
	const head = "param N = 40\nconst w[-2..7] float64 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\narray c[1..N] int32 in\narray b[1..N] uint8 in\narray x[0..N] float64 out\ninit x[i] = 0\n" +
		"for i = 1..N {\n\tlet k = c[i]%3\n\tlet m int8 = int8(c[i])&3\n\tx[i] = x[i-1] + w["
	for sub, want := range map[string]bool{
		"c[i]%3": true, "c[i]%4": false, "b[i]%8": true, "b[i]%9": false, "b[i]": false, "b[i]/32": true, "b[i]/32 - 3": false, "k": true, "k - 1": false, "k + 5": true, "m + 4": true,
		"m*3 - 2": true, "m*3 - 3": false, "max(-2, min(c[i], 7))": true, "max(-2, min(7, c[i] + 2147483647))": true, "max(-2, c[i])": false, "i": false, "select(c[i] > 0, 7, k)": true, "c[i]&7": true,
	} {
		n, diags := Compile("inside.loop", []byte(head+sub+"]\n}\n"))
		if diag.HasErrors(diags) {
			t.Fatalf("%s: %v", sub, diags)
		}
		found := 0
		for _, s := range n.Body {
			ir.Walk(ir.Value(s), func(e ir.Expr) {
				if cell, ok := e.(*ir.ConstCell); ok {
					found++
					if cell.Inside != want {
						t.Errorf("w[%s] is inside: %t, want %t", sub, cell.Inside, want)
					}
					if ir.MayFail(e) == want {
						t.Errorf("w[%s] may fail: %t", sub, !want)
					}
				}
			})
		}
		if found != 1 {
			t.Errorf("%d cells at %s", found, sub)
		}
	}
}
