package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// mostArranged is the most grids, and the most CPU meshes, that are tried.
const mostArranged = 24

// mostTrades is how often the search makes one side of the best tile longer and another one shorter: see trades.
const mostTrades = 3

// Choose plans a run of nest. New decides by rules what the options leave open: mapping dimension, grid, CPU mesh, tile sides, grouping,
// sub-tiles, assignment and communication. Choose decides these by the predicted time, and by the memory that ranks need beyond their
// share. A message between ranks takes the time of the named link of m. Choose returns the plan and everything considered, sorted by time.
//
// A run that is very long compared with the extent of its levels may be cut into epochs. If m has
// trials of this run, Choose takes the plan of the fastest one, unless the options exclude it.
//
// It searches coordinate by coordinate, beginning with New's plan: estimates prune, and the best few plans are simulated if they are small
// enough, see cost.Estimate and cost.Predictor. Errors are those of New, a link that m does not know, and, when ctx ends, its cause.
func Choose(ctx context.Context, nest *plan.Nest, params []int, o plan.Options, m *cost.Machine, link string) (*plan.Plan, []Alternative, error) {
	with := func(o plan.Options) (*plan.Plan, []Alternative, error) {
		return choose(ctx, nest, params, o, m, link, &cost.Effort{Left: cost.MostEffort})
	}
	p, considered, err := with(o)
	if err != nil && ctx.Err() == nil && mayCut(o) { // tiles of a very long run may be too large, and those of epochs not
		o.Epoch = leastEpoch
		if cut, all, ok := with(o); ok == nil {
			return cut, all, nil
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return cutLong(ctx, o, p, considered, m, link, with)
}

// ChooseUnbounded is Choose with unlimited effort. Tests compare Choose with it.
func ChooseUnbounded(nest *plan.Nest, params []int, o plan.Options, m *cost.Machine, link string) (*plan.Plan, []Alternative, error) {
	return choose(context.Background(), nest, params, o, m, link, nil)
}

// choose is Choose with the given effort; nil: unlimited.
func choose(ctx context.Context, nest *plan.Nest, params []int, o plan.Options, m *cost.Machine, link string, e *cost.Effort) (*plan.Plan, []Alternative, error) {
	if _, err := m.LinkNamed(link); err != nil {
		return nil, nil, err
	}
	if o.Cache == 0 {
		o.Cache = secondCache(m)
	}
	base, err := plan.NewContext(ctx, nest, params, o)
	if err != nil {
		return nil, nil, err
	}
	c := &chooser{ctx: ctx, effort: e, nest: nest, params: params, given: o, m: m, link: link, seen: map[string]bool{}}
	k := m.KernelFor(base)
	c.levels, c.lanes = k.Across == plan.AcrossLevels && !base.KeepsWhole(), max(1, k.Lanes)
	c.rows = 1
	if k.Across == plan.AcrossRows && len(base.Side) > 2 {
		c.rows = max(1, k.Rows)
	}
	c.kernel = k
	c.add(base)
	if !base.Empty {
		c.points, _ = base.Points()
		c.share = cost.Share(base)
		c.all[0].estimate()
		if base.KeepsWhole() { // the sides follow a rule: see fitWhole
			c.inTime()
			c.planeTiles()
		} else {
			c.search()
		}
		c.fastest = c.tried()
	}
	p, considered := c.decide()
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	return p, considered, nil
}

// new does what New does, with the context of the search.
func (c *chooser) new(o plan.Options) (*plan.Plan, error) {
	return plan.NewContext(c.ctx, c.nest, c.params, o)
}

// A candidate is a plan that Choose considers.
type candidate struct {
	p         *plan.Plan
	c         *chooser
	estimated cost.Prediction
	seconds   float64
	simulated bool
	rows      int     // Predictor.Rows of the simulation
	kinds     int     // number of kinds of tiles that the simulation examined
	measured  float64 // s; 0: there was no trial
	memory    int64   // of the rank that needs most; 0: not weighed
	excess    float64 // see chooser.excess; 0: not weighed
}

type chooser struct {
	ctx    context.Context
	nest   *plan.Nest
	params []int
	given  plan.Options
	m      *cost.Machine
	link   string
	points int64
	share  int64 // bytes: see cost.Share
	levels bool  // lanes are levels
	lanes  int   // of a vector
	kernel cost.Kernel
	rows   int // of a level, which the kernel computes together: see filled
	seen   map[string]bool
	effort *cost.Effort // nil: unlimited
	all    []*candidate
	// fastest is the fastest candidate with a trial, if any.
	fastest *candidate
}

// add adds a plan to the candidates. It returns nil if the plan is one of them already.
func (c *chooser) add(p *plan.Plan) *candidate {
	d := p.Digest()
	if c.seen[d] {
		return nil
	}
	c.seen[d] = true
	x := &candidate{p: p, c: c}
	c.all = append(c.all, x)
	return x
}

// try adds the plan of the options, unless New refuses the options, or the plan has fewer workers than the first candidate, New's plan.
func (c *chooser) try(o plan.Options) {
	p, err := c.new(o)
	if err != nil || plan.Product(p.Grid)*plan.Product(p.Mesh) < plan.Product(c.all[0].p.Grid)*plan.Product(c.all[0].p.Mesh) {
		return
	}
	if x := c.add(p); x != nil {
		x.estimate()
	}
}

func (x *candidate) estimate() {
	x.estimated = cost.Estimate(x.p, x.c.m, x.c.link, x.c.points)
	x.seconds = x.estimated.Seconds
}

// best returns the fastest of the candidates for which fits is true, at most so many, sorted by time. A nil fits is true for all.
func (c *chooser) best(most int, fits func(p *plan.Plan) bool) []*candidate {
	var out []*candidate
	for _, x := range c.all {
		if fits == nil || fits(x.p) {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b *candidate) int { return cmp.Compare(a.seconds, b.seconds) })
	return out[:min(most, len(out))]
}

// search considers everything that the options leave open.
func (c *chooser) search() {
	base := c.all[0].p
	if c.given.Map == "" {
		for _, k := range base.UserDims() {
			o := c.given
			o.Map = c.nest.Dims[k]
			c.try(o)
		}
	}
	for _, x := range c.best(2, nil) {
		c.arrangements(x.p)
	}
	for _, x := range c.best(2, nil) {
		c.sides(x.p)
	}
	for range mostTrades {
		before := c.best(1, nil)[0]
		c.trades(before.p)
		if c.best(1, nil)[0].seconds > 0.98*before.seconds {
			break
		}
	}
	c.bands()
	if c.levels {
		c.wide()
		c.rounds()
	}
	c.schemes()
	for _, x := range c.best(1, nil) {
		c.heights(x.p, x.p.Side, math.Sqrt2, 2)
	}
}

// inTime tries columns along the outermost loop, which is usually time, for several CPUs of a rank. Tiles
// then read fewer cells that another CPU has just computed, but CPUs wait if there are few columns.
func (c *chooser) inTime() {
	if base := c.all[0].p; c.given.Map == "" && base.CPUs > 1 {
		o := c.given
		o.Map = c.nest.Dims[0]
		c.try(o)
	}
}

// secondCache is the size in bytes of a core's second cache, or of its only one; 0 if m does not know it. It is at least
// plan.UsualCache, because a smaller second cache has a third one behind it [note planner-constants].
func secondCache(m *cost.Machine) int {
	if len(m.Cache) == 0 {
		return 0
	}
	return max(plan.UsualCache, m.Cache[min(1, len(m.Cache)-1)])
}
