package plan

import (
	"context"
	"math"
	"slices"

	"loopc/transform/plan/queue"
)

// given returns what options give of an arrangement; a grid or a mesh that is open is nil. grid and
// mesh are those of o, per dimension; mesh may also come from a rule.
func (o *Options) given(grid, mesh []int) (out arrangement) {
	if o.Grid != nil {
		out.Grid = atLeastOne(grid)
	}
	if o.Mesh != nil || Product(mesh) > 1 {
		out.Mesh = atLeastOne(mesh)
	}
	return out
}

// arrange chooses what is open of an arrangement: as many workers as there are, or as the space can use, in the best arrangement by the
// given shape. Where the shape leaves a choice, and for the mesh of CPUs, the estimated time decides (see share): faces between CPUs of a
// rank cost less.
//
// A given grid may be larger than the space can use: the workers beyond stay idle. A chosen
// grid may not. If ctx ends, the result is useless.
func (p *Plan) arrange(ctx context.Context, extent, limit []int, given arrangement, by Shape) arrangement {
	cost, bound := pricesBy(by, newShare(p.Nest, p.Map, extent), extent, p.HaloWidth)
	s := &search{
		ctx:   ctx,
		Limit: limit, Ranks: p.Ranks, Price: cost, Bound: bound,
		CPUs: min(p.CPUs, mostColumns/p.Ranks), // so that each has a column
		// The published shapes list the smaller factor first. For rows along the mapping dimension the order does not matter.
		Ascending: by >= ShapeCommunication && p.Map == len(extent)-1,
	}
	switch {
	case given.Grid == nil && given.Mesh == nil:
		return s.run()
	case given.Grid == nil:
		given.Grid = s.complete(given.Mesh, p.Ranks, func(g []int) price { return cost(g, given.Mesh) })
	case given.Mesh == nil:
		given.Mesh = s.complete(given.Grid, p.CPUs, func(m []int) price { return cost(given.Grid, m) })
	}
	return given
}

// pricesBy returns the price of an arrangement by a shape, and a lower bound of the price for a grid. The published shapes compare
// grids of equally many processes; the estimated time decides only between equals.
func pricesBy(by Shape, s *share, extent, margin []int) (cost func(grid, mesh []int) price, bound func(grid []int, workers int) price) {
	with := func(g []int, seconds float64) price {
		switch by {
		case ShapeCommunication:
			return price{-float64(Product(g)), perimeter(margin, extent, g, s.along), float64(sum(g)), seconds}
		case ShapeScheduling:
			return price{-float64(Product(g)), float64(sum(g)), perimeter(margin, extent, g, s.along), seconds}
		}
		return price{seconds}
	}
	cost = func(g, m []int) price { return with(g, s.cost(g, m)) }
	bound = func(g []int, workers int) price { return with(g, s.bound(g, workers)) }
	return cost, bound
}

// perimeter is Σ d_i·P_i/X_i of [P3] (6), over all dimensions but the mapping dimension: what
// an interior process sends, relative to its share of the space.
func perimeter(d, x, grid []int, along int) float64 {
	v := 0.0
	for k := range grid {
		if k != along {
			v += float64(d[k]) * float64(grid[k]) / float64(x[k])
		}
	}
	return v
}

func sum(v []int) int {
	t := 0
	for _, x := range v {
		t += x
	}
	return t
}

// A price ranks arrangements with equally many workers: the first number that differs decides.
type price [4]float64

// alike is the relative difference below which two numbers of a price count as equal: they are
// sums of a few terms, and rounding must not break ties.
const alike = 1e-12

// compare returns -1, 0 or +1 if a is less than, like or above b.
func (a price) compare(b price) int {
	for k := range a {
		if d := a[k] - b[k]; math.Abs(d) > alike*max(math.Abs(a[k]), math.Abs(b[k])) {
			if d < 0 {
				return -1
			}
			return 1
		}
	}
	return 0
}

// An arrangement is a process grid and the CPU mesh of each process, one factor per dimension.
type arrangement struct{ Grid, Mesh []int }

// A search finds the arrangement of the lowest price among those with the most workers, where no dimension has more workers than its limit.
//
// It first finds how many workers can be used. It then visits the grids with that many workers in the order of their bounds, until the
// next bound is above the best price, or mostPriced arrangements have been priced. Of equal prices the arrangement with more ranks
// wins, then the one with larger factors along outer dimensions, which keeps the rows along the innermost loop long; with ascending,
// the one with smaller factors.
type search struct {
	ctx         context.Context // nil: the search does not end early
	Limit       []int           // per dimension; 1 along the mapping dimension
	Ranks, CPUs int             // at most
	Price       func(grid, mesh []int) price
	// Bound is a lower bound of the prices of all arrangements with that grid and number of workers.
	Bound     func(grid []int, workers int) price
	Ascending bool
	divisors  map[int][]int
}

// mostPriced bounds the time of a search to about a second, for ranks and CPUs with very many
// factorizations, such as 110 880 of each in four dimensions.
const mostPriced = 1 << 20

// stopped reports whether the search was told to end; its result is then useless.
func (s *search) stopped() bool { return s.ctx != nil && s.ctx.Err() != nil }

