package search

import (
	"math"
	"slices"

	"loopc/transform/plan"
)

// tried adds the plans of trials, which are timed runs, to the candidates, and returns the fastest of these plans. It returns nil if there
// is none, or if the given options exclude the fastest: the trials were not made for such options.
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

// candidate returns the plan as a candidate, which it adds if necessary; nil if the given options exclude the plan.
func (c *chooser) candidate(p *plan.Plan) *candidate {
	if !c.allows(p, c.all[0].p) {
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

// allows reports whether the given options allow a plan. base is New's plan of these options.
func (c *chooser) allows(p, base *plan.Plan) bool {
	o, g := p.Options(), c.given
	for k := range p.Side {
		if !c.openSide(p, k) && p.Side[k]*subTiles(p, k) != base.Side[k]*subTiles(base, k) {
			return false
		}
	}
	for at, side := range g.First {
		k := p.UserDims()[at]
		if first := p.FirstSide(k); side == 0 && first < p.Side[k] || side > 0 && first != side {
			return false
		}
	}
	return allAgree(g.Grid, o.Grid) && allAgree(g.Mesh, o.Mesh) && agrees(g.Map, o.Map) && agrees(g.Group, o.Group) &&
		agrees(g.Sub, o.Sub) && agrees(g.Assign, o.Assign) && agrees(g.Comm, o.Comm) &&
		(g.Shape <= plan.ShapeModel || slices.Equal(p.Grid, base.Grid))
}

// agrees reports whether an option has the given value, or was left open: given is zero then.
func agrees[T comparable](given, of T) bool {
	var open T
	return given == open || given == of
}

// allAgree reports whether all entries of an option agree; nil leaves all of them open.
func allAgree(given, of []int) bool { return given == nil || slices.EqualFunc(given, of, agrees[int]) }

// subTiles is the number of sub-tiles into which the side along k is cut.
func subTiles(p *plan.Plan, k int) int {
	if k == p.Map {
		return p.Sub
	}
	return 1
}
