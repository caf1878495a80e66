package cli

import "math/rand/v2"

// candidates is how many rows cover tries for each that it takes.
const candidates = 20

// cover returns rows, with one level per factor, such that every pair of levels of two factors
// occurs in at least one row. The parameter most bounds the number of rows: if more are needed,
// some pairs are left out. levels has the number of levels of each factor.
//
// It chooses row after row, each the best of several candidates. A candidate is made factor by
// factor in random order, each time with the level that covers the most new pairs.
func cover(levels []int, most int, rng *rand.Rand) [][]int {
	type pair struct{ f, level, g, other int }
	open := map[pair]bool{}
	for f := range levels {
		for g := range f {
			for a := range levels[f] {
				for b := range levels[g] {
					open[pair{f, a, g, b}] = true
				}
			}
		}
	}
	news := func(row []int, f, level int) int {
		n := 0
		for g, other := range row {
			switch {
			case other < 0:
			case g < f && open[pair{f, level, g, other}], g > f && open[pair{g, other, f, level}]:
				n++
			}
		}
		return n
	}
	var rows [][]int
	for len(open) > 0 && len(rows) < most {
		var best []int
		bestNew := -1
		for range candidates {
			row := make([]int, len(levels))
			for f := range row {
				row[f] = -1
			}
			total := 0
			for _, f := range rng.Perm(len(levels)) {
				level, gain := 0, -1
				for _, x := range rng.Perm(levels[f]) {
					if n := news(row, f, x); n > gain {
						level, gain = x, n
					}
				}
				row[f] = level
				total += gain
			}
			if total > bestNew {
				best, bestNew = row, total
			}
		}
		for f := range best {
			for g := range f {
				delete(open, pair{f, best[f], g, best[g]})
			}
		}
		rows = append(rows, best)
	}
	return rows
}
