package cli

import "math/rand/v2"

// candidates is how many rows cover tries for each that it takes.
const candidates = 20

// cover returns rows, with one value per factor, such that every pair of values of two factors
// occurs in at least one row. If that takes more rows than the parameter most says, cover stops
// there and leaves out some pairs. values has the number of values of each factor.
//
// It chooses row after row, each the best of several candidates. A candidate is made factor by
// factor in random order, each time with the value that covers the most new pairs.
func cover(values []int, most int, rng *rand.Rand) [][]int {
	type pair struct{ f, value, g, other int }
	open := map[pair]bool{}
	for f := range values {
		for g := range f {
			for a := range values[f] {
				for b := range values[g] {
					open[pair{f, a, g, b}] = true
				}
			}
		}
	}
	news := func(row []int, f, value int) int {
		n := 0
		for g, other := range row {
			switch {
			case other < 0:
			case g < f && open[pair{f, value, g, other}], g > f && open[pair{g, other, f, value}]:
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
			row := make([]int, len(values))
			for f := range row {
				row[f] = -1
			}
			total := 0
			for _, f := range rng.Perm(len(values)) {
				value, gain := 0, -1
				for _, x := range rng.Perm(values[f]) {
					if n := news(row, f, x); n > gain {
						value, gain = x, n
					}
				}
				row[f] = value
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
