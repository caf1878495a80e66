package frontend

import (
	"fmt"
	"math/rand"
	"testing"

	"loopc/ir"
)

// TestInterchanged compares dynamic programs whose innermost loop collects a cell with their statements as they stand. Bounds,
// directions and cells are random, so that some loops may be interchanged and others may not.
func TestInterchanged(t *testing.T) {
	accepted, interchanged := 0, 0
	for seed := range int64(48) {
		r := rand.New(rand.NewSource(seed))
		pick := func(list ...string) string { return list[r.Intn(len(list))] }
		src := fmt.Sprintf(`param N = 5
array a[0..N+1, 0..N+1] float64 inout
array w[0..N+1, 0..N+1] float64 in
array p[0..N+1] float64 in
for i = %s {
	for j = %s {
		a[i,j] = w[i,j]
		for k = %s {
			a[i,j] %s
		}
	}
}
`, pick("1..N", "N..1 step -1"),
			pick("i..N", "i+1..N", "i+1..N", "1..i-1", "N..i+1 step -1"),
			pick("i..j-1", "i..j-1", "i..j", "i+1..j-1", "j-1..i step -1", "j+1..N", "N..j+1 step -1", "max(i, j-2)..j", "N-j..N"),
			fmt.Sprintf(pick("= min(a[i,j], %s + %s)", "-= %s*%s", "= max(a[i,j], %s)*%s", "+= %s - 0.5*%s"),
				pick("a[i,k]", "a[i,k]", "a[i,k-1]", "a[k,j]"), pick("a[k+1,j]", "a[k+1,j]", "a[k,j]", "w[k,j]", "p[j]", "w[j,k]")))
		prog, _ := sameAsStands(t, fmt.Sprintf("seed%d.loop", seed), src)
		if t.Failed() {
			t.Fatal(src)
		}
		if prog == nil {
			continue
		}
		accepted++
		var look func(steps []ir.Step)
		look = func(steps []ir.Step) {
			for _, s := range steps {
				if s.Repeat == nil {
					continue
				}
				if s.Repeat.Name == "k" {
					interchanged++
				}
				look(s.Repeat.Steps)
			}
		}
		look(prog.Steps)
	}
	t.Logf("%d are accepted, %d interchanged", accepted, interchanged)
	if accepted < 20 || interchanged < 5 {
		t.Errorf("%d are accepted, %d interchanged", accepted, interchanged)
	}
}
