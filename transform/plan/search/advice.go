package search

import (
	"context"
	"fmt"
	"strconv"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// When advice is given.
const (
	efficient = 0.6  // efficiency of workers above which there is no advice
	noticed   = 1e-3 // s; no advice for shorter runs
)

// Advice returns a line if the workers of p are predicted to compute less than 60 % of the time on m: why, and what fewer workers would
// take. It returns "" otherwise, and for runs that are short or have more tiles than a search would simulate.
func Advice(p *plan.Plan, ctx context.Context, m *cost.Machine, link string) string {
	if p.Empty || p.Ranks*p.CPUs == 1 {
		return ""
	}
	now, ok := foreseen(p, ctx, m, link)
	if !ok || now.Seconds < noticed || now.Efficiency >= efficient || now.Workers < 2 {
		return ""
	}
	text := fmt.Sprintf("%s are predicted to compute for %s of the time: %s", workers(p), percent(now.Efficiency), losses(&now))
	q := fewer(p, ctx, m, link)
	if q == nil {
		return text + "; larger parameters would help"
	}
	fewer, ok := foreseen(q, ctx, m, link)
	if !ok {
		return text + "; larger parameters would help"
	}
	return fmt.Sprintf("%s; %s would take %s, these %s; larger parameters keep more of them busy", text, workers(q), short(fewer.Seconds), short(now.Seconds))
}

// mostAdvice is the effort of a simulation for advice, a small part of a search's effort.
const mostAdvice = cost.MostEffort / 5

// foreseen simulates p. It returns false if that takes more effort than mostAdvice, or ctx has ended.
func foreseen(p *plan.Plan, ctx context.Context, m *cost.Machine, link string) (cost.Prediction, bool) {
	r := cost.NewPredictor(p)
	r.Most, r.Effort = mostFinalTile, &cost.Effort{Left: mostAdvice}
	out := r.Simulate(ctx, m, link, nil)
	return out, !out.Estimated && r.Effort.Left > 0 && ctx.Err() == nil
}

// fewer returns a plan for half the CPUs or ranks, without a search: the better one, by
// estimates, of New's plan and a plan with p's tiles. It is nil if there is none.
func fewer(p *plan.Plan, ctx context.Context, m *cost.Machine, link string) (best *plan.Plan) {
	few := plan.Options{Ranks: p.Ranks, CPUs: p.CPUs / 2, Cache: p.Cache}
	if p.CPUs == 1 {
		few.Ranks, few.CPUs = p.Ranks/2, 1
	}
	alike := p.Options()
	alike.Ranks, alike.CPUs, alike.Grid, alike.Mesh = few.Ranks, few.CPUs, nil, nil
	for _, o := range []plan.Options{few, alike} {
		q, err := plan.NewContext(ctx, p.Nest, p.Params, o)
		if err == nil && (best == nil || cost.Estimate(q, m, link, 0).Seconds < cost.Estimate(best, m, link, 0).Seconds) {
			best = q
		}
	}
	return best
}

// workers returns the number of ranks and CPUs as text.
func workers(p *plan.Plan) string {
	switch {
	case p.Ranks == 1:
		return plan.Plural(p.CPUs, "CPU")
	case p.CPUs == 1:
		return plan.Plural(p.Ranks, "rank")
	}
	return fmt.Sprintf("%s with %s each", plan.Plural(p.Ranks, "rank"), plan.Plural(p.CPUs, "CPU"))
}

// losses says what workers mostly do when they do not compute.
func losses(r *cost.Prediction) string {
	all := r.All.Fill + r.All.Compute + r.All.Pack + r.All.Waiting + r.All.Drain
	worst, why := 0.0, ""
	for _, x := range []struct {
		seconds float64
		why     string
	}{
		{r.All.Fill, "they wait for what their first tiles need"},
		{r.All.Drain, "they have run their last tiles"},
		{r.All.Waiting, "they wait for one another between tiles"},
		{r.All.Pack, "they pack faces"},
	} {
		if x.seconds > worst {
			worst, why = x.seconds, x.why
		}
	}
	return fmt.Sprintf("for %s %s", percent(worst/all), why)
}

// percent formats a fraction as a percentage.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 0, 64) + " %" }

// short formats a time with three digits.
func short(seconds float64) string {
	switch {
	case seconds >= 1:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.3g ms", 1e3*seconds)
	}
	return fmt.Sprintf("%.3g µs", 1e6*seconds)
}
