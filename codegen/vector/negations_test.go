package vector_test

import (
	"strings"
	"testing"
)

// TestNegations: operations on a value and on its opposite are computed once, where only signs differ.
func TestNegations(t *testing.T) {
	arithmetic := func(body string) int {
		_, text, _ := assembled(t, float64s+"\narray a[0..N+1, 0..N+1] float64 in", body)
		n := 0
		for _, line := range strings.Split(string(text[strings.LastIndex(string(text), "\nvectors:"):]), "\n") {
			if strings.HasPrefix(line, "few:") {
				break
			}
			for _, op := range []string{"\tVMUL", "\tVADD", "\tVSUB", "\tVDIV", "\tVPXOR", "\tVXOR"} {
				if strings.HasPrefix(line, op) {
					n++
				}
			}
		}
		return n
	}
	const x = "let x = a[i,j]\n"
	for _, c := range []struct{ one, other string }{
		{x + "u[t,i,j] = (u[t-1,i,j] - 3*x)/x", x + "let y = -x\nu[t,i,j] = (u[t-1,i,j] + 3*y)/x"},
		{x + "u[t,i,j] = u[t-1,i,j] + 4.5*x*x + 4.5*x*x", x + "let y = -x\nu[t,i,j] = u[t-1,i,j] + 4.5*x*x + 4.5*y*y"},
		{x + "u[t,i,j] = u[t-1,i,j] - x/3", x + "u[t,i,j] = -x/3 + u[t-1,i,j]"},
		{x + "u[t,i,j] = u[t-1,i,j] + x", x + "u[t,i,j] = u[t-1,i,j] - -x"},
		{x + "u[t,i,j] = u[t-1,i,j] + x", x + "u[t,i,j] = u[t-1,i,j] + -(-x)"},
		{x + "u[t,i,j] = u[t-1,i,j]*x", x + "u[t,i,j] = -u[t-1,i,j]*-x"},
	} {
		if want, got := arithmetic(c.one), arithmetic(c.other); got != want {
			t.Errorf("%s: %d operations, not %d", c.other, got, want)
		}
	}
	// The sign of a zero is that of the loops.
	if minus, plus := arithmetic(x+"u[t,i,j] = -u[t-1,i,j] - x"), arithmetic(x+"u[t,i,j] = u[t-1,i,j] + x"); minus <= plus {
		t.Errorf("-a - b takes %d operations, a + b %d", minus, plus)
	}
}
