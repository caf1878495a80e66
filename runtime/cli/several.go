package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// A program of several nests has a plan for each. What is common to them, and what
// the arrays of the whole are, is in a plan without iterations: see wholePlan.

// several reports whether the program has several nests.
func (c *command) several() bool { return c.prog.Nests != nil }

// makePlans plans the nests of a program of several.
func (c *command) makePlans(ctx context.Context) error {
	s := c.settings
	asked := s.options
	if s.allCPUs { // a schedule may say how many
		asked.CPUs = 0
	}
	each, err := c.prog.OptionsForEach(asked)
	if err != nil {
		return usageError{err}
	}
	m, warning, err := plan.FindMachine(s.machine)
	if err != nil {
		return err
	}
	if warning != "" && !s.verify {
		fmt.Fprintf(c.stderr, "%s: warning: %s\n", c.prog.Nest.Name, warning)
	}
	c.plans, err = c.prog.PlanSteps(s.params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		o := each[k]
		all := o.CPUs == 0 && o.Mesh == nil
		if all {
			o.CPUs = s.options.CPUs
		}
		if _, err := plan.NewContext(ctx, nest, params, o); err != nil {
			return nil, planError(ctx, fmt.Errorf("nest %s: %w", nest.Name, err))
		}
		p, err := c.chosen(ctx, c.prog.Part(k), params, o, all, m)
		if err != nil {
			return nil, planError(ctx, err)
		}
		return p, nil
	})
	if err != nil {
		return err
	}
	c.plan = wholePlan(c.prog, c.plans, s.params)
	return nil
}

// wholePlan returns a plan without iterations that has what is common to the plans
// of the nests of a program.
func wholePlan(prog *sched.Program, plans []*plan.Plan, params []int) *plan.Plan {
	p := &plan.Plan{Nest: prog.Nest, Params: params, Empty: true, Ranks: plans[0].Ranks, Comm: plans[0].Comm}
	for _, n := range plans {
		p.CPUs = max(p.CPUs, n.CPUs)
		for _, w := range n.Warnings {
			p.Warnings = append(p.Warnings, n.Nest.Name+": "+w)
		}
	}
	return p
}

// allPlans returns the plans of the nests.
func (c *command) allPlans() []*plan.Plan {
	if c.several() {
		return c.plans
	}
	return []*plan.Plan{c.plan}
}

// printPlans prints the plan of every nest, and the kernel that computes it.
func (c *command) printPlans(w io.Writer) {
	for k, p := range c.allPlans() {
		kernel := c.prog.Kernel.Name
		if c.several() {
			if k > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "nest %s\n", p.Nest.Name)
			kernel = c.prog.Nests[k].Kernel.Name
		}
		fmt.Fprintf(w, "%v%-16s%s\n", p, "kernel", kernel)
	}
}

// points is how many iterations the run has, if every repeat goes to its end.
func (c *command) points() int64 {
	if !c.several() {
		total, _ := c.plan.Points()
		return total
	}
	return stepPoints(c.prog, c.plans, c.plan.Params)
}

// stepPoints is how many iterations the steps of a program have, if every repeat
// goes to its end.
func stepPoints(prog *sched.Program, plans []*plan.Plan, params []int) int64 {
	var of func(steps []sched.Step) int64
	of = func(steps []sched.Step) (all int64) {
		for _, s := range steps {
			if s.Repeat == nil {
				n, _ := plans[s.Nest].Points()
				all += n
				continue
			}
			lo, hi := s.Repeat.Bounds(params)
			all += int64(max(0, hi-lo+1)) * of(s.Repeat.Steps)
		}
		return all
	}
	return of(prog.Steps)
}

// busiest returns the plan whose ranks exchange the most, by which they are placed.
func (c *command) busiest() *plan.Plan {
	var best *plan.Plan
	most := int64(-1)
	for _, p := range c.allPlans() {
		if _, bytes, _ := p.Volume(); bytes > most {
			best, most = p, bytes
		}
	}
	return best
}

