package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Limits of the comparison by simulation.
const (
	mostFinal     = 40     // plans that are simulated, New's not counted
	mostFinalTile = 20_000 // tiles of a plan that is simulated
	mostFinalAll  = 40_000 // tiles of all these plans

	// If plans take the same time within this factor, the simplest is chosen: overlap, hyperplane, retile, and New's choice. Built-in
	// figures are less reliable than measured ones, so their factor is greater. If only the best plans were compared closely, the
	// smaller factor holds: with the greater one, the simplest plan might be outside the comparison.
	tieMeasured = 1.02
	tieBuiltIn  = 1.10

	// Among such plans whose CPUs take tiles cyclically, the one with the most tiles is chosen,
	// which suffers least when something else slows a CPU down for a while.
	tieCyclic = 1.03

	// Plans are compared in rounds: all of them roughly, then the best ones more closely.
	mostCompared  = 12 // plans in the second round
	leastCompared = 3  // plans in the last round
)

// finalists returns the best few candidates by their estimates: New's choice; the best of all; the best of each way to group, assign
// and communicate, because a simpler one may be as good; and plans that finer may take in place of one of these.
func (c *chooser) finalists() []*candidate {
	ranked := c.best(len(c.all), nil)
	final := slices.Clip(ranked[:min(mostFinal/2, len(ranked))])
	type scheme struct {
		group  plan.Group
		assign plan.Assign
		comm   plan.Comm
	}
	seen := map[scheme]bool{}
	for _, x := range ranked {
		s := scheme{x.p.Group, x.p.Assign, x.p.Comm}
		if !seen[s] && len(final) < mostFinal && !slices.Contains(final, x) {
			final = append(final, x)
		}
		seen[s] = true
	}
	for _, x := range ranked { // see finer
		alike := func(y *candidate) bool { return cyclicLike(x.p, y.p) }
		if len(final) < mostFinal && slices.ContainsFunc(final, alike) && !slices.Contains(final, x) {
			final = append(final, x)
		}
	}
	if base := c.all[0]; !slices.Contains(final, base) {
		final = append(final, base)
	}
	final = c.frugal(ranked, final)
	for _, x := range c.all {
		if x.measured > 0 && !slices.Contains(final, x) {
			final = append(final, x)
		}
	}
	return final
}

// predict simulates x, from so many rows of a tile (Predictor.Rows), and returns true. It returns false if that takes more effort than
// most, or than is left.
func (c *chooser) predict(x *candidate, rows, most int) bool {
	if x.simulated && x.rows == 0 {
		return true
	}
	r := cost.NewPredictor(x.p)
	r.Rows = rows
	if c.effort != nil {
		if most = min(most, c.effort.Left); most < cost.LeastCost(x.p, x.estimated.Tiles) {
			return false
		}
		r.Effort = &cost.Effort{Left: most}
	}
	seconds := r.Simulate(c.ctx, c.m, c.link, nil).Seconds
	if c.effort != nil {
		c.effort.Left -= most - r.Effort.Left
	}
	if r.Effort != nil && r.Effort.Left <= 0 {
		return false
	}
	x.seconds, x.simulated, x.rows = seconds, true, rows
	if kinds, exact := r.Looked(); kinds > 0 {
		x.kinds = kinds
		if exact {
			x.rows = 0
		}
	}
	return true
}

// exactCost is about the effort of simulating x exactly.
func (x *candidate) exactCost() int {
	if x.simulated && x.rows == 0 {
		return 0
	}
	return x.kinds*cost.ExactCost(x.p, &x.c.kernel) + cost.LeastCost(x.p, x.estimated.Tiles)
}

// compare simulates the plans. It returns the best of them, all examined equally closely, and
// whether these are all of the plans, examined exactly.
func (c *chooser) compare(final []*candidate) (best []*candidate, complete bool) {
	if c.effort == nil {
		c.simulated(final, math.MaxInt)
		return final, true
	}
	all := len(final)
	for _, x := range final {
		x.kinds = max(1, int(x.estimated.Tiles))
	}
	each := c.effort.Left / 3 / len(final)
	c.tryExactly(final, each)
	final = c.simulated(final, each)
	for _, most := range []int{mostCompared, leastCompared} {
		if len(final) == 0 {
			break
		}
		fit, left := 0, c.effort.Left
		for ; fit < len(final) && final[fit].exactCost() <= left; fit++ {
			left -= final[fit].exactCost()
		}
		if fit == len(final) || fit >= most {
			return c.simulated(final[:fit], math.MaxInt), fit == all
		}
		final = final[:min(len(final), most)]
		if better := c.simulated(final, c.effort.Left/2/len(final)); len(better) == len(final) {
			final = better
		}
	}
	return final, false
}

