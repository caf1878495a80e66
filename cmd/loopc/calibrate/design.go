package calibrate

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// sized returns parameters for about so many iterations: those of base, all times
// the same number, except that parameter k is stretched by so much more (k < 0:
// none).
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

// Bounds of the tiles that are measured.
const (
	leastTile = 1000 // iterations
	mostTiles = 5000 // of a run
	leastRow  = 16   // iterations of a row, where it can be so long
	narrowest = 12   // columns that a worker's share is cut into, at most, per dimension
)

// extents returns the sides of the bounding box.
func extents(p *plan.Plan) []int {
	e := make([]int, len(p.Lo))
	for k := range e {
		e[k] = p.Hi[k] - p.Lo[k] + 1
	}
	return e
}

// tiles draws sides for the tiles of a run: along the mapping dimension between
// the longest dependence and a fifth of the whole, along the others the whole
// share of a worker, or down to a twelfth of it; logarithmically even. The result has
// everything decided.
func (d *designer) tiles(params []int, o plan.Options, link string) (*Config, error) {
	whole, err := plan.New(d.prog.Nest, params, o)
	if err != nil {
		return nil, err
	}
	if whole.Empty {
		return nil, errors.New("the nest has no iterations with these parameters")
	}
	extent := extents(whole)
	last := len(extent) - 1
	first := 0
	if d.prog.Nest.Levelled {
		first = 1
	}
	o.Grid, o.Mesh, o.Map = whole.Grid[first:], whole.Mesh[first:], whole.Nest.Dims[whole.Map]
	o.Ranks, o.CPUs = product(whole.Grid), product(whole.Mesh)
	for range 10_000 {
		side, points, tiles := make([]int, len(extent)), 1.0, 1.0
		for k, e := range extent {
			least, most := max(1, whole.Margin[k]), e
			if k == whole.Map {
				most = max(least, e/5)
			} else {
				most = max(least, plan.CeilDiv(e, whole.Grid[k]*whole.Mesh[k]))
				if d.rng.IntN(2) == 0 {
					least = most // one column for each worker
				} else {
					least = max(least, most/narrowest)
				}
			}
			if k == last {
				least = max(least, min(leastRow, most))
			}
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

// near draws tiles that the planner considers: an alternative that by the figures of m
// is not much slower than its choice, or the choice with another height along the
// mapping dimension, logarithmically even. For a single CPU, half of the draws are tiles
// for several CPUs.
func (d *designer) near(m *cost.Machine, params []int, o plan.Options, link string) (*Config, error) {
	if cores := runtime.NumCPU(); cores > 1 && o.Ranks*o.CPUs == 1 && d.rng.IntN(2) == 0 {
		o.CPUs = cores
		c, err := d.considered(m, params, o, link)
		if err != nil {
			return nil, err
		}
		o = c.options()
		return newConfig(d.prog, params, plan.Options{Ranks: 1, CPUs: 1, Tile: o.Tile, Map: o.Map}, link, 0)
	}
	return d.considered(m, params, o, link)
}

// considered is near for as many CPUs as there are.
func (d *designer) considered(m *cost.Machine, params []int, o plan.Options, link string) (*Config, error) {
	if d.rng.IntN(2) == 0 {
		return highAs(d.prog, params, o, link, math.Pow(mostTimes, 2*d.rng.Float64()-1), 0)
	}
	_, considered, err := search.Choose(d.prog.Nest, params, o, m, link)
	if err != nil {
		return nil, err
	}
	good := 0
	for good < len(considered) && considered[good].Seconds < mostSlower*considered[0].Seconds {
		good++
	}
	return newConfig(d.prog, params, considered[d.rng.IntN(max(1, good))].Options, link, 0)
}

const (
	// mostTimes is by how much the tiles that near draws are lower or higher than
	// those of the planner, at most.
	mostTimes = 4
	// mostSlower is how much more time those take that it finds good, at most.
	mostSlower = 1.5
)
