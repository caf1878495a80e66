package search

import (
	"context"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// joining is about what one worker more of a rank takes to begin with the others, and to
// end, each time that a nest is run, in seconds. It is no part of predictions, which are of
// tiles, but decides whether a small nest is worth another worker.
const joining = 15e-6

// farFromIt is how many times as long as the best plan one of fewer CPUs is estimated to
// take, before search, of which no search makes a better one.
const farFromIt = 1.5

// ChooseUpTo is ChooseContext where nobody has asked for o.CPUs: like NewUpTo, but a plan of
// fewer CPUs is taken where it is predicted to take no longer, with what workers take to
// begin and to end. Runs below trifle seconds, which are not worth a search, are planned as
// New does.
func ChooseUpTo(ctx context.Context, nest *plan.Nest, params []int, o plan.Options, m *cost.Machine, link string, trifle float64) (*plan.Plan, []Alternative, error) {
	choose := func(cpus int, p *plan.Plan) (*plan.Plan, []Alternative, float64, error) {
		if seconds := cost.Estimate(p, m, link); seconds < trifle {
			return p, nil, seconds, nil
		}
		o := o
		o.CPUs = cpus
		p, considered, err := ChooseContext(ctx, nest, params, o, m, link)
		if k := slices.IndexFunc(considered, func(a Alternative) bool { return a.Chosen }); err == nil && k >= 0 {
			return p, considered, considered[k].Seconds, nil
		}
		return p, considered, 0, err
	}
	p, err := plan.NewUpTo(ctx, nest, params, o)
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
		if err != nil || cost.Estimate(p, m, link) > farFromIt*seconds+saved {
			continue // options may want more
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
