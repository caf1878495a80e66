package calibrate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// A Job is what to measure, and how thoroughly.
type Job struct {
	Programs []*Program
	Params   [][]int // of each program: typical sizes; measured sizes keep their proportions
	Quick    bool    // in seconds instead of a minute
	// Tell, unless nil, is called now and then with the current activity and its progress.
	Tell func(what string, done, all int)
}

// An effort says how much of a program is measured.
type effort struct {
	times                      []time.Duration // about how long runs on one CPU take
	single, local, inproc, tcp int             // configurations of each kind, for each size and shape
	rounds                     int
	refinements                int           // rounds in which the planner's choices are measured too
	budget, patience           time.Duration // see Series
	again                      int           // how often doubtful measurements are repeated
}

var (
	thorough = effort{times: []time.Duration{25 * time.Millisecond, 100 * time.Millisecond}, single: 3, local: 1, inproc: 1, tcp: 1, rounds: 5, refinements: 2, budget: 30 * time.Second, patience: 10 * time.Second}
	quick    = effort{times: []time.Duration{8 * time.Millisecond}, single: 4, local: 1, inproc: 1, tcp: 2, rounds: 2, budget: 6 * time.Second, again: 2}
)

func (j *Job) effort() effort {
	if j.Quick {
		return quick
	}
	return thorough
}

func (j *Job) series(what string, e effort) *Series {
	s := &Series{Rounds: e.rounds, Budget: e.budget, Retries: 1, Patience: e.patience}
	if j.Quick {
		s.Retries = 0
	}
	if j.Tell != nil {
		s.Tell = func(done, all int) { j.Tell(what, done, all) }
	}
	return s
}

