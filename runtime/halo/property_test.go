package halo_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
	"loopc/runtime/transport/transporttest"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// TestNestsAndPlans draws a nest and a plan, and requires every cell that a direct
// evaluation computes. A failure shrinks to the smallest plan that shows it.
func TestNestsAndPlans(t *testing.T) {
	ran, refused, faces := 0, 0, int64(0)
	for ran+refused < 100 && !t.Failed() { // rapid draws fewer with -short, and few of those have faces
		rapid.Check(t, func(r *rapid.T) {
			s, p := drawnPlan(r)
			if p == nil {
				refused++
				return
			}
			ran++
			sent, err := planted(t.Context(), s, p, nil, inproc.Mesh)
			if err != nil {
				r.Fatal(err)
			}
			faces += sent
		})
	}
	if ran < refused || faces < int64(ran) {
		t.Errorf("%d plans were run with %d faces, %d were refused: that proves little", ran, faces, refused)
	}
}

// drawnPlan draws a nest and options for it; the plan is nil if they do not fit.
func drawnPlan(r *rapid.T) (*sample, *plan.Plan) {
	s := randomNest(rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "nest"), 1)))
	if len(s.points) == 0 || len(s.points) > 5000 {
		return s, nil
	}
	dims := s.nest.Dims
	o := plan.Options{
		Ranks: rapid.IntRange(1, 6).Draw(r, "ranks"), CPUs: rapid.IntRange(1, 3).Draw(r, "cpus"),
		Map:    rapid.SampledFrom(dims).Draw(r, "map"),
		Comm:   rapid.SampledFrom([]plan.Comm{plan.Overlap, plan.Blocking}).Draw(r, "comm"),
		Group:  rapid.SampledFrom([]plan.Group{plan.Hyperplane, plan.Vertical}).Draw(r, "group"),
		Assign: rapid.SampledFrom(append(plan.Assign(plan.Any).All(), plan.Any)).Draw(r, "assign"),
	}
	if rapid.Bool().Draw(r, "tiled") {
		for k, least := range s.nest.HaloWidth() {
			o.Tile = append(o.Tile, max(1, least)+rapid.IntRange(0, 5).Draw(r, dims[k]))
		}
	}
	p, err := plan.New(s.nest, s.params, o)
	if err != nil {
		return s, nil
	}
	return s, p
}

// planted runs s by p, with another nest in its place if nest is not nil, and returns the
// number of faces sent and the first error in the result.
func planted(ctx context.Context, s *sample, p *plan.Plan, nest *plan.Nest, mesh sched.Mesh) (faces int64, err error) {
	prog := s.program()
	if nest != nil {
		prog.Nest = nest
		if p, err = plan.New(nest, s.params, p.Options()); err != nil {
			return 0, err
		}
	}
	return s.runAs(ctx, prog, p, mesh)
}

// runAs runs prog, a program for the nest of s, by p, and returns the number of faces sent and
// the first error in the result.
func (s *sample) runAs(ctx context.Context, prog *sched.Program, p *plan.Plan, mesh sched.Mesh) (faces int64, err error) {
	f := s.fields(false)
	sum, err := sched.RunPlans(ctx, prog, []*plan.Plan{p}, f, sched.Watch{}, mesh)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p, err)
	}
	var wrong complaint
	s.check(&wrong, p, f)
	if wrong != "" {
		return 0, fmt.Errorf("%s", string(wrong))
	}
	return sum.Messages, nil
}

// A complaint is the first failure of a check.
type complaint string

func (*complaint) Helper() {}

func (c *complaint) Fatalf(format string, args ...any) {
	if *c == "" {
		*c = complaint(fmt.Sprintf(format, args...))
	}
}

// TestPlantedFaults plants a fault in runs of random nests, and requires that the property of
// TestNestsAndPlans fails: the last cells of faces are lost, faces are released twice, or the
// planner does not know one distance.
func TestPlantedFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 8))
	found, tried := map[string]int{}, map[string]int{}
	for range 60 {
		s := randomNest(rng)
		if len(s.points) == 0 || len(s.points) > 5000 {
			continue
		}
		o := randomOptions(rng, s.nest)
		o.Ranks = 2 + rng.IntN(3)
		p, err := plan.New(s.nest, s.params, o)
		if err != nil {
			continue
		}
		if m, _, _ := cost.Volume(p); m == 0 {
			continue
		}
		faults := map[string]func() error{
			"none":           func() error { _, err := planted(t.Context(), s, p, nil, inproc.Mesh); return err },
			"short face":     func() error { _, err := planted(t.Context(), s, p, nil, meddling(shortFace)); return err },
			"another credit": func() error { _, err := planted(t.Context(), s, p, nil, meddling(anotherCredit)); return err },
		}
		if less := withoutDistance(s.nest); less != nil {
			faults["dropped dependence"] = func() error { _, err := planted(t.Context(), s, p, less, inproc.Mesh); return err }
		}
		for what, run := range faults {
			tried[what]++
			if run() != nil {
				found[what]++
			}
		}
	}
	t.Logf("found %v of %v", found, tried)
	if found["none"] > 0 {
		t.Errorf("%d of %d runs fail without a fault", found["none"], tried["none"])
	}
	// Perhaps nobody reads the lost cell, or the halo for other distances covers the missing
	// one.
	for what, least := range map[string]float64{"short face": 0.3, "another credit": 1, "dropped dependence": 0.3} {
		if tried[what] < 20 || float64(found[what]) < least*float64(tried[what]) {
			t.Errorf("%s: found %d of %d", what, found[what], tried[what])
		}
	}
}

// withoutDistance returns a copy of a nest in which the longest flow distance is
// missing; nil if there is none.
func withoutDistance(nest *plan.Nest) *plan.Nest {
	value, at, length := -1, 0, 0
	for v := range nest.Values {
		for k, d := range nest.Values[v].Flow {
			sum := 0
			for _, x := range d {
				sum += x
			}
			if sum > length {
				value, at, length = v, k, sum
			}
		}
	}
	if value < 0 {
		return nil
	}
	less := *nest
	less.Values = slices.Clone(nest.Values)
	val := &less.Values[value]
	d := val.Flow[at]
	val.Flow = slices.Delete(slices.Clone(val.Flow), at, at+1)
	val.Need = slices.DeleteFunc(slices.Clone(val.Need), func(o []int) bool { return slices.Equal(o, d) })
	return &less
}

// The last cells of a face are lost; faces are released twice.
var (
	shortFace = transporttest.Faults{Arrived: func(_ transport.Edge, _ int, face []byte) error {
		clear(face[max(0, len(face)-8):]) // cells have eight bytes at most
		return nil
	}}
	anotherCredit = transporttest.Faults{Release: func(transport.Edge, int) int { return 2 }}
)

// meddling returns an in-process mesh with faults between ranks and transport.
func meddling(faults transporttest.Faults) sched.Mesh {
	return func(size int, run string) ([]transport.Transport, error) {
		all, err := inproc.Mesh(size, run)
		for k := range all {
			all[k] = transporttest.Inject(all[k], faults)
		}
		return all, err
	}
}