// tryExactly simulates exactly those plans for which that takes at most the effort each. It has to
// attempt the simulation to find out: exactCost is too high, as it counts every tile as a kind of
// its own, and all rows. Attempts end when the failed ones have taken a small part of the effort.
func (c *chooser) tryExactly(plans []*candidate, each int) {
	vain := c.effort.Left / 16
	for _, x := range plans {
		if cost.ExactCost(x.p, &c.kernel) > each { // even a single tile may take more
			continue
		}
		if left := c.effort.Left; !c.predict(x, 0, each) {
			if vain -= left - c.effort.Left; vain < 0 {
				return
			}
		}
	}
}

// simulated simulates plans and returns them sorted by time. Each simulation takes about the
// effort each. Plans for which no effort is left are left out.
func (c *chooser) simulated(plans []*candidate, each int) (done []*candidate) {
	for _, x := range plans {
		if c.predict(x, cost.WithinEffort(x.p, x.kinds, each-cost.LeastCost(x.p, x.estimated.Tiles), &c.kernel), math.MaxInt) {
			done = append(done, x)
		}
	}
	slices.SortStableFunc(done, func(a, b *candidate) int { return cmp.Compare(a.charged(), b.charged()) })
	// If the first plan needs more memory than it may, the best plan within the limit comes next,
	// so that both are examined equally closely: see simplest.
	if k := slices.IndexFunc(done, func(x *candidate) bool { return x.excess <= 1 }); k > 1 {
		x := done[k]
		copy(done[2:], done[1:k])
		done[1] = x
	}
	return done
}

// decide simulates the best few and takes the best plan.
func (c *chooser) decide() (*plan.Plan, []Alternative) {
	base := c.all[0]
	final := c.finalists()
	// Simulate as many as there is time for, in their order. Without the best one and New's there is nothing to compare.
	first := final[0]
	complete := true
	tiles := max(first.estimated.Tiles, base.estimated.Tiles)
	if tiles <= mostFinalTile {
		total := first.estimated.Tiles + base.estimated.Tiles
		final = slices.DeleteFunc(final, func(x *candidate) bool {
			if x == first || x == base || x.measured > 0 {
				return false
			}
			if x.estimated.Tiles > mostFinalTile || total+x.estimated.Tiles > mostFinalAll {
				return true
			}
			total += x.estimated.Tiles
			return false
		})
		tried := slices.DeleteFunc(slices.Clone(final), func(x *candidate) bool { return x.measured == 0 })
		if best, all := c.compare(final); len(best) > 0 {
			first, final, complete = best[0], best, all
		}
		for _, x := range tried {
			if !slices.Contains(final, x) {
				final = append(final, x)
			}
		}
		// Assume that the other estimates are off by the same factor.
		if first.simulated && first.estimated.Seconds > 0 {
			for _, x := range c.all {
				if !x.simulated {
					x.seconds *= first.seconds / first.estimated.Seconds
				}
			}
		}
	}
	chosen := c.fastest
	if chosen == nil {
		chosen = c.simplest(final, complete)
	}
	chosen = c.narrowed(chosen.finer(final), final)
	var list []Alternative
	for _, x := range c.best(len(c.all), nil) {
		a := Alternative{Options: x.p.Options(), Seconds: x.seconds, Steps: x.estimated.Steps, Bytes: x.estimated.Bytes, Memory: x.memory, Chosen: x == chosen, Estimated: !x.simulated, Measured: x.measured}
		if x != chosen {
			a.What = differs(x.p, chosen.p)
		}
		list = append(list, a)
	}
	return chosen.p, list
}

// simplest returns the simplest of the plans that take about as long as the best one. complete says that no other plan could be simpler.
func (c *chooser) simplest(final []*candidate, complete bool) (chosen *candidate) {
	best, base := final[0], c.all[0]
	for _, x := range final {
		if x.charged() < best.charged() {
			best = x
		}
	}
	tie := tieBuiltIn
	if c.m.Measured != "" {
		tie = tieMeasured
	}
	others := tie
	if !complete {
		others = tieMeasured
	}
	if base.p.KeepsWhole() {
		tie, others = 1, 1 // a plan outside the comparison is no simpler
	}
	for _, x := range final {
		most := others
		if best.excess > 1 && x.excess <= 1 {
			most = tie // the best of these is always compared, see simulated
		}
		if x.charged() <= best.charged()*most && (chosen == nil || x.simpler(chosen, base)) {
			chosen = x
		}
	}
	return chosen
}

