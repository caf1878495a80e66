package plan

// An effort is the work that is left for the simulations of a search, in rows that are looked
// at. It is counted, not timed, so that the same search finds the same.
type effort struct{ left int }

// mostEffort is that of a search: it decides how long planning takes at most.
const mostEffort = 1 << 20

// spend takes work off what is left. Nobody counts for those who have no effort.
func (e *effort) spend(rows int) {
	if e != nil {
		e.left -= rows
	}
}

// spent reports whether nothing is left.
func (e *effort) spent() bool { return e != nil && e.left <= 0 }

// A fidelity is how closely a simulation looks at tiles that the bounds of the space cut; the
// zero value: as closely as predictions do.
type fidelity struct {
	// rows is how many rows of a tile are looked at, which stand for the others.
	rows int
}

// mostLooked is the most rows of a tile that are looked at where these stand for others.
const mostLooked = 1 << 8

// Plans of a search are compared in rounds: all of them roughly, then the best more closely.
const (
	mostCompared  = 12 // in the second round
	leastCompared = 3  // in the last one
)

// effortOf is what it costs to look at so many rows. It is in proportion to the inequalities of the
// space, and their coefficients: those of four loops in boxes, with others skewed by time, are the measure.
func (p *Plan) effortOf(rows int) int {
	const measure = 32
	return rows * max(measure/8, p.Space.Inequalities()*len(p.Side)) / measure
}

// rowCost is what a row of a tile that is cut costs.
func (p *Plan) rowCost() int {
	cost := 3
	for v := range p.Nest.Values {
		cost += len(p.needsOf(&p.Nest.Values[v]))
	}
	return cost
}

// exactCost is about the most that a tile costs that is cut, looked at exactly.
func (p *Plan) exactCost(l lanes) int {
	edges, rows := p.rowCost(), 1
	slabs := 0
	if l.all > 0 && l.across == AcrossLevels {
		slabs = slabRowCost * slabRows(max(1, l.all/l.vector))
	}
	for x, s := range p.Side[:len(p.Side)-1] {
		edges = min(edges*min(s+p.Margin[x], p.Margin[x]+1+middleSamples), mostEffort)
		rows = min(rows*s, mostCountedTile)
	}
	return p.effortOf(min(lookCost+edges+rows+slabs, 2*mostEffort))
}

// withinEffort is the fidelity with which p, of so many kinds of tiles, costs no more than it may.
func (p *Plan) withinEffort(kinds, cost int, l lanes) fidelity {
	each := cost / max(1, kinds)
	if each >= p.exactCost(l) {
		return fidelity{}
	}
	return fidelity{min(max(2, (each-p.effortOf(lookCost))/max(1, p.effortOf(p.rowCost()))), mostLooked)}
}

// leastCost is about the least that it costs to simulate p, with so many tiles.
func (p *Plan) leastCost(tiles int64) int {
	return int(min(int64(p.Columns())+tiles, mostEffort)) * (1 + len(p.dirs))
}
