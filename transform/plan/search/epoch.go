package search

import (
	"context"
	"math"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

const (
	// leastEpoch is the least number of levels of an epoch, so that the pipeline fills.
	leastEpoch = 64
	// cutSaves is the least part of the predicted time that cutting the run must save.
	cutSaves = 0.2
	// closeRows is how many rows of a tile are examined where one plan is compared closely.
	closeRows = 32
	// A run need not be cut if it takes less than shortRun, in seconds, since a search takes tens of milliseconds, and less than
	// smallMemory, in bytes of a process.
	shortRun    = 0.1
	longWhole   = 5.0 // seconds of a run with skewed storage, which seldom gains
	smallMemory = 64 << 20
)

// cutLong returns p, or a better plan that cuts the run into epochs, with everything considered. It cuts only long runs that take a while
// or need much memory, and only if the options leave that open.
func cutLong(ctx context.Context, o plan.Options, p *plan.Plan, considered []Alternative, m *cost.Machine, link string, choose func(o plan.Options) (*plan.Plan, []Alternative, error)) (*plan.Plan, []Alternative, error) {
	least := max(leastEpoch, p.HaloWidth[0])
	width := max(least, p.Long)
	if p.KeepsWhole() && secondsOf(considered) < longWhole {
		return p, considered, nil
	}
	if !mayCut(o) || p.Long == 0 || p.Hi[0]-p.Lo[0] < 2*width || secondsOf(considered) < shortRun && !needsMore(p, smallMemory) {
		return p, considered, nil
	}
	whole := p
	best := closely(ctx, p, considered, m, link) * (1 - cutSaves)
	try := func(epoch int) (better bool) {
		cut := o
		cut.Epoch = epoch
		q, all, err := choose(cut)
		if ctx.Err() != nil || err != nil || secondsOf(all) >= best {
			return false
		}
		if need := cost.MemoryOf(q, 0, math.MaxInt64).Total(); need > smallMemory && !needsMore(whole, need-1) {
			return false
		}
		if seconds := closely(ctx, q, all, m, link); seconds < best {
			p, considered, best = q, all, seconds
			return true
		}
		return false
	}
	try(width)
	at := width
	for next := max(least, at/2); next < at && try(next); next = max(least, at/2) {
		at = next
	}
	if at == width {
		try(2 * width)
	}
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	return p, considered, nil
}

// closely returns the predicted time of the plan p that a search has chosen: few samples may have made it too short. What could only be
// estimated stays.
func closely(ctx context.Context, p *plan.Plan, considered []Alternative, m *cost.Machine, link string) float64 {
	seconds, tiles := secondsOf(considered), cost.Estimate(p, m, link, 0).Tiles
	r := cost.NewPredictor(p)
	if r.Rows, r.Effort = closeRows, (&cost.Effort{Left: cost.MostEffort / 2}); cost.LeastCost(p, tiles) > r.Effort.Left {
		return seconds
	}
	if closer := r.Simulate(ctx, m, link, nil).Seconds; r.Effort.Left > 0 {
		return max(seconds, closer)
	}
	return seconds
}

// needsMore reports whether the first rank of p needs more than so many bytes.
func needsMore(p *plan.Plan, bytes int64) bool { return cost.MemoryOf(p, 0, bytes).Total() > bytes }

// mayCut reports whether the options leave open how a run is cut into epochs.
func mayCut(o plan.Options) bool { return o.Epoch == 0 && o.Tile == nil }

// secondsOf is the predicted time of the chosen plan.
func secondsOf(considered []Alternative) float64 {
	if k := slices.IndexFunc(considered, func(a Alternative) bool { return a.Chosen }); k >= 0 {
		return considered[k].Seconds
	}
	return 0
}
