package plan

// An effort is the work that is left for the simulations of a search, in rows that are looked
// at: each takes some 50 ns. It is counted, not timed, so that the same search finds the same.
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

// rowCost is what a row of a tile that is cut costs.
func (p *Plan) rowCost() int {
	cost := 3
	for v := range p.Nest.Values {
		cost += len(p.needsOf(&p.Nest.Values[v]))
	}
	return cost
}

// exactCost is about the most that a tile costs that is cut, looked at exactly.
func (p *Plan) exactCost() int {
	edges, rows := p.rowCost(), 1
	for x, s := range p.Side[:len(p.Side)-1] {
		edges = min(edges*min(s+p.Margin[x], p.Margin[x]+1+middleSamples), mostEffort)
		rows = min(rows*s, mostCountedTile)
	}
	return lookCost + edges + rows
}

// withinEffort is the fidelity with which p, of so many kinds of tiles, costs no more than it may.
func (p *Plan) withinEffort(kinds, cost int) fidelity {
	each := cost / max(1, kinds)
	if each >= p.exactCost() {
		return fidelity{}
	}
	return fidelity{min(max(2, (each-lookCost)/p.rowCost()), mostLooked)}
}
