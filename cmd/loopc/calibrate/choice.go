package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"loopc/transform/plan"
)

// A Choice is the planner's choice among the plans of a run, measured beside the
// best of those that were tried.
type Choice struct {
	Nest   string  `json:"nest"`
	Params string  `json:"params"`
	Way    string  `json:"way"`   // ranks, CPUs and transport
	Tried  int     `json:"tried"` // plans, in a first series
	Rounds int     `json:"rounds"`
	Plans  []Tried `json:"plans"` // the choice first, then the best three of the others
	Ratio  float64 `json:"ratio"` // the choice's median time by the least of the four
	Low    float64 `json:"low"`   // quartiles of the ratio, round by round
	High   float64 `json:"high"`
}

// A Tried is a plan that was measured.
type Tried struct {
	Row
	What string `json:"what"` // how it differs from the choice
}

// How many plans are tried, and how often the best of them are measured again.
const (
	bestTried   = 8 // those of which least is predicted
	othersTried = 4 // spread over the rest
	choiceRound = 15
)

// choices lets the planner choose for each program, on other ranks and links each
// time, and measures the choice beside the best of the plans that it considered.
func (j *Job) choices(ctx context.Context, m *plan.Machine, rates []float64) (all []Choice, err error) {
	cores := runtime.NumCPU()
	ways := []way{{cores, 1, plan.LinkTCP}, {1, cores, plan.LinkInproc}, {cores, 1, plan.LinkInproc}}
	for k, prog := range j.Programs {
		params, err := sized(prog.Nest, j.Params[k], 2*proofTime*rates[k], -1, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
		}
		c, err := j.choice(ctx, m, prog, params, ways[k%len(ways)])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", prog.Nest.Name, err)
		}
		all = append(all, *c)
	}
	return all, nil
}

// choice measures one choice.
func (j *Job) choice(ctx context.Context, m *plan.Machine, prog *Program, params []int, w way) (*Choice, error) {
	chosen, considered, err := plan.Choose(prog.Nest, params, plan.Options{Ranks: w.ranks, CPUs: w.cpus}, m, w.link)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(considered, func(a plan.Alternative) bool { return a.Chosen })
	some := others[:min(bestTried, len(others))]
	for rest := others[len(some):]; len(rest) > 0 && len(some) < bestTried+othersTried; {
		at := len(rest) / 3
		some, rest = append(slices.Clone(some), rest[at]), rest[at+1:]
	}
	what := map[*Config]string{}
	tried := []*Config{{Program: prog, Plan: chosen, Link: w.link}}
	for _, a := range some {
		c, err := newConfig(prog, params, a.Options, w.link, 0)
		if err != nil {
			return nil, err
		}
		what[c] = a.What
		tried = append(tried, c)
	}
	series := &Series{Rounds: 3, Retries: 1, Patience: 20 * time.Second}
	first, err := series.Measure(ctx, tried[1:])
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(first, func(a, b *Sample) int { return cmp.Compare(a.Typical(), b.Typical()) })
	finals := tried[:1:1]
	for _, s := range first[:min(3, len(first))] {
		finals = append(finals, s.Config)
	}
	series = &Series{Rounds: choiceRound, Retries: 1, Patience: 20 * time.Second}
	if j.Tell != nil {
		series.Tell = func(done, all int) { j.Tell("measuring the choice for "+prog.Nest.Name, done, all) }
	}
	got, err := series.Measure(ctx, finals)
	if err != nil {
		return nil, err
	}
	way := fmt.Sprintf("%d x %d, %s", w.ranks, w.cpus, w.link)
	if w.ranks == 1 {
		way = fmt.Sprintf("%d x %d", w.ranks, w.cpus)
	}
	c := &Choice{Nest: prog.Nest.Name, Params: tried[0].params(), Way: way, Tried: len(tried), Rounds: choiceRound}
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
	return c, nil
}