// simpler reports whether x is simpler than y: first by whether it needs more memory than it
// may, then by what it uses, then by whether New chooses it, then by time.
func (x *candidate) simpler(y, base *candidate) bool {
	price := func(x *candidate) int {
		n := 0
		if x.excess > 1 {
			n += 4 // more than all the criteria below together
		}
		if x.p.Comm != plan.Overlap {
			n++
		}
		if x.p.Group != plan.Hyperplane {
			n++
		}
		if x.p.Assign != plan.Retile && !x.p.CyclicOnRank() {
			n++ // CPUs of a rank that take columns cyclically are equally simple
		}
		n = 2*n + 1
		if x == base && x.fills() {
			n--
		}
		return n
	}
	if a, b := price(x), price(y); a != b {
		return a < b
	}
	return x.charged() < y.charged()
}

// cyclicLike reports whether p's CPUs take tiles cyclically, and p and o have the same mapping dimension and the same mesh of CPUs.
func cyclicLike(p *plan.Plan, o *plan.Plan) bool {
	return p.CyclicOnRank() && p.Map == o.Map && slices.Equal(p.Mesh, o.Mesh)
}

// finer returns, if the CPUs of x take tiles cyclically, the plan in final with the most tiles
// that takes about as long; it returns x if x had a trial.
func (x *candidate) finer(final []*candidate) *candidate {
	if !x.p.CyclicOnRank() || x.p.KeepsWhole() || x.measured > 0 {
		return x
	}
	first := x
	for _, y := range final {
		if y.inStead(first) && y.p.Columns() > x.p.Columns() {
			x = y
		}
	}
	return x
}

// inStead reports whether x may replace y, if CPUs take tiles cyclically: it takes about as long, and no more memory.
func (x *candidate) inStead(y *candidate) bool {
	return cyclicLike(x.p, y.p) && x.excess <= y.excess && x.charged() <= y.charged()*tieCyclic
}

// fills reports whether the levels of x's tiles fill the lanes, if lanes are levels.
func (x *candidate) fills() bool {
	h := x.p.Side[0]
	return !x.c.levels || h%x.c.lanes == 0 || h > x.p.Hi[0]-x.p.Lo[0] || !x.c.openSide(x.p, 0)
}

// differs says in words how p differs from another plan of the same nest.
func differs(p *plan.Plan, o *plan.Plan) string {
	var s []string
	say := func(format string, args ...any) { s = append(s, fmt.Sprintf(format, args...)) }
	if p.Map != o.Map {
		say("map %s", p.Nest.Dims[p.Map])
	}
	if !slices.Equal(p.Grid, o.Grid) {
		say("grid %s", plan.Times(p.PerLoop(p.Grid)))
	}
	if !slices.Equal(p.Mesh, o.Mesh) {
		say("cpus %s", plan.Times(p.PerLoop(p.Mesh)))
	}
	for k, w := range p.Side {
		switch {
		case p.Map != o.Map || w == o.Side[k] && p.Sub == o.Sub:
		case k == p.Map && w*p.Sub != o.Side[k]*o.Sub:
			say("height %d", w*p.Sub)
		case k != p.Map && w != o.Side[k]:
			say("width %d along %s", w, p.Nest.Dims[k])
		}
		switch {
		case p.Map != o.Map || p.FirstSide(k)-p.Side[k] == o.FirstSide(k)-o.Side[k]:
		case p.FirstSide(k) < p.Side[k]:
			say("the first %d", p.FirstSide(k))
		default:
			say("the first as wide as others")
		}
	}
	if p.Map != o.Map {
		say("tile %s", plan.Times(p.PerLoop(p.Side)))
	}
	if p.Assign != o.Assign {
		say("%s", p.Assign)
	}
	if p.Group != o.Group {
		say("%s", p.Group)
	}
	if p.Sub != o.Sub {
		say("%d sub-tiles", p.Sub)
	}
	if p.Comm != o.Comm {
		say("%s", p.Comm)
	}
	return strings.Join(s, ", ")
}
