package cost

import (
	"math"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestFresh: the memory that a run touches for the first time adds its time to the prediction and to the estimate, as time in
// which CPUs compute. Storage counts if it is skewed. Nothing is added if memory is used again.
func TestFresh(t *testing.T) {
	const sweeps, n, each = 7, 300, 1e-9
	for _, whole := range []bool{true, false} {
		for _, role := range []plan.Role{plan.InOut, plan.Out} {
			nest := plantest.SweepNest()
			nest.Whole = whole
			nest.Arrays[0].Role = role
			p, err := plan.New(nest, []int{sweeps, n}, plan.Options{CPUs: 2})
			if err != nil {
				t.Fatal(err)
			}
			if whole != p.KeepsWhole() {
				t.Errorf("whole %v, and the storage is skewed: %v", whole, p.KeepsWhole())
			}
			want := 0.0
			if role == plan.Out {
				want += freshResults(p) / 2
				if cells := freshResults(p) / 8; cells < n*n {
					t.Errorf("%g cells of results are fresh, of %d", cells, n*n)
				}
			} else if freshResults(p) != 0 {
				t.Errorf("%g bytes are fresh of an array that is given", freshResults(p))
			}
			if p.KeepsWhole() {
				want += float64(p.WholeBytes()) / 1.5
			}
			m, again := DefaultMachine(), DefaultMachine()
			m.Fresh, again.Fresh = each, 0
			m.Cache, again.Cache = []int{1, 2, 4096}, []int{1, 2, 4096}
			want = max(0, want-4096)
			for _, predict := range []func(m *Machine) Prediction{
				func(m *Machine) Prediction { return NewPredictor(p).Predict(m, LinkInproc) },
				func(m *Machine) Prediction { return Estimate(p, m, LinkInproc, 0) },
			} {
				with, without := predict(m), predict(again)
				if more := with.Seconds - without.Seconds; math.Abs(more-want*each) > 1e-9 {
					t.Errorf("whole %v, role %v: fresh memory adds %g s, want %g", whole, role, more, want*each)
				}
				if more := with.All.Compute - without.All.Compute; math.Abs(more-2*want*each) > 1e-9 {
					t.Errorf("whole %v, role %v: fresh memory adds %g s to the work of two CPUs, want %g", whole, role, more, 2*want*each)
				}
			}
		}
	}
}