// configs draws the runs of a program to which figures are fitted: several sizes and shapes
// of the space, each with tiles of many sizes, on one CPU, on all CPUs of one rank, and on
// several ranks that use all CPUs.
func (j *Job) configs(prog *Program, base []int, rate float64, e effort) ([]*Config, error) {
	d := &designer{prog, rand.New(rand.NewPCG(7, 19))}
	stretched := []int{-1} // the parameter that is larger than the others; -1: all in proportion
	for k := range base {
		stretched = append(stretched, k)
	}
	cores := runtime.NumCPU()
	ways := []struct {
		Way
		count int
	}{{Way{1, 1, cost.LinkInproc}, e.single}}
	if cores > 1 {
		ways = append(ways, []struct {
			Way
			count int
		}{
			{Way{1, cores, cost.LinkInproc}, e.local}, {Way{cores, 1, cost.LinkInproc}, e.inproc}, {Way{cores, 1, cost.LinkTCP}, e.tcp},
		}...)
	}
	var all []*Config
	for _, single := range e.times {
		for _, k := range stretched {
			params, err := sized(prog.Nest, base, single.Seconds()*rate, k, 3)
			if err != nil {
				return nil, err
			}
			for _, w := range ways {
				for i := range w.count {
					o := plan.Options{Ranks: w.Ranks, CPUs: w.CPUs, Comm: plan.Overlap}
					if (i+len(all)/2)%2 == 1 && w.Ranks > 1 { // every other pair of runs
						o.Comm = plan.Blocking
					}
					c, err := d.tiles(params, o, w.Link)
					if err != nil {
						return nil, err
					}
					all = append(all, c)
					// The planner's own tiles matter most.
					if c, err = d.near(cost.DefaultMachine(), params, o, w.Link); err != nil {
						return nil, err
					}
					all = append(all, c)
				}
			}
			// And the plan that the planner's rules make without a search.
			c, err := newConfig(prog, params, plan.Options{Ranks: 1, CPUs: 1}, cost.LinkInproc, 0)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// Calibrate measures what the programs' tiles and messages cost on this machine. It returns
// a machine with these figures, and the measurements. base supplies the figures that are
// not measured.
func Calibrate(ctx context.Context, j *Job, base *cost.Machine) (*cost.Machine, []*Sample, error) {
	rates, err := j.rates(ctx)
	if err != nil {
		return nil, nil, err
	}
	e := j.effort()
	configs, err := j.draw(rates, e)
	if err != nil {
		return nil, nil, err
	}
	e.budget *= time.Duration(len(j.Programs))
	e.patience *= time.Duration(len(j.Programs))
	samples, err := j.series("calibrating", e).Measure(ctx, configs)
	if err != nil {
		return nil, nil, err
	}
	m, err := settled(base, samples, e.again, func() error {
		return j.series("measuring again, since the machine is busy,", e).Repeat(ctx, samples)
	})
	if err != nil {
		return nil, nil, err
	}
	return j.refine(ctx, m, samples, rates, e)
}

// settled returns the machine that explains the samples best. While its figures are
// doubtful, it calls again, a function that adds runs to the samples; times bounds these
// calls.
func settled(base *cost.Machine, samples []*Sample, times int, again func() error) (*cost.Machine, error) {
	for {
		m := fitted(base, samples)
		if why, _ := Doubt(m, samples); why == "" || times == 0 {
			return m, nil
		}
		times--
		if err := again(); err != nil {
			return nil, err
		}
	}
}

// refine measures the plans that the planner chooses with the figures of m, and refits the
// figures, a few times. The planner chooses where the figures are too optimistic, so these
// runs correct them.
func (j *Job) refine(ctx context.Context, m *cost.Machine, samples []*Sample, rates []float64, e effort) (*cost.Machine, []*Sample, error) {
	seen := map[string]bool{}
	for _, s := range samples {
		seen[s.key()] = true
	}
	for range e.refinements {
		configs, err := j.chosen(ctx, m, rates, e)
		if err != nil {
			return nil, nil, err
		}
		configs = slices.DeleteFunc(configs, func(c *Config) bool {
			known := seen[c.key()]
			seen[c.key()] = true
			return known
		})
		more, err := j.series("measuring what the planner chooses", e).Measure(ctx, configs)
		if err != nil {
			return nil, nil, err
		}
		samples = append(slices.Clone(samples), more...)
		Fit(m, samples)
	}
	return m, samples, nil
}

// chosen returns runs of the plans that the planner chooses with the figures of m, and of
// the second-best plans, for several sizes of each program.
func (j *Job) chosen(ctx context.Context, m *cost.Machine, rates []float64, e effort) (all []*Config, err error) {
	cores := runtime.NumCPU()
	ways := []Way{{1, 1, cost.LinkInproc}}
	if cores > 1 {
		ways = append(ways, Way{1, cores, cost.LinkInproc}, Way{cores, 1, cost.LinkInproc}, Way{cores, 1, cost.LinkTCP})
	}
	for k, prog := range j.Programs {
		for _, single := range e.times {
			params, err := sized(prog.Nest, j.Params[k], single.Seconds()*rates[k], -1, 1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
			}
			for _, w := range ways {
				_, considered, err := search.Choose(ctx, prog.Nest, params, plan.Options{Ranks: w.Ranks, CPUs: w.CPUs}, m, w.Link)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
				}
				for _, a := range considered[:min(2, len(considered))] {
					c, err := newConfig(prog, params, a.Options, w.Link, 0)
					if err != nil {
						return nil, err
					}
					all = append(all, c)
				}
			}
		}
	}
	return all, nil
}

// key identifies the run.
func (c *Config) key() string {
	return c.Plan.Nest.Digest + " " + c.params() + " " + c.Plan.Digest() + " " + c.Link
}

// rates are the programs' iterations per second on one CPU, approximately.
func (j *Job) rates(ctx context.Context) ([]float64, error) {
	var all []float64
	for k, prog := range j.Programs {
		r, err := prog.rate(ctx, j.Params[k])
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// draw draws the calibrating runs of all programs.
func (j *Job) draw(rates []float64, e effort) (all []*Config, err error) {
	for k, prog := range j.Programs {
		configs, err := j.configs(prog, j.Params[k], rates[k], e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
		}
		all = append(all, configs...)
	}
	return all, nil
}

// fitted returns the machine whose figures explain the samples best. base supplies the
// figures that are not measured.
func fitted(base *cost.Machine, samples []*Sample) *cost.Machine {
	m := copyOf(base)
	m.Cores = runtime.NumCPU()
	m.Measured = time.Now().Format(time.DateOnly)
	m.Name = machineName()
	m.Stream = Stream()
	if c := Caches(); c != nil {
		m.Cache = c
	}
	Fit(m, samples)
	return m
}

// Fit sets the figures of m by least squares of the relative errors of its predictions for
// the samples: the costs of tiles first, from runs of a single worker, then the costs of
// shared memory and of each link.
func Fit(m *cost.Machine, samples []*Sample) {
	if m.Kernels == nil {
		m.Kernels = map[string]cost.Kernel{}
	}
	if m.Links == nil {
		m.Links = map[string]cost.Link{}
	}
	for name, l := range cost.DefaultMachine().Links {
		if _, ok := m.Links[name]; !ok {
			m.Links[name] = l
		}
	}
	// of returns the samples of one link and kernel ("": of all kernels).
	of := func(link string, key string) (out []*Sample) {
		for _, s := range samples {
			if (key == "" || cost.KernelKey(s.Plan) == key) && linkOf(s.Plan, s.Link) == link {
				out = append(out, s)
			}
		}
		return undisturbed(out)
	}
	keys := keysOf(samples)
	alone := map[string]bool{} // keys of kernels that have runs with a single worker
	for _, key := range keys {
		some := of(single, key)
		if alone[key] = len(some) > 0; !alone[key] {
			// Only runs of several ranks have such tiles.
			some = append(of(cost.LinkInproc, key), of(cost.LinkTCP, key)...)
		}
		if len(some) == 0 {
			continue
		}
		fitKernel(m, key, some)
		fitShapes(m, key, "", some)
	}
	if nests := nestsOf(samples); len(nests) > 0 { // nests that were not measured cost what the first one does, per assignment
		m.Kernel = scaled(m.KernelFor(samples[0].Plan), 1/float64(max(1, len(nests[0].Values))))
	}
	// CPUs slow one another down whether they belong to one rank or to several. Messages
	// through memory cost little, so both kinds of runs determine these figures.
	var figures []figure
	var some []*Sample
	for _, link := range []string{cost.LinkLocal, cost.LinkInproc} {
		if more := of(link, ""); len(more) > 0 {
			figures, some = append(figures, linkFigures(link)...), append(some, more...)
		}
	}
	for _, key := range keysOf(some) {
		if alone[key] {
			figures = append(figures, busyFigure(key, m.Cores))
		}
	}
	fit(m, figures, some)
	// Now runs on several CPUs refine the costs of tiles too, and better costs of tiles
	// give better costs of messages.
	for _, key := range keys {
		fitShapes(m, key, "", append(of(single, key), append(of(cost.LinkLocal, key), of(cost.LinkInproc, key)...)...))
	}
	fit(m, figures, some)
	fit(m, linkFigures(cost.LinkTCP), of(cost.LinkTCP, ""))
	for _, key := range keys {
		fitShapes(m, key, cost.LinkTCP, of(cost.LinkTCP, key))
	}
}

// undisturbed drops the samples that have only disturbed runs, unless these are more than a
// third of all.
func undisturbed(samples []*Sample) []*Sample {
	out := slices.DeleteFunc(slices.Clone(samples), func(s *Sample) bool { return s.Disturbed })
	if 3*len(out) < 2*len(samples) {
		return samples
	}
	return out
}

// single is the link of runs with one worker, in Fit.
const single = "single"

// linkOf is the link that determines the cost of messages in a run.
func linkOf(p *plan.Plan, link string) string {
	switch {
	case product(p.Grid) > 1:
		return link
	case product(p.Mesh) > 1:
		return cost.LinkLocal
	}
	return single
}

// nestsOf returns the nests of samples, in their order.
func nestsOf(samples []*Sample) (nests []*plan.Nest) {
	seen := map[string]bool{}
	for _, s := range samples {
		if nest := s.Plan.Nest; !seen[nest.Digest] {
			seen[nest.Digest] = true
			nests = append(nests, nest)
		}
	}
	return nests
}

// keysOf returns the samples' keys in Machine.Kernels, in order of appearance.
func keysOf(samples []*Sample) (keys []string) {
	for _, s := range samples {
		if key := cost.KernelKey(s.Plan); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// scaled returns k with the time of an iteration multiplied by f.
func scaled(k cost.Kernel, f float64) cost.Kernel {
	k.Point = append([]cost.Rate(nil), k.Point...)
	for i := range k.Point {
		k.Point[i].Seconds *= f
	}
	return k
}

// machineName is a name for this machine.
func machineName() string {
	return fmt.Sprintf("%d CPUs, %s", runtime.NumCPU(), cpuModel())
}