// stepOptions returns options that leave nothing open, for each nest of several.
func (c *command) stepOptions() []plan.Options {
	var out []plan.Options
	for _, p := range c.plans {
		out = append(out, p.Options())
	}
	return out
}

// readPlans makes the plans of a job, which must be the launcher's: that of the
// whole, and those of the nests.
func (j *job) readPlans(ctx context.Context, prog *sched.Program) (*plan.Plan, []*plan.Plan, error) {
	plans, err := prog.PlanSteps(j.Params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		if k >= len(j.Steps) {
			return nil, errors.New("the job has options for fewer nests than the program")
		}
		return plan.NewContext(ctx, nest, params, j.Steps[k])
	})
	if err != nil {
		return nil, nil, err
	}
	if sched.PlansDigest(prog, plans) != j.Digest {
		return nil, nil, errOther
	}
	return wholePlan(prog, plans, j.Params), plans, nil
}

// A rankStore reads the given arrays of a rank from the files of its job, and
// writes its results into others.
type rankStore struct {
	job  *job
	plan *plan.Plan // of the whole

	mu    sync.Mutex
	given map[int]*given // opened so far
}

// store returns the store of a rank.
func (j *job) store(p *plan.Plan) *rankStore {
	return &rankStore{job: j, plan: p, given: map[int]*given{}}
}

// close closes the files.
func (s *rankStore) close() {
	for _, g := range s.given {
		closeGiven([]*given{g})
	}
}

// Fill is that of sched.Store.
func (s *rankStore) Fill(arr int, v *array.View) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.given[arr]
	for i := range s.job.Given {
		if a := &s.job.Given[i]; a.Array == arr && g == nil {
			var err error
			if g, err = a.open(s.plan.Nest, s.plan.Params, s.job.far); err != nil {
				return err
			}
			s.given[arr] = g
		}
	}
	if g == nil {
		panic(fmt.Sprintf("BUG: array %d is not given", arr))
	}
	if g.file != nil {
		return g.file.ReadBox(v, g.lo)
	}
	g.seed.fill(v, g.arr, g.lo, g.extent)
	return nil
}

// Keep is that of sched.Store.
func (s *rankStore) Keep(arr int, v *array.View) error {
	for _, r := range s.job.Results {
		if r.Array == arr {
			return writeCells(s.plan, &s.plan.Nest.Arrays[arr], *r.File, s.job.far, v)
		}
	}
	return nil
}

// runSteps runs a rank's part of a program of several nests.
func (j *job) runSteps(ctx context.Context, prog *sched.Program, whole *plan.Plan, plans []*plan.Plan, tr transport.Transport, watch sched.Watch) (sched.Summary, error) {
	store := j.store(whole)
	defer store.close()
	sum, deliver, err := sched.RankSteps(ctx, prog, plans, j.Params, tr, sched.Store{Fill: store.Fill, Keep: store.Keep}, watch)
	if err != nil {
		return sum, err
	}
	return sum, deliver()
}

// writeRepeats tells how often the nests of repeats that may end early were run.
func (c *command) writeRepeats(sum sched.Summary) error {
	for _, r := range c.prog.Repeats() {
		if r.Until == nil || r.Index >= len(sum.Repeats) {
			continue
		}
		lo, hi := r.Bounds(c.plan.Params)
		if _, err := fmt.Fprintf(c.stdout, "%s: %d of %s\n", r.Name, sum.Repeats[r.Index], plural(max(0, hi-lo+1), "repetition")); err != nil {
			return err
		}
	}
	return nil
}

