package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A Report says how accurate predictions are on a machine.
type Report struct {
	Machine *cost.Machine `json:"machine"` // as calibrated in the same run
	When    string        `json:"when"`
	Seconds float64       `json:"seconds"` // duration of the whole report
	Fit     Table         `json:"fit"`     // the runs that calibrated
	Table   Table         `json:"table"`   // other runs, which were not used for calibration
	Choices []Choice      `json:"choices"`
	Samples []*Sample     `json:"-"` // all measurements with real CPUs
}

// Validate calibrates with runs of the programs, measures other runs in between, and compares
// the times of these other runs with predictions. Runs of both kinds alternate, so that
// both see the machine in the same state.
func Validate(ctx context.Context, j *Job, base *cost.Machine) (*Report, error) {
	began := time.Now()
	rates, err := j.rates(ctx)
	if err != nil {
		return nil, err
	}
	e := j.effort()
	configs, err := j.draw(rates, e)
	if err != nil {
		return nil, err
	}
	known := len(configs)
	for k, prog := range j.Programs {
		c, err := j.validationRuns(prog, j.Params[k], rates[k])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
		}
		configs = append(configs, c...)
	}
	series := &Series{Rounds: 7, Retries: 0.5, Patience: time.Minute}
	if j.Quick {
		series.Rounds, series.Patience = 5, 10*time.Second
	}
	if j.Tell != nil {
		series.Tell = func(done, all int) { j.Tell("calibrating, and measuring what is predicted", done, all) }
	}
	samples, err := series.Measure(ctx, configs)
	if err != nil {
		return nil, err
	}
	r := &Report{When: began.Format("2 January 2006, 15:04 MST"), Samples: samples}
	for _, s := range samples[known:] {
		s.Asked = true
	}
	fitting := samples[:known]
	m, learned, err := j.refine(ctx, fitted(base, fitting), fitting, rates, e)
	if err != nil {
		return nil, err
	}
	r.Machine, r.Fit = m, newTable(rowsOf(learned, m))
	r.Samples = append(learned, samples[known:]...)
	rows := rowsOf(samples[known:], m)
	for k, prog := range j.Programs {
		if j.Quick && k > 0 {
			break
		}
		virtual, err := j.validateVirtual(ctx, base, prog, j.Params[k])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
		}
		rows = append(rows, virtual...)
	}
	r.Table = newTable(rows)
	if !j.Quick {
		if r.Choices, err = j.choices(ctx, m, rates); err != nil {
			return nil, err
		}
	}
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

func rowsOf(samples []*Sample, m *cost.Machine) (rows []Row) {
	for _, s := range samples {
		rows = append(rows, newRow(s, m))
	}
	return rows
}

// validationTime is the approximate duration of the shorter validation runs on one CPU, in seconds.
const validationTime = 0.06

