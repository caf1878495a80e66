package vector

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
)

// TestNoneWaits: where a vector along a row reads cells of which the vector before has stored some, they come from registers, also if
// loads would take no more time of ports.
func TestNoneWaits(t *testing.T) {
	n, l, p := lowered(t, `param N = 70
array u[0..N+1, 0..N+1] float64 inout
reduce s = sum(d*d)
for i = 1..N, j = 1+i%2..N step 2 {
	let d = 0.25*(u[i-1,j] + u[i,j-1] + u[i,j+1] + u[i+1,j]) - u[i,j]
	u[i,j] += d
}
`)
	s, why := Analyze(n, l, p, slices.Repeat([]bool{true}, len(n.Body)))
	if s == nil {
		t.Fatal(why)
	}
	text, functions, why := s.Assembly("f", "the test")
	if text == nil {
		t.Fatal(why)
	}
	before := regexp.MustCompile(`-8\(\w+\)\(\w+\*8\)`)
	for _, f := range functions {
		loop := text[bytes.Index(text, []byte("TEXT ·"+f.Name)):]
		loop = loop[bytes.Index(loop, []byte("\nvectors:")):]
		if loop = loop[:bytes.Index(loop, []byte("\nfew:"))]; before.Match(loop) {
			t.Errorf("%s loads what has just been stored:\n%s", f.Name, loop)
		}
	}
}