// trySteps runs one trial of verify for a program of several nests.
func (c *command) trySteps(ctx context.Context, t *trial, prog *sched.Program, fields kernel.Fields, mesh func(plans []*plan.Plan) sched.Mesh) (sched.Summary, []*plan.Plan, error) {
	plans, err := c.prog.PlanSteps(t.params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		p, err := plan.New(nest, params, t.steps[k])
		if err != nil {
			return nil, fmt.Errorf("the plan of nest %s is refused: %w", nest.Name, err)
		}
		return p, errors.Join(p.CheckOrder(nil), p.CheckCredits(nil))
	})
	if err != nil {
		return sched.Summary{}, nil, err
	}
	workers := 0
	for _, p := range plans {
		workers = max(workers, p.Ranks*p.CPUs)
	}
	defer launch.UseProcessors(workers, 1)()
	sum, err := sched.RunSteps(ctx, prog, plans, t.params, fields, sched.Watch{}, mesh(plans))
	return sum, plans, err
}

// setSteps gives the trial options for every nest: its own, with a tile, a mapping
// dimension and a grid for each.
func (c *command) setSteps(t *trial, rng *rand.Rand) {
	base := t.options
	_, _ = c.prog.PlanSteps(t.params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		one := trial{params: params, options: base}
		sub := &command{prog: c.prog.Nests[k], settings: c.settings}
		dims := userDims(nest)
		if m := rng.IntN(len(dims) + 1); m > 0 {
			one.options.Map = dims[m-1]
		}
		sub.setTile(&one, rng.IntN(tileLevels))
		sub.setGrid(&one, rng.IntN(gridLevels))
		sub.loosen(&one)
		t.steps = append(t.steps, one.options)
		return &plan.Plan{}, nil
	})
}

// loosen drops options that do not go together, the grid first.
func (c *command) loosen(t *trial) {
	if _, err := plan.New(c.prog.Nest, t.params, t.options); err == nil {
		return
	}
	t.options.Grid = nil
	if _, err := plan.New(c.prog.Nest, t.params, t.options); err != nil {
		t.options.Tile, t.options.First = nil, nil
	}
}

// stepFlags describes the options of each nest of a trial.
func (t *trial) stepFlags(prog *sched.Program) string {
	var b strings.Builder
	for k, o := range t.steps {
		one := trial{options: o}
		flags, _, _ := strings.Cut(one.flags(&plan.Nest{}), " --comm")
		fmt.Fprintf(&b, "\n        %s: %s", prog.Nests[k].Nest.Name, flags)
	}
	return b.String()
}

// planJob fills in the part of a job that says what is run.
func (c *command) planJob(j *job) {
	if c.several() {
		j.Steps, j.Digest = c.stepOptions(), sched.PlansDigest(c.prog, c.plans)
		return
	}
	j.Options, j.Digest = c.plan.Options(), c.plan.Digest()
}

// peers returns the ranks that a rank of the run exchanges anything with.
func peers(prog *sched.Program, whole *plan.Plan, plans []*plan.Plan, rank int) []int {
	if prog.Nests == nil {
		return whole.Peers(rank)
	}
	return sched.Peers(prog, plans, whole.Params, rank)
}

// errOther is a program that is not the launcher's.
var errOther = errors.New("this program is not the launcher's: it plans otherwise")

// readJob reads a job and makes its plan, and of several nests theirs, which must
// be the launcher's.
func readJob(ctx context.Context, r io.Reader, prog *sched.Program) (*job, *plan.Plan, []*plan.Plan, error) {
	j := &job{}
	if err := json.NewDecoder(r).Decode(j); err != nil {
		return nil, nil, nil, fmt.Errorf("the job cannot be read: %w", err)
	}
	if prog.Nests != nil {
		p, plans, err := j.readPlans(ctx, prog)
		return j, p, plans, err
	}
	p, err := plan.NewContext(ctx, prog.Nest, j.Params, j.Options)
	if err != nil {
		return nil, nil, nil, err
	}
	if p.Digest() != j.Digest {
		return nil, nil, nil, errOther
	}
	return j, p, []*plan.Plan{p}, nil
}

// launchDigest returns the digest of a run as the handshake has it.
func launchDigest(prog *sched.Program, plans []*plan.Plan) [32]byte {
	return digest(sched.PlansDigest(prog, plans))
}
