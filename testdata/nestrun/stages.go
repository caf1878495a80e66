package nestrun

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/kernel"
	"loopc/runtime/npy"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// stages are runs of a nest, or of several, of which each continues another one from a state between two
// epochs or nests.
type stages struct {
	job  Job
	prog *sched.Program
	rng  *rand.Rand

	short []int // parameters of a run that is shorter than the job's, and that others extend; nil: the job's

	resumed int  // runs that continued another run
	longer  int  // of these, runs that extended it
	shorter int  // runs that others extend
	stopped int  // runs that continued a run which had stopped early
	shown   int  // snapshots that were compared
	ended   bool // the latest run stops early

	folders []string // with states in files
}

// mostStages is how many runs continue one another.
const mostStages = 3

// run runs the nest by plans, which cut it into windows. Then it draws one of the states of this run, and
// continues from there by other plans, and so on. A run either stops early, and its last state is continued,
// or goes on to its end. run compares results, and snapshots after each window, with the interpreter's.
func (s *stages) run(plans []*plan.Plan) (wrong string) {
	defer func() {
		for _, dir := range s.folders {
			if err := os.RemoveAll(dir); err != nil && wrong == "" {
				wrong = err.Error()
			}
		}
	}()
	var from *checkpoint.State
	if shorter := s.shorten(); shorter != nil {
		plans = shorter
	}
	for k := range mostStages {
		states, err := s.stage(plans, from)
		if err != nil {
			return fmt.Sprintf("run %d of one, %v: %v\n%v", k+1, s.short, err, plans)
		}
		if from != nil {
			s.resumed++
		}
		if len(states) == 0 {
			return ""
		}
		if s.short != nil {
			states = slices.DeleteFunc(states, func(state *checkpoint.State) bool {
				return sched.Extends(context.Background(), s.prog, state, s.short, s.job.Params) != nil
			})
			if len(states) == 0 {
				return ""
			}
			s.short = nil
			s.longer++
		}
		from = states[s.rng.IntN(len(states))]
		if s.rng.IntN(8) == 0 {
			if from, err = s.throughFiles(from); err != nil {
				return err.Error()
			}
		}
		if plans = s.others(from); plans == nil {
			return ""
		}
	}
	return ""
}

// stage runs the nest from a state, by plans. It returns the states between epochs from which others
// may continue: only the last if the run stops early.
func (s *stages) stage(plans []*plan.Plan, from *checkpoint.State) ([]*checkpoint.State, error) {
	fields, err := s.fields()
	if err != nil {
		return nil, err
	}
	p, end := plans[0], 0
	if s.ended {
		s.stopped++
	}
	cuts, last := 0, 0 // for several nests: cuts so far, and the cut at which the run ends; 0: it does not
	if s.prog.Several() {
		last = s.rng.IntN(12)
		s.ended = false
	} else if s.ended = p.Windows > 1 && s.rng.IntN(2) == 0; s.ended {
		end = p.Done + p.Epoch*(1+s.rng.IntN(p.Windows-1))
	}
	var memory checkpoint.Memory
	stops := false
	due := func(at sched.Cut) sched.Due {
		if cuts++; cuts == last || end > 0 && at.State >= end {
			s.ended, stops, end = true, true, at.State
			return sched.Keep | sched.End
		}
		if cuts > 1 && s.rng.IntN(3) == 0 {
			return 0
		}
		return sched.Keep
	}
	keep := &sched.Checkpoints{From: from, Due: due, Keep: memory.Add}
	if s.rng.IntN(2) == 0 {
		keep.Levels = func(in sched.Room) int { return in.Least + s.rng.IntN(in.Most-in.Least+1) }
	}
	apart := s.rng.IntN(2) == 0
	err = s.kept(plans, fields, keep, apart)
	if s.ended = stops; !stops {
		end = 0 // the last epoch was to end
	}
	states, wrong := memory.States(), ""
	switch {
	case end == 0 && err == nil:
		if s.short == nil {
			wrong = compare(s.prog.Nest, fields, s.job.Want)
		}
	case end > 0 && errors.Is(err, sched.ErrStopped):
		if err = nil; !apart {
			wrong = s.changed(fields)
		}
		states = slices.DeleteFunc(states, func(at *checkpoint.State) bool { return at.Done < end })
		if len(states) != 1 {
			wrong = fmt.Sprintf("%d states where it stopped, after %d", len(states), end)
		}
	case err == nil:
		err = fmt.Errorf("the run was to stop after %d levels or nests, and did not", end)
	}
	if err == nil {
		err = s.snapshots(p, memory.States())
	}
	if err == nil && wrong != "" {
		err = errors.New(wrong)
	}
	return states, err
}

// kept runs the nest with checkpoints: on the entire arrays, or, if apart, each rank on its own cells.
func (s *stages) kept(plans []*plan.Plan, fields kernel.Fields, keep *sched.Checkpoints, apart bool) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	mesh := sched.Mesh(inproc.Mesh)
	if s.job.TCP > 0 && plans[0].Ranks > 1 && s.rng.IntN(4*s.job.TCP) == 0 {
		mesh = loopback(ctx)
	}
	watch := sched.Watch{Checkpoints: keep}
	if !apart {
		_, err := sched.RunPlans(ctx, s.prog, plans, fields, watch, mesh)
		return err
	}
	sum, err := sched.RunStores(ctx, s.prog, plans, func(int) sched.Store { return sched.WholeStore(fields) }, watch, mesh)
	sum.GiveReduced(fields)
	return err
}

