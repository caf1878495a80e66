package halo_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/runtime/checkpoint"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// TestWindows runs random nests under random plans that are cut into windows of levels, and
// compares every returned cell with a direct evaluation.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	count := 40
	if testing.Short() {
		count = 25
	}
	runs, windows, varied, ranks, static, mapped, resumed, short, shown := 0, 0, 0, 0, 0, 0, 0, 0, 0
	for range count {
		s := randomNest(rng)
		if len(s.points) == 0 || len(s.points) > 5000 {
			continue
		}
		for range 4 {
			o := randomOptions(rng, s.nest)
			if rng.IntN(3) == 0 {
				o.Ranks = 1
			}
			o.Epoch = max(1, s.nest.HaloWidth()[0]) + rng.IntN(6)
			p, err := plan.New(s.nest, s.params, o)
			if err != nil || p.Windows == 1 {
				continue
			}
			f := s.fields(false)
			var kept checkpoint.Memory
			keep := sched.Checkpoints{Due: func(sched.Cut) sched.Due { return sched.Keep }, Keep: kept.Add}
			varies := p.Ranks == 1 && rng.IntN(2) == 0
			if varies {
				varied++
				keep.Levels = func(in sched.Room) int { return in.Least + rng.IntN(in.Most-in.Least+1) }
			}
			sum, err := sched.RunPlans(t.Context(), s.program(), []*plan.Plan{p}, f, sched.Watch{Checkpoints: &keep}, inproc.Mesh)
			if err != nil {
				var bug *sched.Bug
				if errors.As(err, &bug) {
					t.Logf("%s", bug.Stack)
				}
				t.Fatalf("%s\n%d levels: %v", p, o.Epoch, err)
			}
			if sum.Points != int64(len(s.points)) {
				t.Fatalf("%s\n%d levels: %d iterations ran, there are %d", p, o.Epoch, sum.Points, len(s.points))
			}
			s.check(t, p, f)
			runs++
			states := kept.States()
			if len(states) != p.Windows-1 && (!varies || len(states) < p.Windows-1) {
				t.Fatalf("%s\n%d levels: %d states of %d windows", p, o.Epoch, len(states), p.Windows)
			}
			shown += s.shows(t, p, states[rng.IntN(len(states))])
			p2 := s.resume(t, rng, states[rng.IntN(len(states))])
			if p2 != nil {
				resumed++
			}
			if p2 != nil && p2.Windows > 1 && p2.FirstLevels < p2.Epoch && plan.Product(p2.Grid) > 1 {
				short++
			}
			windows += p.Windows
			for _, is := range []struct {
				n    *int
				that bool
			}{{&ranks, plan.Product(p.Grid) > 1}, {&static, !p.Alike}, {&mapped, p.Map == 0}} {
				if is.that {
					*is.n++
				}
			}
		}
	}
	t.Logf("%d runs of %d windows, %d of drawn lengths, %d arrays shown, %d continued under another plan, %d of these on several ranks with a shorter window first, %d on several ranks, %d in windows that are not alike, %d mapped along levels", runs, windows, varied, shown, resumed, short, ranks, static, mapped)
	if runs < count || windows < 3*runs || varied < runs/10 || shown < runs/4 || resumed < runs/2 || short < runs/30 || ranks < runs/8 || static < runs/20 || mapped < runs/10 {
		t.Errorf("that proves little")
	}
}

