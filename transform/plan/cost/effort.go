package cost

import "loopc/transform/plan"

// An Effort is the work that is left for the simulations of a search, in rows that are looked
// at. It is counted, not timed, so that the same search finds the same.
type Effort struct{ Left int }

// MostEffort is that of a search: it decides how long planning takes at most.
const MostEffort = 1 << 20

// spend takes work off what is left. Nobody counts for those who have no effort.
func (e *Effort) spend(rows int) {
	if e != nil {
		e.Left -= rows
	}
}

// Spent reports whether nothing is left.
func (e *Effort) Spent() bool { return e != nil && e.Left <= 0 }

// A Fidelity is how closely a simulation looks at tiles that the bounds of the space cut; the
// zero value: as closely as predictions do.
type Fidelity struct {
	// Rows is how many rows of a tile are looked at, which stand for the others.
	Rows int
}

// mostLooked is the most rows of a tile that are looked at where these stand for others.
const mostLooked = 1 << 8

// effortOf is what it costs to look at so many rows. It is in proportion to the inequalities of the
// space, and their coefficients: those of four loops in boxes, with others skewed by time, are the measure.
func effortOf(p *plan.Plan, rows int) int {
	const measure = 32
	return rows * max(measure/8, p.Space.Inequalities()*len(p.Side)) / measure
}

// rowCost is what a row of a tile that is cut costs.
func rowCost(p *plan.Plan) int {
	cost := 3
	for v := range p.Nest.Values {
		cost += len(needsOf(p, &p.Nest.Values[v]))
	}
	return cost
}

// ExactCost is about the most that a tile costs that is cut, looked at exactly.
func ExactCost(p *plan.Plan, k *Kernel) int {
	l := k.lanesOf()
	edges, rows := rowCost(p), 1
	slabs := 0
	if l.all > 0 && l.across == plan.AcrossLevels {
		slabs = slabRowCost * slabRows(max(1, l.all/l.vector))
	}
	for x, s := range p.Side[:len(p.Side)-1] {
		edges = min(edges*min(s+p.Margin[x], p.Margin[x]+1+middleSamples), MostEffort)
		rows = min(rows*s, mostCountedTile)
	}
	return effortOf(p, min(lookCost+edges+rows+slabs, 2*MostEffort))
}

// WithinEffort is the fidelity with which p, of so many kinds of tiles, costs no more than it may.
func WithinEffort(p *plan.Plan, kinds, cost int, k *Kernel) Fidelity {
	each := cost / max(1, kinds)
	if each >= ExactCost(p, k) {
		return Fidelity{}
	}
	return Fidelity{min(max(2, (each-effortOf(p, lookCost))/max(1, effortOf(p, rowCost(p)))), mostLooked)}
}

// LeastCost is about the least that it costs to simulate p, with so many tiles.
func LeastCost(p *plan.Plan, tiles int64) int {
	return int(min(int64(p.Columns())+tiles, MostEffort)) * (1 + len(p.Directions()))
}
