package plan_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// hardNest returns a random nest whose distances may be longer than what its loops have for a
// worker, whose loops may be very long, and whose levels may be kept whole.
func hardNest(rng *rand.Rand) (*plan.Nest, []int) {
	s := plantest.RandomNest(rng)
	n, params := s.Nest, slices.Clone(s.Params)
	if rng.IntN(2) == 0 {
		params[1] = 1 << rng.IntN(49) >> rng.IntN(2)
	}
	for v := range n.Values {
		for _, d := range n.Values[v].Flow {
			for k := range d {
				d[k] *= 1 + rng.IntN(8)
			}
		}
	}
	n.Whole, n.InPlace = rng.IntN(2) == 0, rng.IntN(2) == 0
	return n, params
}

// hardOptions returns options for a nest, many of which do not fit it.
func hardOptions(rng *rand.Rand, nest *plan.Nest) plan.Options {
	o := plantest.RandomOptions(rng, nest)
	n := len(nest.Dims)
	if rng.IntN(2) == 0 {
		o.First, o.Tile = nil, nil
	}
	for k := range o.Tile {
		switch rng.IntN(4) {
		case 0:
			o.Tile[k] = 0
		case 1:
			o.Tile[k] = 1 + rng.IntN(20)
		case 2:
			o.Tile[k] = 1 << rng.IntN(40)
		}
	}
	if rng.IntN(2) == 0 {
		o.Grid, o.Mesh = nil, nil
	}
	for k := range o.Grid {
		if rng.IntN(4) == 0 {
			o.Grid[k] = rng.IntN(2)
		}
	}
	switch rng.IntN(4) {
	case 0:
		o.CPUs, o.Mesh = 1<<rng.IntN(8), nil
	case 1:
		o.Ranks, o.Grid = 1<<rng.IntN(8), nil
	case 2:
		o.Ranks, o.CPUs, o.Grid, o.Mesh = 1, 1+rng.IntN(8), nil, nil
	}
	if rng.IntN(3) == 0 {
		o.Assign = plan.Any
	}
	if rng.IntN(4) == 0 {
		o.Group = plan.Vertical
		o.Sub = rng.IntN(20)
	}
	if rng.IntN(3) == 0 {
		o.Map = nest.Dims[rng.IntN(n)]
	}
	if rng.IntN(4) == 0 {
		o.Shape = plan.Shape(rng.IntN(4))
	}
	return o
}

// said reports whether an error of New is about something that the options say.
func said(nest *plan.Nest, o plan.Options, err error) bool {
	text := err.Error()
	side := func(what string) bool { // a side that was given along the loop that is named
		for k, name := range nest.Dims {
			if strings.Contains(text, what+" along "+name+" ") {
				return o.Tile != nil && o.Tile[k] > 0
			}
		}
		return false
	}
	some := func(v []int) bool { return slices.ContainsFunc(v, func(x int) bool { return x > 0 }) }
	for _, c := range []struct {
		has string
		ok  bool
	}{
		{"tiles are too many", some(o.Tile)},
		{"columns of tiles are too many", some(o.Tile)},
		{"sub-tiles", o.Sub > 0},
		{"make the tile sides smaller", some(o.Tile)},
		{"with retile", o.Assign == plan.Retile},
		{"use smaller parameters", true}, // no tiles of 2^20 columns would do
	} {
		if c.ok && strings.Contains(text, c.has) {
			return true
		}
	}
	for _, c := range []struct {
		begins string
		ok     bool
	}{
		{"tile side ", o.Tile != nil},
		{"first ", some(o.First)},
		{"map ", o.Map != ""},
		{"the grid ", o.Grid != nil},
		{"the CPU mesh ", o.Mesh != nil},
		{"a grid or CPU mesh ", o.Grid != nil || o.Mesh != nil},
		{"tiles are cut into sub-tiles", o.Sub > 1},
	} {
		if c.ok && strings.HasPrefix(text, c.begins) {
			return c.begins != "tile side " || side(strings.Fields(text)[0]+" side "+strings.Fields(text)[2])
		}
	}
	return false
}

// TestRefused requires of random nests and options that either the options are refused for
// something that they say, or a plan is made, which its own options make again, and whose steps
// are an order in which everything can happen.
func TestRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 6))
	made, refused, checked := 0, 0, 0
	for range 50_000 {
		nest, params := hardNest(rng)
		o := hardOptions(rng, nest)
		p, err := plan.New(nest, params, o)
		var wrong *plan.ProgramError
		switch {
		case errors.As(err, &wrong):
			continue
		case err != nil:
			refused++
			if !said(nest, o, err) {
				t.Errorf("%v\n%+v does not say that; parameters %v, distances up to %v, whole levels: %v", err, o, params, nest.HaloWidth(), nest.Whole)
			}
			continue
		}
		made++
		if again, err := plan.New(nest, params, p.Options()); err != nil || again.Digest() != p.Digest() {
			t.Errorf("the plan of %+v has the options %+v, which make another, or none: %v\n%s", o, p.Options(), err, p)
		}
		if plan.Capped(plan.AtLeastOne(p.Tiles), 1000) < 1000 {
			checked++
			if err := p.CheckOrder(nil); err != nil {
				t.Errorf("%v\n%+v", err, o)
			}
		}
	}
	t.Logf("%d plans were made, %d options refused, %d orders proved", made, refused, checked)
	if made < 30_000 || refused < 3000 || checked < 3000 {
		t.Error("too few to tell anything")
	}
}
