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
	single, local, inproc, tcp int             // for each size and shape, the pairs of configurations with each of the setups
	rounds                     int
	refinements                int           // rounds in which the planner's choices are measured too
	budget, patience           time.Duration // see Series
	again                      int           // how often doubtful measurements are repeated
}

var (
	thorough = effort{times: []time.Duration{25 * time.Millisecond, 100 * time.Millisecond}, single: 3, local: 1, inproc: 1, tcp: 1, rounds: 5, refinements: 2, budget: 30 * time.Second, patience: 10 * time.Second, again: 1}
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

// setups are the ways to use this machine: one CPU alone; one rank with all CPUs; a rank for each CPU, in
// one process; and a rank for each CPU, over TCP. single, local, inproc and tcp of an effort have this order.
func setups() []Setup {
	cores := runtime.NumCPU()
	all := []Setup{{1, 1, cost.LinkInproc}, {1, cores, cost.LinkInproc}, {cores, 1, cost.LinkInproc}, {cores, 1, cost.LinkTCP}}
	if cores == 1 {
		return all[:1]
	}
	return all
}

// configs draws the runs of a program to which figures are fitted: several sizes and shapes
// of the space, each with tiles of many sizes, on one CPU, on one rank with all CPUs, and on
// a rank for each CPU.
func (j *Job) configs(prog *Program, base []int, rate float64, e effort) ([]*Config, error) {
	d := &designer{prog, rand.New(rand.NewPCG(7, 19))}
	stretched := []int{-1} // the parameter that is larger than the others; -1: all in proportion
	for k := range base {
		stretched = append(stretched, k)
	}
	var all []*Config
	for _, duration := range e.times {
		for _, k := range stretched {
			params, err := sized(prog.Nest, base, duration.Seconds()*rate, k, 3)
			if err != nil {
				return nil, err
			}
			for n, w := range setups() {
				for i := range []int{e.single, e.local, e.inproc, e.tcp}[n] {
					comm := plan.Overlap // by turns with Blocking, because the figures serve both
					if pairs := len(all) / 2; (i+pairs)%2 == 1 && w.Ranks > 1 {
						comm = plan.Blocking
					}
					pair, err := d.pair(params, plan.Options{Ranks: w.Ranks, CPUs: w.CPUs, Comm: comm}, w.Link)
					if err != nil {
						return nil, err
					}
					all = append(all, pair...)
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
		return j.series("measuring again, since the machine is busy", e).Repeat(ctx, samples)
	})
	if err != nil {
		return nil, nil, err
	}
	return j.refine(ctx, m, samples, rates, e)
}

// settled returns the machine that explains the samples best. While its figures are
// doubtful, it calls addRuns, at most the given number of times, to add runs to the samples.
func settled(base *cost.Machine, samples []*Sample, most int, addRuns func() error) (*cost.Machine, error) {
	for {
		m := fitted(base, samples)
		if Doubt(m, samples) == "" || most == 0 {
			return m, nil
		}
		most--
		if err := addRuns(); err != nil {
			return nil, err
		}
	}
}

// refine measures the plans that the planner chooses with the figures of m, and refits the
// figures, a few times. The planner prefers plans for which the figures are too optimistic; runs of
// these plans correct the figures.
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
	for k, prog := range j.Programs {
		for _, duration := range e.times {
			params, err := sized(prog.Nest, j.Params[k], duration.Seconds()*rates[k], -1, 1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
			}
			for _, w := range setups() {
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

// machineName is a name for this machine.
func machineName() string {
	return fmt.Sprintf("%d CPUs, %s", runtime.NumCPU(), cpuModel())
}
