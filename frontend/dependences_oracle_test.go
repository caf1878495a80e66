package frontend_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// maxPoints bounds the iterations of one observation.
const maxPoints = 3000

// settings calls f for all values of the parameters of n between lo and hi.
func settings(n *ir.Nest, lo, hi int, f func(params []int) bool) {
	params := make([]int, len(n.Params))
	var set func(k int) bool
	set = func(k int) bool {
		if k == len(params) {
			return f(params)
		}
		for params[k] = lo; params[k] <= hi; params[k]++ {
			if !set(k + 1) {
				return false
			}
		}
		return true
	}
	set(0)
}

// TestAnalysisByBruteForce compares the analysis of random nests with runs of the sequential loops
// for all small parameters. What a read saw, and what overwrote a write, must be what the analysis
// says, and everything that the analysis says must happen for some parameters.
func TestAnalysisByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	first, end := irtest.Part(800, 240)
	for range first {
		randomNest(rng)
	}
	nests := end - first
	refused := map[diag.Code]int{}
	accepted, points, deps, vague := 0, 0, 0, 0
	for range nests {
		n := randomNest(rng)
		an, diags := depend.Analyze(n)
		if len(diags) > 0 {
			refused[diags[0].Code]++
			checkRefusal(t, n, diags)
			if slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return strings.Contains(d.Message, "that depend on the bounds") }) {
				vague++
			}
			continue
		}
		accepted++
		deps += len(an.Deps)
		c := irtest.NewCoverage()
		settings(n, 0, 5, func(params []int) bool {
			if _, err := irtest.Observe(n, an, params, maxPoints, c); err != nil {
				t.Errorf("%v\n%s", err, show(n))
				return false
			}
			return true
		})
		// A distance of 4 among bounds of 3 needs more room, and some guards need parameters that differ more.
		for _, more := range [][2]int{{4, 13}, {-5, 13}} {
			settings(n, more[0], more[1], func(params []int) bool {
				if len(c.Missing(an)) == 0 {
					return false
				}
				if _, err := irtest.Observe(n, an, params, 10*maxPoints, c); err != nil {
					t.Errorf("%v\n%s", err, show(n))
					return false
				}
				return true
			})
		}
		points += c.Points
		if missing := c.Missing(an); len(missing) > 0 {
			t.Errorf("claimed, never seen: %q\n%s", missing, show(n))
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	// Small spaces seldom fail to show that a distance varies.
	if vague > refused[diag.NonUniform]/50 {
		t.Errorf("%d of %d refusals show no two distances", vague, refused[diag.NonUniform])
	}
	t.Logf("%d nests accepted, with %d dependences, over %d iterations; refused: %v", accepted, deps, points, refused)
	if accepted < nests/3 {
		t.Errorf("only %d of %d nests were accepted; the test proves little", accepted, nests)
	}
}

// checkRefusal checks that a nest refused for leaving its arrays, or for what
// nothing supplies, goes wrong whenever it runs an iteration in which the read is evaluated.
func checkRefusal(t *testing.T, n *ir.Nest, diags []diag.Diagnostic) {
	t.Helper()
	for _, d := range diags {
		if d.Code != diag.OutOfBounds && d.Code != diag.NotSupplied {
			return
		}
	}
	settings(n, 0, 5, func(params []int) bool {
		faults, read, ran := irtest.Faulty(n, params, maxPoints)
		id := slices.IndexFunc(n.Reads, func(r *ir.Read) bool { return r.At == diags[0].At })
		if ran && (id < 0 || read[id]) && !faults[diags[0].Code] {
			t.Errorf("params %v: refused (%s), but nothing goes wrong\n%s", params, diags[0].Message, show(n))
			return false
		}
		return true
	})
}
