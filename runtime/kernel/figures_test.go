package kernel

import (
	"testing"

	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

// TestFiguresOfRows asks for the figures of a kernel with rows in skewed storage, which also computes several levels
// at a time: an iteration takes the time of its cycles, if that is longer than the bytes take.
func TestFiguresOfRows(t *testing.T) {
	n := plantest.CuboidNest(8)
	for _, cycles := range []float64{100, 200} {
		v := Version{Name: "avx2", Traits: Traits{Cycles: cycles, Temporal: &Temporal{Count: 4, Streams: 1}}}
		k := v.Figures(cost.DefaultMachine(), n).Kernels[n.Digest+"/whole"]
		if got := k.PointAt(0); got != cycles*cycle {
			t.Errorf("%g cycles: %g s an iteration, want %g", cycles, got, cycles*cycle)
		}
	}
}