// changed returns "", or a text that names an inout array which a run has changed although it stopped early.
func (s *stages) changed(fields kernel.Fields) string {
	for a := range s.prog.Nest.Arrays {
		if s.prog.Nest.Arrays[a].Role == plan.InOut {
			if wrong := compareCells(s.prog.Nest.Arrays[a].Name, &fields.Result[a], s.job.Given[a]); wrong != "" {
				return "stopped early: " + wrong
			}
		}
	}
	return ""
}

// snapshots compares the arrays of each state with the interpreter's arrays after the same level of the
// outermost loop.
func (s *stages) snapshots(p *plan.Plan, states []*checkpoint.State) error {
	if s.prog.Several() {
		return nil // the interpreter does not tell
	}
	for _, at := range states {
		level := p.Lo[0] - p.Done + at.Done - 1
		for a, want := range s.job.Shown[level*p.Nest.Skew[0][0]] {
			if sched.CanShow(s.prog, a) != nil {
				continue
			}
			v, err := s.initial(a)
			if err == nil {
				err = sched.Snapshot(p, at, a, &v)
			}
			if err != nil {
				return err
			}
			if s.short != nil && len(v.Data) < len(want) {
				continue // the interpreter's array has more levels
			}
			if wrong := compareCells(p.Nest.Arrays[a].Name, &v, want); wrong != "" {
				return fmt.Errorf("after %d levels: %s", at.Done, wrong)
			}
			s.shown++
		}
	}
	return nil
}

// initial returns an array with its initial content.
func (s *stages) initial(a int) (array.View, error) {
	arr := &s.prog.Nest.Arrays[a]
	fields, err := s.fields()
	if err != nil || arr.Role == plan.InOut {
		return fields.Given[a], err
	}
	lo, extent, err := arr.Extent(s.params())
	if err != nil {
		return array.View{}, err
	}
	v, err := array.Make(arr.Elem, lo, top(lo, extent))
	if err == nil && arr.Initial == plan.Computed {
		err = sched.Initial(s.prog, s.params(), fields, a, &v)
	}
	return v, err
}

// params are the parameters of the run at hand.
func (s *stages) params() []int {
	if s.short != nil {
		return s.short
	}
	return s.job.Params
}

// fields returns the arrays of the run at hand.
func (s *stages) fields() (kernel.Fields, error) {
	job := s.job
	job.Params = s.params()
	return fieldsOf(s.prog.Nest, job)
}

// shorten makes the first run shorter, if parameters allow it and given arrays stay as they are, and returns its plans.
func (s *stages) shorten() []*plan.Plan {
	nest := s.prog.Nest
	for _, k := range s.rng.Perm(len(nest.Extends)) {
		if plans := s.lower(slices.Index(nest.Params, nest.Extends[k])); plans != nil {
			return plans
		}
	}
	return nil
}

// lower is shorten with a smaller value of one parameter.
func (s *stages) lower(which int) []*plan.Plan {
	nest, params := s.prog.Nest, slices.Clone(s.job.Params)
	most := 6
	if s.rng.IntN(4) > 0 {
		most = min(most, max(1, params[which]-1)) // a run of no level leaves no state that others extend
	}
	params[which] -= 1 + s.rng.IntN(most)
	for a := range nest.Arrays {
		arr := &nest.Arrays[a]
		_, was, err := arr.Extent(s.job.Params)
		_, is, lacks := arr.Extent(params)
		if err != nil || lacks != nil || (arr.Role == plan.In || arr.Role == plan.InOut) && !slices.Equal(was, is) {
			return nil
		}
	}
	for range 4 {
		options := cut(s.prog, s.job.Plans[s.rng.IntN(len(s.job.Plans))], s.rng)
		if plans, err := plansOf(s.prog, params, options); err == nil && (s.prog.Several() || plans[0].Windows > 1) {
			s.short = params
			s.shorter++
			return plans
		}
	}
	return nil
}

// others returns plans for a run that begins with a state; nil if four draws from the job's plans do not fit.
func (s *stages) others(from *checkpoint.State) []*plan.Plan {
	for range 4 {
		options := slices.Clone(s.job.Plans[s.rng.IntN(len(s.job.Plans))])
		if s.rng.IntN(2) == 0 {
			options = cut(s.prog, options, s.rng)
		}
		if from.At == nil {
			options[0].Done = from.Done
		}
		if plans, err := plansOf(s.prog, s.job.Params, options); err == nil {
			return plans
		}
	}
	return nil
}

// throughFiles returns a state as it is after it was written to files.
func (s *stages) throughFiles(state *checkpoint.State) (*checkpoint.State, error) {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		return nil, err
	}
	s.folders = append(s.folders, dir)
	collector := checkpoint.NewCollector(dir, dir, checkpoint.Run{}, len(state.Parts), nil, nil)
	for k := range state.Parts {
		part := state.Parts[k]
		part.Keep = true
		stored := checkpoint.WritePart(&part, func(k int) (checkpoint.File, error) { return checkpoint.Create(dir, part.Done, part.Rank, k) })
		if err := collector.Add(stored); err != nil {
			return nil, err
		}
	}
	m, at, damaged, err := checkpoint.Find(dir)
	if err != nil || len(damaged) > 0 || m == nil {
		return nil, fmt.Errorf("a checkpoint that was written is not found, or damaged: %v, %w", damaged, err)
	}
	return m.State(func(name string) (npy.Storage, error) { return os.Open(filepath.Join(at, name)) }), nil
}

// cut returns options that cut runs into windows of a few levels, except runs of nests whose loops or subscripts
// have the number of a repeat.
func cut(prog *sched.Program, options []plan.Options, rng *rand.Rand) []plan.Options {
	out := slices.Clone(options)
	for k, part := range prog.Parts() {
		if !part.Nest.Levelled && part.Nest.Numbers == nil {
			out[k].Epoch = max(1, part.Nest.HaloWidth()[0]) + rng.IntN(13)
		}
	}
	return out
}
