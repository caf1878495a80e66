package search

import (
	"context"
	"math"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

const (
	// longRun is the least ratio of how far levels move during the run, along one dimension, to
	// their own extent, for which a run may be cut. Tiles and edges span the way that levels
	// move, and at most one part in longRun of them has work at a time.
	longRun = 6
	// leastEpoch is the least number of levels of an epoch, so that the pipeline fills.
	leastEpoch = 64
	// cutSaves is the least part of the predicted time that cutting the run must save.
	cutSaves = 0.2
	// smallMemory is the memory of a process, in bytes, up to which a run need not be cut.
	smallMemory = 64 << 20
)

// cutLong returns p, or a better plan that cuts the run into epochs, with everything considered.
// It cuts only very long runs whose faces need much memory, and only if the options leave that
// open. Epochs are about as long as levels are wide: a shorter one wastes time while its
// pipeline fills, a longer one moves out of the caches again.
func cutLong(ctx context.Context, o plan.Options, p *plan.Plan, considered []Alternative, choose func(o plan.Options) (*plan.Plan, []Alternative, error)) (*plan.Plan, []Alternative, error) {
	if !mayCut(o) || p.Empty || p.KeepsWhole() || p.Nest.Levelled {
		return p, considered, nil
	}
	width, extent, long := 0, p.LevelExtent(), false
	for x := 1; x < len(extent); x++ {
		if moved := p.Hi[x] - p.Lo[x] + 1 - extent[x]; moved > longRun*extent[x] {
			long, width = true, max(width, extent[x])
		}
	}
	if levels := p.Hi[0] - p.Lo[0] + 1; !long || levels <= longRun*max(width, leastEpoch) {
		return p, considered, nil
	}
	if !needsMore(p, smallMemory) {
		return p, considered, nil
	}
	whole := p
	best := secondsOf(considered) * (1 - cutSaves)
	for _, epoch := range []int{width, width / 2, 2 * width} {
		cut := o
		cut.Epoch = max(epoch, leastEpoch, p.HaloWidth[0])
		q, all, err := choose(cut)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err != nil || secondsOf(all) >= best {
			continue
		}
		if need := cost.MemoryOf(q, 0, math.MaxInt64).Total(); needsMore(whole, plan.AddBytes(need, need)-1) {
			p, considered, best = q, all, secondsOf(all)
		}
	}
	return p, considered, nil
}

// needsMore reports whether the first rank of p needs more than so many bytes.
func needsMore(p *plan.Plan, bytes int64) bool { return cost.MemoryOf(p, 0, bytes).Total() > bytes }

// mayCut reports whether the options leave open how a run is cut into epochs.
func mayCut(o plan.Options) bool { return o.Epoch == 0 && o.Done == 0 && o.Tile == nil }

// secondsOf is the predicted time of the chosen plan.
func secondsOf(considered []Alternative) float64 {
	if k := slices.IndexFunc(considered, func(a Alternative) bool { return a.Chosen }); k >= 0 {
		return considered[k].Seconds
	}
	return 0
}
