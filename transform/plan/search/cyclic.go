package search

import "loopc/transform/plan"

// A reach is the range of a level's iterations along one dimension, empty if hi < lo.
type reach struct{ lo, hi int }

// mostReaches is the most levels that reaches examines: those of many tiles.
const mostReaches = 1 << 12

// reaches returns the ranges of all levels along dimension x, or, if there are very many levels, those in the middle of the run.
func reaches(p *plan.Plan, x int) (out []reach) {
	first, last := p.Lo[0], p.Hi[0]
	if beyond := last - first + 1 - mostReaches; beyond > 0 {
		first += beyond / 2
		last = first + mostReaches - 1
	}
	lo, hi := make([]int, len(p.Lo)), make([]int, len(p.Lo))
	for level := first; level <= last; level++ {
		b := reach{0, -1}
		if p.LevelBox(level, lo, hi) {
			b = reach{lo[x] - p.Lo[x], hi[x] - p.Lo[x]}
		}
		out = append(out, b)
	}
	return out
}

// cyclicTime estimates the time of CPUs that take columns of tiles cyclically, divided by their time if nobody waited: 1 at best. The
// parameter wide is the width of a column (the first begins at 0), height the number of levels of a tile. A column begins and ends after
// the column before it, and after the same column of the levels below. (The delay of one tile between two columns is not counted.) The last
// column of some levels and the first column of the levels above have less to do than others: the number of these columns decides whether
// CPUs end together, or one waits for the other after every few columns [note planner-constants].
func cyclicTime(levels []reach, height, wide, cpus int) float64 {
	type span struct{ begins, ends float64 }
	var below []span // of the levels below, by column
	free := make([]float64, cpus)
	all, latest := 0.0, 0.0
	for from := 0; from < len(levels); from += height {
		tile := levels[from:min(from+height, len(levels))]
		var before span
		for c := 0; ; c++ {
			work, more := 0, false
			for _, b := range tile {
				work += max(0, min(b.hi, (c+1)*wide-1)-max(b.lo, c*wide)+1)
				more = more || b.hi >= c*wide
			}
			if !more {
				break
			}
			if c == len(below) {
				below = append(below, span{})
			}
			if work == 0 {
				continue
			}
			cpu, now := c%cpus, &below[c]
			now.begins = max(free[cpu], before.begins, now.begins)
			now.ends = max(now.begins+float64(work), before.ends, now.ends)
			free[cpu], before = now.ends, *now
			all, latest = all+float64(work), max(latest, now.ends)
		}
	}
	if all == 0 {
		return 1
	}
	return latest * float64(cpus) / all
}
