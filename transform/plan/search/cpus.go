package search

import (
	"context"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// joining is about the time, in seconds, for one more worker of a rank to begin and end with the others, each time that a nest runs.
// Predictions do not contain this time, but it decides whether a small nest is worth another worker.
const joining = 15e-6

// farFromIt bounds the search for plans of fewer CPUs: if the first one is estimated to take
// this many times as long as the best plan, no search makes it better.
const farFromIt = 1.5

// ChooseUpTo does what Choose does, but o.CPUs is only an upper limit, as for NewUpTo. It takes a plan of fewer CPUs if the predicted time,
// with the time that workers take to begin and end, is no longer. Runs below trifle seconds are not worth a search; New plans them.
func ChooseUpTo(ctx context.Context, nest *plan.Nest, params []int, o plan.Options, m *cost.Machine, link string, trifle float64) (*plan.Plan, []Alternative, error) {
	choose := func(cpus int, p *plan.Plan) (*plan.Plan, []Alternative, float64, error) {
		if seconds := cost.Estimate(p, m, link, 0).Seconds; seconds < trifle {
			return p, nil, seconds, nil
		}
		o := o
		o.CPUs = cpus
		p, considered, err := Choose(ctx, nest, params, o, m, link)
		if k := slices.IndexFunc(considered, func(a Alternative) bool { return a.Chosen }); err == nil && k >= 0 {
			return p, considered, considered[k].Seconds, nil
		}
		return p, considered, 0, err
	}
	p, err := NewUpTo(ctx, nest, params, o)
	if err != nil {
		return nil, nil, err
	}
	o.CPUs = p.CPUs
	best, considered, seconds, err := choose(o.CPUs, p)
	if err != nil || slices.ContainsFunc(considered, func(a Alternative) bool { return a.Chosen && a.Measured > 0 }) {
		return best, considered, err
	}
	for cpus := o.CPUs / 2; cpus >= 1; cpus /= 2 {
		saved := float64(best.CPUs-cpus) * joining
		few := o
		few.CPUs = cpus
		p, err := plan.NewContext(ctx, nest, params, few)
		if err != nil || cost.Estimate(p, m, link, 0).Seconds > farFromIt*seconds+saved {
			continue // the options may require more
		}
		x, all, took, err := choose(cpus, p)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err == nil && took <= seconds+saved {
			best, considered, seconds = x, all, took
		}
	}
	return best, considered, nil
}

// NewUpTo is plan.NewContext with o.CPUs as an upper limit: a rank gets at most o.CPUs CPUs, and at most as many as the space can use.
func NewUpTo(ctx context.Context, nest *plan.Nest, params []int, o plan.Options) (*plan.Plan, error) {
	p, err := plan.NewContext(ctx, nest, params, o)
	if err != nil {
		return nil, err
	}
	used := max(1, plan.Product(p.Mesh))
	if used >= o.CPUs {
		return p, nil
	}
	o.CPUs = used
	return plan.NewContext(ctx, nest, params, o)
}
