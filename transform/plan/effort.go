package plan

// An effort is the work that is left for the simulations of a search, in rows that are looked
// at: each takes some 50 ns. It is counted, not timed, so that the same search finds the same.
type effort struct{ left int }

// mostEffort is that of a search: it decides how long planning takes at most.
const mostEffort = 1 << 20

// mostOfOne is that of one simulation: of plans whose tiles are nearly all of different kinds
// not even one could be simulated.
const mostOfOne = mostEffort / 5

// spend takes work off what is left. Nobody counts for those who have no effort.
func (e *effort) spend(rows int) {
	if e != nil {
		e.left -= rows
	}
}

// spent reports whether nothing is left.
func (e *effort) spent() bool { return e != nil && e.left <= 0 }
