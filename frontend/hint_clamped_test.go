package frontend

import (
	"strings"
	"testing"
)

// TestBeyondEnds has subscripts of written arrays that other languages keep within the bounds: each has one error, whose hint says
// what to write, and does not read cells of the iteration itself from a copy that was made before.
func TestBeyondEnds(t *testing.T) {
	const head = "param T, N = 9, 9\narray w[0..T, 0..N] float32 inout\narray k[1..T] int32 in\n"
	for _, x := range []struct{ nest, hint, not string }{
		{"for t = 1..T, i = 0..N {\n\tw[t,i] = w[t-1,(i+1)%(N+1)] + w[t-1,(i+N)%(N+1)]\n}\n", "i+1 here, with boundary w[*, periodic]", "i+N"},
		{"for t = 1..T, i = 0..N {\n\tw[t,i] = w[t-1,i] + w[t,max(i-1,0)]\n}\n", "select(i - 1 >= 0, ..., ...) of the cell at i - 1", "old[x"},
		{"for t = 1..T, i = 0..N {\n\tw[t,i] = w[t-1,i] + w[t-1,max(i-1,0)]\n}\n", "old[max(i-1, 0)]", "provided"},
		{"for t = 1..T, i = 0..N {\n\tw[t,i] = w[t,i] + w[t,max(0, i-k[t])]\n}\n", "old[", "select(i - k"},
	} {
		_, diags := CompileProgram("nest.loop", []byte(head+x.nest))
		if len(diags) != 1 || !strings.Contains(diags[0].Hint, x.hint) || strings.Contains(diags[0].Hint, x.not) {
			t.Errorf("%s: %v", x.nest, diags)
		}
	}
}
