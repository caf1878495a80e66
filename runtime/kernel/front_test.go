package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestFrontAround lists the cells that the vectors of a Front load without masks: of each group of rows, in chunks of as many steps
// as a vector has lanes.
func TestFrontAround(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		f := &Front{Lanes: 4 << rng.IntN(2), Skew: rng.IntN(3), Before: rng.IntN(4), Streams: []FrontStream{{}, {Above: rng.IntN(3)}}}
		together := f.Lanes * (1 + rng.IntN(2))
		size := 1 << rng.IntN(4)
		cell, step := size*(1-2*rng.IntN(2)), (rng.IntN(101)-50)*size
		rows, width := 1+rng.IntN(40), 1+rng.IntN(40)
		frame := make([]int, f.Words())
		frame[FrontFrameRows], frame[FrontFrameWidth], frame[f.FrameStep(1)] = rows, width, step
		first, end := 0, 0
		for group := 0; group < rows; group += together {
			last := width + f.Skew*(min(together, rows-group)-1)
			for chunk := -f.Before; chunk < last; chunk += f.Lanes {
				for row := -f.Streams[1].Above; row < together; row++ {
					for v := chunk; v < chunk+f.Lanes; v++ {
						at := (group+row)*step + (v-f.Skew*row)*cell
						first, end = min(first, at), max(end, at+size)
					}
				}
			}
		}
		from, to := f.Around(frame, 1, cell, size, together)
		if from > first || to < end {
			t.Fatalf("%+v, %d together, %d rows of %d, cells of %d by %d, rows by %d: from %d to %d are loaded, not from %d to %d", f, together, rows, width, size, cell, step, first, end, from, to)
		}
	}
}
