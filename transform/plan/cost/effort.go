package cost

import (
	"slices"

	"loopc/transform/plan"
)

// An Effort is the work that the simulations of a search may still do, in rows to be examined.
// It is counted, not timed, so that equal searches have equal results.
type Effort struct{ Left int }

// MostEffort is the effort of a search, which bounds the time of planning.
const MostEffort = 1 << 20

// spend reduces the effort by the given rows. A nil Effort is unlimited.
func (e *Effort) spend(rows int) {
	if e != nil {
		e.Left -= rows
	}
}

// spent reports whether no effort is left.
func (e *Effort) spent() bool { return e != nil && e.Left <= 0 }

// mostLooked is the most rows of a tile that are examined to represent others.
const mostLooked = 1 << 8

// effortOf is the effort of examining the given number of rows. It is proportional to the number of
// inequalities times the number of loops; the unit is a row of four loops over a box skewed by time.
func effortOf(p *plan.Plan, rows int) int {
	const measure = 32 // inequalities times loops of such a space
	return rows * max(measure/8, len(p.Space.Ineq)*len(p.Side)) / measure
}

// rowCost is the effort for a row of a tile that bounds cut.
func rowCost(p *plan.Plan) int {
	cost := 3
	for v := range p.Nest.Values {
		var rows [][]int // that are read
		for _, d := range p.Nest.Values[v].Need {
			if d = d[:len(d)-1]; !slices.ContainsFunc(rows, func(e []int) bool { return slices.Equal(d, e) }) {
				rows = append(rows, d)
			}
		}
		cost += len(rows)
	}
	return cost
}

// ExactCost is about the greatest effort for a tile that bounds cut, examined exactly.
func ExactCost(p *plan.Plan, k *Kernel) int {
	l := k.lanesOf()
	edges, rows := rowCost(p), 1
	slabs := 0
	if l.all > 0 && l.across == plan.AcrossLevels {
		slabs = (1 + l.vector/rowsAtOnce) * slabRows(max(1, l.all/l.vector))
	}
	for x, s := range p.Side[:len(p.Side)-1] {
		edges = min(edges*min(s+p.HaloWidth[x], p.HaloWidth[x]+1+middleSamples), MostEffort)
		rows = min(rows*s, mostCountedTile)
	}
	return effortOf(p, min(lookCost+edges+rows+slabs, 2*MostEffort))
}

// WithinEffort returns the Predictor.Rows with which the simulation of p takes about the effort
// cost, if p has the given number of kinds of tiles.
func WithinEffort(p *plan.Plan, kinds, cost int, k *Kernel) int {
	each := cost / max(1, kinds)
	if each >= ExactCost(p, k) {
		return 0
	}
	return min(max(2, (each-effortOf(p, lookCost))/max(1, effortOf(p, rowCost(p)))), mostLooked)
}

// LeastCost is about the least effort of simulating p, with the given number of tiles.
func LeastCost(p *plan.Plan, tiles int64) int {
	return int(min(int64(p.Columns())+tiles, MostEffort)) * (1 + len(p.Directions()))
}
