package plan

import (
	"context"
	"fmt"
	"strconv"
)

// What is said of plans whose workers wait for much of the time.
const (
	efficient = 0.6  // the part of the time in which workers compute that nobody is told of
	noticed   = 1e-3 // s; who waits for less does not care
)

// Advice says in a line that the workers of p are predicted to compute for less than 60 % of
// the time, on m, why, and what fewer would take; nothing if they compute for longer, if the
// run is short, or if it has more tiles than a search would simulate.
func (p *Plan) Advice(ctx context.Context, m *Machine, link string) string {
	if p.Empty || p.Ranks*p.CPUs == 1 {
		return ""
	}
	now, ok := p.foreseen(ctx, m, link)
	if !ok || now.Seconds < noticed || now.Efficiency >= efficient || now.Workers < 2 {
		return ""
	}
	text := fmt.Sprintf("%s are predicted to compute for %s of the time: %s", p.workers(), parts(now.Efficiency), now.losses())
	q := p.fewer(ctx, m, link)
	if q == nil {
		return text + "; larger parameters would help"
	}
	fewer, ok := q.foreseen(ctx, m, link)
	if !ok {
		return text + "; larger parameters would help"
	}
	return fmt.Sprintf("%s; %s would take %s, these %s; larger parameters keep more of them busy", text, q.workers(), short(fewer.Seconds), short(now.Seconds))
}

// mostAdvice is the effort of a simulation for advice, a small part of that of a search.
const mostAdvice = mostEffort / 5

// foreseen simulates p, if that takes no more effort than advice is worth.
func (p *Plan) foreseen(ctx context.Context, m *Machine, link string) (Prediction, bool) {
	r := p.Predictor()
	r.Most, r.effort = mostFinalTile, &effort{left: mostAdvice}
	out := r.simulate(ctx, m, link, nil)
	return out, !out.Estimated && !r.effort.spent() && ctx.Err() == nil
}

// fewer is a plan of half the CPUs, or ranks, without a search: the better, by estimates, of
// what New makes of them and of the tiles of p. It is nil if there is none.
func (p *Plan) fewer(ctx context.Context, m *Machine, link string) (best *Plan) {
	few := Options{Ranks: p.Ranks, CPUs: p.CPUs / 2, Cache: p.cache}
	if p.CPUs == 1 {
		few.Ranks, few.CPUs = p.Ranks/2, 1
	}
	alike := p.Options()
	alike.Ranks, alike.CPUs, alike.Grid, alike.Mesh = few.Ranks, few.CPUs, nil, nil
	for _, o := range []Options{few, alike} {
		q, err := NewContext(ctx, p.Nest, p.Params, o)
		if err == nil && (best == nil || q.Estimate(m, link) < best.Estimate(m, link)) {
			best = q
		}
	}
	return best
}

// workers says how many ranks and CPUs there are.
func (p *Plan) workers() string {
	switch {
	case p.Ranks == 1:
		return plural(p.CPUs, "CPU")
	case p.CPUs == 1:
		return plural(p.Ranks, "rank")
	}
	return fmt.Sprintf("%s with %s each", plural(p.Ranks, "rank"), plural(p.CPUs, "CPU"))
}

// losses says for what most of the time is lost in which workers do not compute.
func (r *Prediction) losses() string {
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
	return fmt.Sprintf("for %s %s", parts(worst/all), why)
}

// parts prints a part of a whole.
func parts(x float64) string { return strconv.FormatFloat(100*x, 'f', 0, 64) + " %" }

// short prints a time to three digits.
func short(seconds float64) string {
	switch {
	case seconds >= 1:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.3g ms", 1e3*seconds)
	}
	return fmt.Sprintf("%.3g µs", 1e6*seconds)
}
