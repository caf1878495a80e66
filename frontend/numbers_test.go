package frontend

import "testing"

// TestNumbers compares repeats whose numbers stand in subscripts and bounds of their nests, and in bounds of inner
// repeats, with the statements as they stand: cells that each repetition reads and writes elsewhere, fewer
// iterations each time, runs without iterations, and numbers that go down.
func TestNumbers(t *testing.T) {
	for name, src := range map[string]string{
		"row": `param N = 7
array a[0..N, 0..N] float64 inout
repeat k = 1..N {
	for i = 0..N {
		a[k,i] = 0.5*a[k-1,i] - a[k,i]
	}
}
`,
		"triangle": `param N = 7
array a[0..N] float64 inout
array b[0..N] float64 inout
repeat k = 0..N {
	for i = k+1..N {
		a[i] = a[i-1] + b[k]*a[i]
	}
	for i = 0..k-1 {
		b[i] = b[i] - a[k]/k
	}
}
`,
		"down": `param N = 6
array a[0..N, 0..N] float64 inout
repeat k = N..1 step -1 {
	repeat l = k-1..0 step -1 {
		for i = l..k {
			a[k,i] = a[k,i] + 0.5*a[l,i] - a[k-1,l]
		}
	}
}
`,
	} {
		if p, diags := sameAsStands(t, name+".loop", src); p == nil {
			t.Errorf("%s is refused: %v", name, diags)
		}
	}
}
