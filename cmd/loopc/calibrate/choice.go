package calibrate

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// A Choice is a test of the planner: the plan that it chooses after a race, measured again
// beside the best plans of the race.
type Choice struct {
	Nest   string  `json:"nest"`
	Params string  `json:"params"`
	Setup  string  `json:"way"`   // ranks, CPUs and transport, as printed by Setup.String
	Tried  int     `json:"tried"` // plans
	Rounds int     `json:"rounds"`
	Plans  []Tried `json:"plans"` // the choice, the best three others, and the choice of predictions alone if it is none of these
	Ratio  float64 `json:"ratio"` // the choice's median time over the least median
	Low    float64 `json:"low"`   // quartiles over rounds: the choice's time over that of the plan with the least median
	High   float64 `json:"high"`
	// Untried is what Ratio would be if the planner chose by predictions alone, without the race.
	Untried float64 `json:"untried"`
}

// A Tried is a plan that was measured.
type Tried struct {
	Row
	What string `json:"what"` // how it differs from the choice of predictions alone; "" for that choice
}

// choiceRounds is how often each plan of a Choice is measured.
const choiceRounds = 41

// choices makes one Choice for each program; ranks and link vary from program to program.
func (j *Job) choices(ctx context.Context, m *cost.Machine, rates []float64) (all []Choice, err error) {
	cores := runtime.NumCPU()
	setups := []Setup{{cores, 1, cost.LinkTCP}, {1, cores, cost.LinkInproc}, {cores, 1, cost.LinkInproc}}
	for k, prog := range j.Programs {
		params, err := sized(prog.Nest, j.Params[k], 2*validationTime*rates[k], -1, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
		}
		c, err := j.choice(ctx, m, prog, params, setups[k%len(setups)])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
		}
		all = append(all, *c)
	}
	return all, nil
}

// choice races plans of one program, and measures the planner's choice beside the best of
// them.
func (j *Job) choice(ctx context.Context, m *cost.Machine, prog *Program, params []int, w Setup) (*Choice, error) {
	race, err := j.Race(ctx, m, prog, params, w)
	if err != nil {
		return nil, err
	}
	o := w.options(prog.Nest)
	foreseen, _, err := search.Choose(ctx, prog.Nest, params, o, untried(m), w.Link)
	if err != nil {
		return nil, err
	}
	knowing := *m
	race.Apply(&knowing)
	chosen, _, err := search.Choose(ctx, prog.Nest, params, o, &knowing, w.Link)
	if err != nil {
		return nil, err
	}
	finals := []*Config{{Program: prog, Plan: chosen, Link: w.Link}}
	what := map[*Config]string{}
	add := func(c *Config, how string) {
		if !slices.ContainsFunc(finals, func(x *Config) bool { return x.key() == c.key() }) {
			finals, what[c] = append(finals, c), how
		}
	}
	for _, s := range race.Finals {
		if s.key() == finals[0].key() {
			what[finals[0]] = race.What[s.Config]
		} else if len(finals) <= 3 {
			add(s.Config, race.What[s.Config])
		}
	}
	predicted := &Config{Program: prog, Plan: foreseen, Link: w.Link}
	add(predicted, "")
	series := &Series{Rounds: choiceRounds, Retries: 1, Patience: 20 * time.Second}
	if j.Tell != nil {
		series.Tell = func(done, all int) { j.Tell("measuring the choice for "+prog.Nest.Name, done, all) }
	}
	got, err := series.Measure(ctx, finals)
	if err != nil {
		return nil, err
	}
	c := &Choice{Nest: prog.Nest.Name, Params: finals[0].params(), Setup: w.String(), Tried: race.Tried, Rounds: choiceRounds}
	best := got[0]
	for _, s := range got {
		c.Plans = append(c.Plans, Tried{newRow(s, m), what[s.Config]})
		if s.Median() < best.Median() {
			best = s
		}
	}
	var ratios []float64
	for i, t := range got[0].rounds {
		ratios = append(ratios, t/best.rounds[i])
	}
	slices.Sort(ratios)
	c.Ratio, c.Low, c.High = got[0].Median()/best.Median(), quantile(ratios, 0.25), quantile(ratios, 0.75)
	for _, s := range got {
		if s.key() == predicted.key() {
			c.Untried = s.Median() / best.Median()
		}
	}
	return c, nil
}
