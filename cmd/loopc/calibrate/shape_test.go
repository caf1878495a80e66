package calibrate

import (
	"math"
	"slices"
	"testing"

	"loopc/testdata/emit/seidel"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// alone returns the runs of samples that have one worker.
func alone(samples []*Sample) []*Sample {
	return slices.DeleteFunc(samples, func(s *Sample) bool { return linkOf(s.Plan, s.Link) != single })
}

// TestShapes has tiles take longer than the terms say, by a factor that changes
// slowly with their sides: it is found for tiles that were not measured. Where only
// chance makes a difference, next to nothing is found.
func TestShapes(t *testing.T) {
	nest := seidel.Program.Nest
	m := trueMachine(nest.Digest)
	truth := func(s *Sample) float64 {
		side := s.Plan.Side
		return 1.2 + 0.2*math.Sin(math.Log(float64(side[1]))-0.5*math.Log(float64(side[0])))
	}
	seen, unseen := alone(synthetic(t, m, 3, 0.01, 60)), alone(synthetic(t, m, 4, 0, 30))
	off := func(truth func(*Sample) float64) float64 {
		var all []float64
		for _, s := range unseen {
			_, work := s.predict(m)
			all = append(all, math.Abs(work/s.TypicalWork()/truth(s)-1))
		}
		slices.Sort(all)
		return quantile(all, 0.5)
	}
	before := off(truth)
	for _, s := range seen {
		for i := range s.Work {
			s.Work[i] *= truth(s)
		}
	}
	fitShapes(m, nest.Digest, "", seen)
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	if after := off(truth); after > before/4 {
		t.Errorf("tiles that were not measured are %.3f off, %.3f without what similar ones tell", after, before)
	}

	m = trueMachine(nest.Digest)
	fitShapes(m, nest.Digest, "", alone(synthetic(t, m, 5, 0.02, 60)))
	if after := off(func(*Sample) float64 { return 1 }); after > 0.01 {
		t.Errorf("chance is taken for a difference of %.3f", after)
	}
}

// TestShapeFactor checks the definition: tiles like a measured one deviate as it
// does, those far from all do not, and runs over another link do not either.
func TestShapeFactor(t *testing.T) {
	k := cost.Kernel{Near: []cost.NearTile{
		{Side: []int{10, 100}, Weight: math.Log(2)},
		{Side: []int{10, 100}, Weight: math.Log(3), Link: cost.LinkTCP, Map: 1},
	}}
	half := math.Exp(-math.Pow(math.Log(2)/0.6, 2) / 2)
	for _, c := range []struct {
		side  []int
		ranks int
		along int
		link  string
		want  float64
	}{
		{[]int{10, 100}, 1, 1, cost.LinkTCP, 2},
		{[]int{20, 100}, 1, 1, cost.LinkTCP, math.Pow(2, half)},
		{[]int{1000, 1}, 2, 1, cost.LinkTCP, 1},
		{[]int{10, 100}, 2, 1, cost.LinkTCP, 6},
		{[]int{10, 100}, 2, 1, cost.LinkInproc, 2},
		{[]int{10, 100}, 2, 0, cost.LinkTCP, 2},
		{[]int{20, 100}, 2, 1, cost.LinkTCP, math.Pow(6, half)},
	} {
		p := &plan.Plan{Side: c.side, Grid: []int{c.ranks, 1}, Map: c.along}
		if got := k.ShapeFactor(p, c.link); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%+v: factor %g", c, got)
		}
	}
}
