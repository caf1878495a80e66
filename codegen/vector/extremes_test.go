package vector_test

import (
	"strings"
	"testing"
)

// TestJoinedExtremes: a chain of minima has the instructions of one min of all arguments, unless a statement writes in between.
func TestJoinedExtremes(t *testing.T) {
	compared := func(body string) int {
		_, text, _ := assembled(t, float64s+"\narray a[0..N+1, 0..N+1] float64 in\narray v[0..T, 0..N+1, 0..N+1] float64 out\ninit v[t, i, j] = 0", body)
		return strings.Count(string(text), "VCMPPD")
	}
	const x = "u[t-1,i,j], a[i,j]"
	const all = "u[t,i,j] = min(u[t-1,i,j], a[i,j], u[t-1,i-1,j], a[i-1,j])\nv[t,i,j] = a[i,j]"
	for _, body := range []string{
		"let b = min(" + x + ")\nlet c = min(b, u[t-1,i-1,j])\nu[t,i,j] = min(c, a[i-1,j])\nv[t,i,j] = a[i,j]",
		"u[t,i,j] = min(min(" + x + "), min(u[t-1,i-1,j], a[i-1,j]))\nv[t,i,j] = a[i,j]",
	} {
		if got, want := compared(body), compared(all); got != want {
			t.Errorf("%s: %d comparisons, not %d", body, got, want)
		}
	}
	for _, body := range []string{
		"let b = min(" + x + ")\nv[t,i,j] = a[i,j]\nu[t,i,j] = min(b, u[t-1,i-1,j], a[i-1,j])",
		"let b = min(" + x + ")\nu[t,i,j] = min(b, u[t-1,i-1,j], a[i-1,j])\nv[t,i,j] = b",
	} {
		if got, less := compared(body), compared(all); got <= less {
			t.Errorf("%s: %d comparisons, not more than %d", body, got, less)
		}
	}
}
