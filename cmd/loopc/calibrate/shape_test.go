package calibrate

import (
	"math"
	"slices"
	"testing"

	"loopc/testdata/emit/seidel"
)

// alone returns the runs of samples that have one worker.
func alone(samples []*Sample) []*Sample {
	return slices.DeleteFunc(samples, func(s *Sample) bool { return linkOf(s.Plan, s.Link) != noLink })
}

// TestShapes has tiles take longer than the terms say, by a factor that changes
// slowly with their sides: the factor must be found for tiles that were not measured.
// If times differ from the terms by chance only, the factor must be almost 1.
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
			work := s.predict(m)[inTiles]
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