// run returns the best arrangement.
func (s *search) run() arrangement {
	workers := s.workers()
	type candidate struct {
		grid  []int
		bound price
	}
	var grids []candidate
	for _, ranks := range s.divide(workers) {
		if ranks > s.Ranks || workers/ranks > s.CPUs {
			continue
		}
		s.factorize(ranks, s.Limit, func(g []int) bool {
			grids = append(grids, candidate{slices.Clone(g), s.Bound(g, workers)})
			return !s.stopped()
		})
	}
	// Usually few grids are visited, so they are not sorted in advance.
	ahead := queue.Queue[candidate]{Less: func(a, b *candidate) bool {
		if c := a.bound.compare(b.bound); c != 0 {
			return c < 0
		}
		return s.order(a.grid, b.grid) < 0
	}}
	for _, g := range grids {
		ahead.Add(g)
	}
	var best arrangement
	var lowest price
	left := make([]int, len(s.Limit))
	priced := 0
	for ; len(ahead.All) > 0; ahead.DropFirst() {
		g := ahead.First()
		if priced > mostPriced || s.stopped() || best.Grid != nil && g.bound.compare(lowest) > 0 {
			break
		}
		for k := range left {
			left[k] = s.Limit[k] / g.grid[k]
		}
		s.factorize(workers/Product(g.grid), left, func(m []int) bool {
			cost := s.Price(g.grid, m)
			priced++
			c := -1
			if best.Grid != nil {
				c = cost.compare(lowest)
			}
			if c == 0 {
				if c = s.order(g.grid, best.Grid); c == 0 {
					c = s.order(m, best.Mesh)
				}
			}
			if c < 0 {
				best, lowest = arrangement{g.grid, slices.Clone(m)}, cost
			}
			return !s.stopped()
		})
	}
	return best
}

// order compares arrangements of equal price: more ranks come first, then larger factors along
// outer dimensions; with Ascending, smaller factors.
func (s *search) order(a, b []int) int {
	if c := Product(b) - Product(a); c != 0 {
		return c
	}
	if s.Ascending {
		return slices.Compare(a, b)
	}
	return slices.Compare(b, a)
}

// workers returns the most workers that the limits, the ranks and their CPUs allow.
func (s *search) workers() int {
	left := make([]int, len(s.Limit))
	most := 0
	cells := capped(s.Limit, s.Ranks*s.CPUs)
	for c := min(s.CPUs, cells); c*s.Ranks > most && !s.stopped(); c-- {
		s.factorize(c, s.Limit, func(m []int) bool {
			for k := range left {
				left[k] = s.Limit[k] / m[k]
			}
			most = max(most, c*s.mostWithin(s.Ranks, most/c, left))
			return most < cells
		})
		if most == cells {
			break
		}
	}
	return most
}

// mostWithin returns the largest r ≤ n that is a product of one factor per dimension, none above its limit; 0 if r ≤ least.
func (s *search) mostWithin(n, least int, limit []int) int {
	n = capped(limit, n)
	for r := n; r > least && !s.stopped(); r-- {
		if !s.factorize(r, limit, func([]int) bool { return false }) {
			return r
		}
	}
	return 0
}

// complete returns the grid or the mesh v that completes an arrangement, if the user has chosen the other one (given). The product of v is
// at most n. Dimension k has given_k·v_k workers; those beyond its limit are idle. v has the lowest price among those with the most
// workers.
func (s *search) complete(given []int, n int, cost func(v []int) price) []int {
	limit := make([]int, len(given))
	used := 1
	for k, f := range given {
		limit[k] = CeilDiv(s.Limit[k], f)
		used *= min(f, s.Limit[k])
	}
	var best []int
	var lowest price
	most := 0
	for c := capped(limit, n); c >= 1 && c*used >= most && !s.stopped(); c-- {
		s.factorize(c, limit, func(v []int) bool {
			workers := 1
			for k, f := range given {
				workers *= min(f*v[k], s.Limit[k])
			}
			if workers < most {
				return true
			}
			if c := cost(v); workers > most || c.compare(lowest) < 0 {
				best, most, lowest = slices.Clone(v), workers, c
			}
			return true
		})
	}
	return best
}

// factorize calls f with every way to write total as a product of one factor per dimension, none above its limit. If f returns false,
// factorize stops and returns false. Factors of outer dimensions are tried from the largest down or, with ascending, from the smallest up.
func (s *search) factorize(total int, limit []int, f func([]int) bool) bool {
	n := len(limit)
	// No product of the factors from dimension k on is above room[k].
	room := make([]int, n+1)
	room[n] = 1
	for k := n - 1; k >= 0; k-- {
		room[k] = capped(limit[k:], total)
	}
	if room[0] < total {
		return true
	}
	all := s.divide(total)
	v := make([]int, n)
	var rec func(k, rest int) bool
	rec = func(k, rest int) bool {
		if k == n-1 {
			v[k] = rest
			return f(v)
		}
		for i := range all {
			x := all[len(all)-1-i]
			if s.Ascending {
				x = all[i]
			}
			if x <= limit[k] && rest%x == 0 && rest/x <= room[k+1] {
				v[k] = x
				if !rec(k+1, rest/x) {
					return false
				}
			}
		}
		return true
	}
	return rec(0, total)
}

// Factorize does what search.factorize does. The factors of outer dimensions descend from the largest.
func Factorize(total int, limit []int, f func([]int) bool) {
	s := &search{}
	s.factorize(total, limit, f)
}

// divide returns the divisors of n in ascending order.
func (s *search) divide(n int) []int {
	if d, ok := s.divisors[n]; ok {
		return d
	}
	var low, high []int
	for x := 1; x <= n/x; x++ {
		if n%x == 0 {
			low = append(low, x)
			if x != n/x {
				high = append(high, n/x)
			}
		}
	}
	slices.Reverse(high)
	if s.divisors == nil {
		s.divisors = map[int][]int{}
	}
	s.divisors[n] = append(low, high...)
	return s.divisors[n]
}

// capped returns the product of v, or top if the product is greater. All factors and top must be at least 1.
func capped(v []int, top int) int {
	x := 1
	for _, f := range v {
		if f > top/x {
			return top
		}
		x *= f
	}
	return x
}
