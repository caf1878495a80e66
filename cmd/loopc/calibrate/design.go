package calibrate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// sized returns parameters for about the given number of iterations (points): those of
// base, multiplied by one factor. Unless k < 0, parameter k is also multiplied by stretch.
func sized(nest *plan.Nest, base []int, points float64, k int, stretch float64) ([]int, error) {
	scale := func(f float64) []int {
		v := slices.Clone(base)
		for i, x := range base {
			y := float64(x) * f
			if i == k {
				y *= stretch
			}
			v[i] = max(min(x, 4), int(math.Round(y)))
		}
		return v
	}
	count := func(v []int) float64 {
		p, err := plan.New(nest, v, plan.Options{})
		if err != nil {
			return 0
		}
		n, _ := p.Points()
		return float64(n)
	}
	low, high := 0.0, 1.0
	for count(scale(high)) < points {
		if high *= 2; high > 1<<20 {
			return nil, errors.New("the nest has hardly any iterations, whatever its parameters; give larger ones with -p")
		}
	}
	for range 30 {
		mid := (low + high) / 2
		if count(scale(mid)) < points {
			low = mid
		} else {
			high = mid
		}
	}
	return scale(high), nil
}

// A designer chooses what to measure.
type designer struct {
	prog *Program
	rng  *rand.Rand
}

// Bounds of what is measured.
const (
	leastTile   = 1000 // iterations of a tile
	mostTiles   = 5000 // tiles of a run
	leastRow    = 16   // iterations of a row, if the space is that long
	mostColumns = 12   // columns of tiles per worker and dimension
	mostTimes   = 4    // factor by which near changes the side along the mapping dimension
	mostSlower  = 1.5  // predicted time of near's alternatives, relative to the fastest one
)

// pair returns a run with tiles of any size, and one with tiles that the planner considers: its own
// tiles matter most.
func (d *designer) pair(params []int, o plan.Options, link string) ([]*Config, error) {
	first, err := d.tiles(params, o, link)
	if err != nil {
		return nil, err
	}
	second, err := d.near(cost.DefaultMachine(), params, o, link)
	if err != nil {
		return nil, err
	}
	return []*Config{first, second}, nil
}

// extents returns the sides of the bounding box.
func extents(p *plan.Plan) []int {
	e := make([]int, len(p.Lo))
	for k := range e {
		e[k] = p.Hi[k] - p.Lo[k] + 1
	}
	return e
}

// tiles draws tile sizes for a run, with uniform logarithms within sideBounds. The options say
// everything, so that the planner has nothing left to choose.
func (d *designer) tiles(params []int, o plan.Options, link string) (*Config, error) {
	whole, err := plan.New(d.prog.Nest, params, o)
	if err != nil {
		return nil, err
	}
	if whole.Empty {
		return nil, errors.New("the nest has no iterations with these parameters")
	}
	extent := extents(whole)
	first := 0
	if d.prog.Nest.Levelled {
		first = 1 // dimension 0 is no loop, and the options have no side for it
	}
	o.Grid, o.Mesh, o.Map = whole.Grid[first:], whole.Mesh[first:], whole.Nest.Dims[whole.Map]
	o.Ranks, o.CPUs = product(whole.Grid), product(whole.Mesh)
	for range 10_000 {
		side, points, tiles := make([]int, len(extent)), 1.0, 1.0
		for k, e := range extent {
			least, most := d.sideBounds(whole, k, e)
			side[k] = int(float64(least)*math.Pow(float64(most)/float64(least), d.rng.Float64()) + 0.5)
			points *= float64(side[k])
			tiles *= math.Ceil(float64(e) / float64(side[k]))
		}
		if points < leastTile || tiles > mostTiles {
			continue
		}
		o.Tile = side[first:]
		if c, err := newConfig(d.prog, params, o, link, 0); err == nil {
			return c, nil
		}
	}
	return nil, errors.New("no tiles can be found to measure; give larger parameters with -p")
}

// sideBounds returns the bounds of a tile's side along dimension k of the given extent. Along the
// mapping dimension a tile reaches from the longest dependence to a fifth of the extent. Along
// another one it is the share of a worker or, in half of the draws, at least a twelfth of that.
func (d *designer) sideBounds(p *plan.Plan, k, extent int) (least, most int) {
	least = max(1, p.HaloWidth[k])
	if k == p.Map {
		most = max(least, extent/5)
	} else {
		most = max(least, plan.CeilDiv(extent, p.Grid[k]*p.Mesh[k]))
		if d.rng.IntN(2) == 0 {
			least = most // one column of tiles per worker
		} else {
			least = max(least, most/mostColumns)
		}
	}
	if k == len(p.Lo)-1 {
		least = max(least, min(leastRow, most))
	}
	return least, most
}

// near draws a run with tiles that the planner considers, for the CPUs that o has. For a single
// CPU, half of the draws are tiles meant for several CPUs.
func (d *designer) near(m *cost.Machine, params []int, o plan.Options, link string) (*Config, error) {
	if cores := runtime.NumCPU(); cores > 1 && o.Ranks*o.CPUs == 1 && d.rng.IntN(2) == 0 {
		o.CPUs = cores
		c, err := d.alternative(m, params, o, link)
		if err != nil {
			return nil, err
		}
		o = c.Plan.Options()
		return newConfig(d.prog, params, plan.Options{Ranks: 1, CPUs: 1, Tile: o.Tile, Map: o.Map}, link, 0)
	}
	return d.alternative(m, params, o, link)
}

// alternative draws an alternative that m predicts to be not much slower than the fastest one, or
// the tiles of the planner's rules with another side along the mapping dimension, with uniform
// logarithm.
func (d *designer) alternative(m *cost.Machine, params []int, o plan.Options, link string) (*Config, error) {
	if d.rng.IntN(2) == 0 {
		return withHeight(d.prog, params, o, link, math.Pow(mostTimes, 2*d.rng.Float64()-1), 0)
	}
	_, considered, err := search.Choose(context.Background(), d.prog.Nest, params, o, m, link)
	if err != nil {
		return nil, err
	}
	good := 0
	for good < len(considered) && considered[good].Seconds < mostSlower*considered[0].Seconds {
		good++
	}
	return newConfig(d.prog, params, considered[d.rng.IntN(max(1, good))].Options, link, 0)
}