// resume continues a run from a state, under another random plan, and checks the results, and that windows end where multiples of
// their length are done. It returns the plan: nil if it does not fit.
func (s *sample) resume(t *testing.T, rng *rand.Rand, from *checkpoint.State) *plan.Plan {
	t.Helper()
	o := randomOptions(rng, s.nest)
	o.Done = from.Done
	if rng.IntN(2) == 0 {
		o.Epoch = max(1, s.nest.HaloWidth()[0]) + rng.IntN(6)
	}
	p, err := plan.New(s.nest, s.params, o)
	if err != nil {
		return nil
	}
	f := s.fields(false)
	var kept checkpoint.Memory
	keep := sched.Checkpoints{From: from, Due: func(sched.Cut) sched.Due { return sched.Keep }, Keep: kept.Add}
	if _, err := sched.RunPlans(t.Context(), s.program(), []*plan.Plan{p}, f, sched.Watch{Checkpoints: &keep}, inproc.Mesh); err != nil {
		t.Fatalf("%s\nfrom level %d: %v", p, o.Done, err)
	}
	s.check(t, p, f)
	if flat := flattened(from); flat != nil {
		if _, err := sched.RunPlans(t.Context(), s.program(), []*plan.Plan{p}, s.fields(false), sched.Watch{Checkpoints: &sched.Checkpoints{From: flat}}, inproc.Mesh); err == nil {
			t.Fatalf("%s\nfrom level %d: a block with too few dimensions is read", p, o.Done)
		}
	}
	for k, state := range kept.States() {
		if k == 0 {
			s.shows(t, p, state)
		}
		if first := o.Epoch - o.Done%o.Epoch; first >= p.HaloWidth[0] && state.Done%o.Epoch != 0 {
			t.Fatalf("%s\nepochs of %d levels after %d: a state after %d", p, o.Epoch, o.Done, state.Done)
		}
	}
	return p
}

// flattened returns a state in which a block of results with cells has one dimension less; nil: there is no such block of several dimensions.
func flattened(from *checkpoint.State) *checkpoint.State {
	flat := *from
	flat.Parts = slices.Clone(from.Parts)
	for k := range flat.Parts {
		blocks := slices.Clone(flat.Parts[k].Results)
		for b := range blocks {
			v := &blocks[b].View
			if len(v.Lo) > 1 && v.Cells() > 0 {
				v.Lo, v.Hi = v.Lo[1:], v.Hi[1:]
				flat.Parts[k].Results = blocks
				return &flat
			}
		}
	}
	return nil
}

// shows compares snapshots of a state of a run by plan p with what the direct evaluation gives up
// to its last level. It returns the number of arrays.
func (s *sample) shows(t *testing.T, p *plan.Plan, state *checkpoint.State) (shown int) {
	t.Helper()
	last := p.Lo[0] - p.Done + state.Done - 1
	nest, before := *s.nest, *s
	nest.Arrays, before.nest, before.finals = slices.Clone(nest.Arrays), &nest, slices.Clone(s.finals)
	f := s.fields(false)
	for a := range nest.Arrays {
		arr := &nest.Arrays[a]
		if !arr.Returned() || arr.Slice != nil || arr.Initial == 0 || sched.CanShow(s.program(), a) != nil {
			arr.Role, arr.Slice = plan.Internal, nil // not to be compared
			continue
		}
		shown++
		before.finals[a] = s.writtenUntil(a, last)
		v := &f.Result[a]
		eachCell(v, func(k int, cell []int) { save(v.Data, k, arr.Size, s.initial(a, cell)) })
		if err := sched.Snapshot(p, state, a, v); err != nil {
			t.Fatal(err)
		}
	}
	before.check(t, p, f)
	return shown
}

// stays reports whether the result of iteration q is still its cell's content after a level.
func (s *sample) stays(v int, q []int, level int) bool {
	stays := q[0] <= level
	for _, o := range s.nest.Values[v].Overwrites {
		next := moved(q, 1, o)
		stays = stays && (next[0] > level || !s.inside[key(next)])
	}
	return stays
}

// writtenUntil returns the content that the cells of an array have after a level: the results up to
// this level that no later one up to it overwrites.
func (s *sample) writtenUntil(a, level int) map[string]uint64 {
	out := map[string]uint64{}
	for v := range s.nest.Values {
		val := &s.nest.Values[v]
		for _, q := range s.points {
			if val.Array == a && s.stays(v, q, level) {
				out[key(s.cell(v, q))] = s.results[v][key(q)] & mask(s.nest.Arrays[a].Size)
			}
		}
	}
	return out
}
