package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Trial is a plan that was run as a whole, and timed, with these parameters and
// workers: `loopc calibrate --try`. Where there are trials of what is asked for,
// Choose goes by them, not by predictions.
type Trial struct {
	Nest    string  `json:"nest"` // Nest.Digest
	Params  []int   `json:"params"`
	Options Options `json:"options"` // that leave nothing open: Plan.Options
	Link    string  `json:"link"`    // between ranks; of no account for a single one
	Seconds float64 `json:"seconds"` // median of the runs
}

// concerns reports whether the trial is one of such a run.
func (t *Trial) concerns(nest *Nest, params []int, link string) bool {
	return t.Nest == nest.Digest && slices.Equal(t.Params, params) && (t.Link == link || max(1, t.Options.Ranks) == 1)
}

func (t *Trial) check(field string) error {
	err := amount(field+".seconds", t.Seconds)
	if t.Seconds == 0 {
		err = errors.Join(err, fmt.Errorf("%s.seconds is 0: a run takes some time", field))
	}
	return err
}

// SetTrials replaces what m has of trials of the same run as these, which are of
// one.
func (m *Machine) SetTrials(nest *Nest, params []int, ranks, cpus int, link string, trials []Trial) {
	m.Trials = slices.DeleteFunc(slices.Clone(m.Trials), func(t Trial) bool {
		return t.concerns(nest, params, link) && max(1, t.Options.Ranks) == ranks && max(1, t.Options.CPUs) == cpus
	})
	m.Trials = append(m.Trials, trials...)
}

// tried considers the plans that were tried, and returns the fastest of them; nil
// if there is none, or if the options given exclude it: what was tried was not
// tried for such options.
func (c *chooser) tried() *candidate {
	base := c.all[0].p
	var fastest *candidate
	least := math.Inf(1)
	for k := range c.m.Trials {
		t := &c.m.Trials[k]
		if !t.concerns(c.nest, c.params, c.link) {
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

// candidate returns the plan among those considered, where it is considered if it
// was not yet; nil if the options given exclude it.
func (c *chooser) candidate(p *Plan) *candidate {
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

// asked reports whether a plan is one of those that the options given leave open.
// base is what New makes of these.
func (c *chooser) asked(p, base *Plan) bool {
	o, g := p.Options(), c.given
	same := func(given, of []int) bool { // 0 leaves an entry open
		return given == nil || slices.EqualFunc(given, of, func(a, b int) bool { return a == 0 || a == b })
	}
	for k := range p.Side {
		if !c.openSide(p, k) && p.Side[k]*pieces(p, k) != base.Side[k]*pieces(base, k) {
			return false
		}
	}
	for at, k := range p.userDims() {
		if g.First == nil {
			break
		}
		if side := g.First[at]; side == 0 && p.narrow(k) || side > 0 && p.FirstSide(k) != side {
			return false
		}
	}
	return same(g.Grid, o.Grid) && same(g.Mesh, o.Mesh) && (g.Map == "" || g.Map == o.Map) &&
		(g.Group == AnyGroup || g.Group == o.Group) && (g.Sub == 0 || g.Sub == o.Sub) &&
		(g.Assign == AnyAssign || g.Assign == o.Assign) && (g.Comm == AnyComm || g.Comm == o.Comm) &&
		(g.Shape <= ShapeModel || slices.Equal(p.Grid, base.Grid))
}

// pieces is how many sub-tiles the side along k is cut into.
func pieces(p *Plan, k int) int {
	if k == p.Map {
		return p.Sub
	}
	return 1
}
