package main

import (
	"math"
	"math/rand/v2"
)

// maxCells bounds the cells of a field.
const maxCells = 1 << 28

// kinds are the kinds of fields: functions for the value of cell i, j of a field of the given
// size, which are called in C order.
var kinds = map[string]func(rng *rand.Rand, i, j, rows, cols int) float64{
	"bump": func(_ *rand.Rand, i, j, rows, cols int) float64 {
		return arch(i, rows) * arch(j, cols)
	},
	"random": func(rng *rand.Rand, _, _, _, _ int) float64 { return rng.Float64() },
	"plate": func(_ *rand.Rand, i, _, _, _ int) float64 {
		if i == 0 {
			return 1
		}
		return 0
	},
}

// arch is 1 in the middle of n cells and exactly 0 at both ends, smoothly.
func arch(k, n int) float64 {
	if k == 0 || k == n-1 {
		return 0
	}
	s := math.Sin(math.Pi * float64(k) / float64(n-1))
	return s * s
}

// fill returns the cells of a field, in C order.
func fill(value func(rng *rand.Rand, i, j, rows, cols int) float64, rows, cols int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	cells := make([]float64, 0, rows*cols)
	for i := range rows {
		for j := range cols {
			cells = append(cells, value(rng, i, j, rows, cols))
		}
	}
	return cells
}