// validationRuns returns the runs of a program whose times are predicted, at two sizes that calibration
// did not use: on one CPU, on all CPUs of a rank, and on ranks in one process and in
// several; with tiles as high as the planner's, lower and higher; with overlap and blocking.
func (j *Job) validationRuns(prog *Program, base []int, rate float64) ([]*Config, error) {
	sizes := []float64{validationTime * rate, 3 * validationTime * rate}
	heights := []float64{1, 0.3, 3}
	if j.Quick {
		sizes, heights = sizes[:1], heights[:1]
	}
	var all []*Config
	for i, points := range sizes {
		stretched := -1 // all parameters grow alike
		if i%2 == 1 {
			stretched = len(base) - 1 // the last one grows twice as much
		}
		params, err := sized(prog.Nest, base, points, stretched, 2)
		if err != nil {
			return nil, err
		}
		for _, w := range setups() {
			comms := []plan.Comm{plan.Overlap, plan.Blocking}
			if w.Ranks == 1 {
				comms = comms[:1]
			}
			for k, h := range heights {
				for n, comm := range comms {
					if len(heights) > 1 && (i+k+n)%len(heights) == 0 {
						continue // leave out one in three
					}
					c, err := withHeight(prog, params, plan.Options{Ranks: w.Ranks, CPUs: w.CPUs, Comm: comm}, w.Link, h, 0)
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

// withHeight plans a run with the planner's tiles, but multiplies their side along the mapping
// dimension by factor.
func withHeight(prog *Program, params []int, o plan.Options, link string, factor, virtual float64) (*Config, error) {
	c, err := newConfig(prog, params, o, link, virtual)
	if err != nil {
		return nil, err
	}
	p := c.Plan
	o = c.Plan.Options()
	first := 0
	if p.Nest.Levelled {
		first = 1 // dimension 0 is no loop, and the options have no side for it
	}
	height := int(math.Round(float64(p.Side[p.Map]) * factor))
	o.Tile[p.Map-first] = max(height, p.HaloWidth[p.Map], 1)
	return newConfig(prog, params, o, link, virtual)
}

// virtualPoint is the time of an iteration on a virtual CPU, in seconds.
const virtualPoint = 40e-9

// validateVirtual does what Validate does, for more CPUs than the machine has: a program on virtual CPUs, on
// up to four ranks. It calibrates with other sizes, and mostly with two ranks.
func (j *Job) validateVirtual(ctx context.Context, base *cost.Machine, prog *Program, params []int) ([]Row, error) {
	m := copyOf(base)
	m.Cores = 64 // no two virtual CPUs share one
	digest := prog.Nest.Digest
	m.Kernels = map[string]cost.Kernel{digest: {Point: []cost.Rate{{Seconds: virtualPoint}}}}

	setups := []Setup{{1, 1, cost.LinkInproc}, {1, 4, cost.LinkInproc}, {2, 1, cost.LinkInproc}, {2, 1, cost.LinkTCP}, {4, 1, cost.LinkInproc}, {4, 1, cost.LinkTCP}, {2, 2, cost.LinkTCP}}
	comms := []plan.Comm{plan.Overlap, plan.Blocking}
	draw := func(points float64, stretched int, heights []float64) (configs []*Config, err error) {
		p, err := sized(prog.Nest, params, points, stretched, 2)
		if err != nil {
			return nil, err
		}
		for _, w := range setups {
			for _, comm := range comms {
				if w.Ranks == 1 && comm == plan.Blocking {
					continue
				}
				for _, h := range heights {
					c, err := withHeight(prog, p, plan.Options{Ranks: w.Ranks, CPUs: w.CPUs, Comm: comm}, w.Link, h, virtualPoint)
					if err != nil {
						return nil, err
					}
					configs = append(configs, c)
				}
			}
		}
		return configs, nil
	}
	known, err := draw(1.2e6, -1, []float64{0.1, 0.25, 1})
	if err != nil {
		return nil, err
	}
	setups = setups[1:]
	asked, err := draw(2.5e6, 0, []float64{0.15, 0.6})
	if err != nil {
		return nil, err
	}
	e := effort{rounds: 3, patience: 10 * time.Second}
	if j.Quick {
		e = effort{rounds: 3}
		known, asked = every(known, 4), every(asked, 6)
	}
	learned, err := j.series("calibrating virtual CPUs", e).Measure(ctx, known)
	if err != nil {
		return nil, err
	}
	e.rounds *= 2
	got, err := j.series("measuring virtual CPUs", e).Measure(ctx, asked)
	if err != nil {
		return nil, err
	}
	fitVirtual(m, prog.Nest, learned)
	return rowsOf(got, m), nil
}

// every draws one in n entries of x, in every run the same ones.
func every(x []*Config, n int) (out []*Config) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range x {
		if rng.IntN(n) == 0 {
			out = append(out, c)
		}
	}
	return out
}

// fitVirtual does what Fit does, for virtual CPUs, whose time for an iteration is known.
func fitVirtual(m *cost.Machine, nest *plan.Nest, samples []*Sample) {
	for _, link := range []string{noLink, cost.LinkLocal, cost.LinkInproc, cost.LinkTCP} {
		var some []*Sample
		for _, s := range samples {
			if linkOf(s.Plan, s.Link) == link {
				some = append(some, s)
			}
		}
		some = undisturbed(some)
		if link != noLink {
			fit(m, linkFigures(link), some)
			continue
		}
		figures := kernelFigures(nest.Digest, 0, 0) // without the time of an iteration, which is known, and without lanes
		figures = slices.DeleteFunc(figures, func(f figure) bool { return slices.Contains([]string{"lone", "mask", "scalar", "run"}, f.Name) })
		fitLinear(m, figures, some)
	}
}
