package search

import (
	"math"
	"slices"

	"loopc/transform/plan"
)

// tried adds the plans with trials to the candidates, and returns the fastest of them. It
// returns nil if there is none, or if the given options exclude it: the trials were not made
// for such options.
func (c *chooser) tried() *candidate {
	base := c.all[0].p
	var fastest *candidate
	least := math.Inf(1)
	for k := range c.m.Trials {
		t := &c.m.Trials[k]
		if !t.Concerns(c.nest, c.params, c.link) {
			continue
		}
		p, err := c.new(t.Options)
		if err != nil || p.Ranks != base.Ranks || p.CPUs != base.CPUs {
			continue
		}
		x := c.candidate(p)
		if t.Seconds < least {
			least, fastest = t.Seconds, x
		}
		if x != nil && (x.measured == 0 || t.Seconds < x.measured) {
			x.measured = t.Seconds
		}
	}
	return fastest
}

// candidate returns the plan as a candidate, which it adds if necessary; nil if the given
// options exclude the plan.
func (c *chooser) candidate(p *plan.Plan) *candidate {
	if !c.asked(p, c.all[0].p) {
		return nil
	}
	d := p.Digest()
	if at := slices.IndexFunc(c.all, func(x *candidate) bool { return x.p.Digest() == d }); at >= 0 {
		return c.all[at]
	}
	x := c.add(p)
	x.estimate()
	return x
}

// asked reports whether the given options allow a plan. base is New's plan of these options.
func (c *chooser) asked(p, base *plan.Plan) bool {
	o, g := p.Options(), c.given
	same := func(given, of []int) bool { // a 0 leaves the entry open
		return given == nil || slices.EqualFunc(given, of, func(a, b int) bool { return a == 0 || a == b })
	}
	for k := range p.Side {
		if !c.openSide(p, k) && p.Side[k]*pieces(p, k) != base.Side[k]*pieces(base, k) {
			return false
		}
	}
	for at, k := range p.UserDims() {
		if g.First == nil {
			break
		}
		if side := g.First[at]; side == 0 && p.FirstSide(k) < p.Side[k] || side > 0 && p.FirstSide(k) != side {
			return false
		}
	}
	return same(g.Grid, o.Grid) && same(g.Mesh, o.Mesh) && (g.Map == "" || g.Map == o.Map) &&
		(g.Group == plan.Any || g.Group == o.Group) && (g.Sub == 0 || g.Sub == o.Sub) &&
		(g.Assign == plan.Any || g.Assign == o.Assign) && (g.Comm == plan.Any || g.Comm == o.Comm) &&
		(g.Shape <= plan.ShapeModel || slices.Equal(p.Grid, base.Grid))
}

// pieces is the number of sub-tiles into which the side along k is cut.
func pieces(p *plan.Plan, k int) int {
	if k == p.Map {
		return p.Sub
	}
	return 1
}
