package frontend

import (
	"testing"

	"loopc/ir"
)

// TestOvertaken has cells that are written several times in an iteration, and how many assignments the nest then has: only the last
// one, if those before are read as the cell alone.
func TestOvertaken(t *testing.T) {
	const arrays = "param N, s = 9, 3\narray w[0..N] float64 in\narray u[0..N] float64 inout\narray v[0..N] float64 inout\narray p[0..N] float64 inout\nboundary p[copied]\n"
	for name, x := range map[string]struct {
		body string
		want int
	}{
		"under a condition": {"u[i] = w[i]\n\tif i == s { u[i] += 2 }", 1},
		"three times":       {"u[i] = w[i]\n\tu[i] += v[i-1]\n\tv[i] = u[i]\n\tu[i] *= u[i]", 2},
		"beside neighbors":  {"u[i] = w[i]\n\tu[i] += u[i-1] + u[i+1]", 1},
		"unread":            {"u[i] = w[i]\n\tu[i] = v[i]", 2},
		"read before":       {"v[i] = u[i]\n\tu[i] = w[i]\n\tu[i] = u[i-1]", 3},
		"another cell":      {"u[i] = w[i]\n\tu[i+1] += u[i]", 2},
		"beyond a boundary": {"p[i] = w[i]\n\tp[i] += p[i-1]", 2},
	} {
		n, diags := Compile("nest.loop", []byte(arrays+"for i = 1..N-1 {\n\t"+x.body+"\n}\n"))
		if n == nil {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		got := 0
		for _, s := range n.Body {
			if _, ok := s.(*ir.Assign); ok {
				got++
			}
		}
		if got != x.want {
			t.Errorf("%s: %d assignments, want %d", name, got, x.want)
		}
	}
}
