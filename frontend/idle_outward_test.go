package frontend

import (
	"fmt"
	"math/rand"
	"testing"
)

// TestCollected compares sums over two loops, which no subscript of the cell has, with their statements as they stand. Bounds,
// directions, cells and what is around the sum are random, so that in some the first of the loops becomes the outermost one, and
// in others it may not.
func TestCollected(t *testing.T) {
	accepted, moved := 0, 0
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		pick := func(list ...string) string { return list[r.Intn(len(list))] }
		src := fmt.Sprintf(`param N = 5
array a[0..N+1, 0..N+1] float64 inout
array w[0..N+1, 0..N+1] float64 in
array e[0..N+1] float64 inout
array v[0..N+1] float64 inout
for l = %s {
	%s
	for i = %s {
		%s
		for j = %s {
			%s
		}
	}
	%s
}
`, pick("1..N", "1..N", "N..1 step -1"),
			pick("var s float64 = 0", "var s float64 = w[l,0]\n\te[l] = 0", "var s float64 = e[l]"),
			pick("1..N", "N..1 step -1", "0..N", "1..l", "l..N"),
			pick("", "", "let c = w[l,i]", "v[l] += w[i,l]"),
			pick("1..N", "N..1 step -1", "i..N", "1..l", "1..i"),
			pick("s += w[i,j]*w[l,j]", "s = max(s, w[i,j] - w[l,i])\n\t\t\te[l] -= s", "e[l] = 0.5*e[l] + w[i,j]", "e[l] += a[i,j]\n\t\t\ta[i,j] = w[i,l]",
				"e[l] += 0.5*e[l-1] - w[j,i]", "if w[i,j] > 0.1*w[l,l] {\n\t\t\t\ts += 1\n\t\t\t}", "let d = w[l,j] - w[l,i]\n\t\t\ts += d*d", "v[l] += w[i,j]\n\t\t\te[l] += v[l]"),
			pick("e[l] = s", "v[l] += s/N", "v[l] = s + e[l]"))
		prog, _ := sameAsStands(t, fmt.Sprintf("seed%d.loop", seed), src)
		if t.Failed() {
			t.Fatal(src)
		}
		if prog == nil {
			continue
		}
		accepted++
		for _, s := range prog.Steps {
			if s.Repeat != nil && s.Repeat.Name == "i" {
				moved++
				break
			}
		}
	}
	t.Logf("%d are accepted, of %d a loop is moved outward", accepted, moved)
	if accepted < 30 || moved < 10 {
		t.Errorf("%d are accepted, of %d a loop is moved outward", accepted, moved)
	}
}
