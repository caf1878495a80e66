package vector

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
)

// colored is a nest over the cells of one color.
const colored = `param N = 70
array u[0..N+1, 0..N+1] float64 inout
reduce s = sum(d*d)
for i = 1..N, j = 1+i%2..N step 2 {
	let d = 0.25*(u[i-1,j] + u[i,j-1] + u[i,j+1] + u[i+1,j]) - u[i,j]
	u[i,j] += d
}
`

// loopsAlong returns the loops of the kernels of a nest that compute several vectors of a row, by the name of the kernel.
func loopsAlong(t *testing.T, src string) map[string][]byte {
	t.Helper()
	n, l, p := lowered(t, src)
	s, why := Analyze(n, l, p, slices.Repeat([]bool{true}, len(n.Body)))
	if s == nil {
		t.Fatal(why)
	}
	text, functions, why := s.Assembly("f", "the test")
	if text == nil {
		t.Fatal(why)
	}
	all := map[string][]byte{}
	for _, f := range functions {
		loop := text[bytes.Index(text, []byte("TEXT ·"+f.Name)):]
		loop = loop[bytes.Index(loop, []byte("\nvectors:")):]
		all[f.Name] = loop[:bytes.Index(loop, []byte("\nfew:"))]
	}
	return all
}

// TestNoneWaits: where a vector along a row reads cells of which the vector before has stored some, they come from registers, also if
// loads would take no more time of ports.
func TestNoneWaits(t *testing.T) {
	before := regexp.MustCompile(`-8\(\w+\)\(\w+\*8\)`)
	for name, loop := range loopsAlong(t, colored) {
		if before.Match(loop) {
			t.Errorf("%s loads what has just been stored:\n%s", name, loop)
		}
	}
}

// fields is a nest with reads in arrays of the caller, of cells that are neighbors in the row.
const fields = `param T, N = 5, 70
array ce[0..N, 0..N] float32 in
array ez[0..N, 0..N] float32 inout
array hx[0..N, 0..N] float32 inout
array hy[0..N, 0..N] float32 inout
for t = 1..T, i = 1..N, j = 1..N {
	ez[i,j] = ez[i,j] + ce[i,j]*(hy[i,j] - hy[i-1,j] - hx[i,j] + hx[i,j-1])
	hx[i,j-1] = hx[i,j-1] - 0.5*(ez[i,j] - ez[i,j-1])
	hy[i-1,j] = hy[i-1,j] + 0.5*(ez[i,j] - ez[i-1,j])
}
`

// TestReusedOfCaller: no load from an array of the caller counts as one within a line, so that a read which a shift can replace is not
// loaded. Each vector of the loop has six loads: one of each row.
func TestReusedOfCaller(t *testing.T) {
	loop := loopsAlong(t, fields)["fAVX512"]
	loads := len(regexp.MustCompile(`\(\w+\)\(\w+\*4\), `).FindAll(loop, -1))
	stores := len(regexp.MustCompile(`, -?\d*\(\w+\)\(\w+\*4\)\n`).FindAll(loop, -1))
	if stores == 0 || stores%3 != 0 || loads != 2*stores {
		t.Errorf("%d loads and %d stores:\n%s", loads, stores, loop)
	}
}

// TestPatternsOfRows: which lanes have the color is computed before the row, once for all statements.
func TestPatternsOfRows(t *testing.T) {
	remainder, masks := regexp.MustCompile(`VPSRAD|VPCMP`), regexp.MustCompile(`VBLEND\w+ .*`)
	for name, loop := range loopsAlong(t, colored) {
		if remainder.Match(loop) {
			t.Errorf("%s computes the condition for each vector:\n%s", name, loop)
		}
		by := map[string]bool{}
		for _, blend := range masks.FindAll(loop, -1) {
			if mask := regexp.MustCompile(`\bK\d|VBLENDVPD Y\d+`).Find(blend); mask != nil {
				by[string(mask)] = true
			}
		}
		if len(by) != 1 {
			t.Errorf("%s has %d masks, want one:\n%s", name, len(by), loop)
		}
	}
}
