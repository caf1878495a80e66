package figure

import (
	"math"

	"gonum.org/v1/plot"
)

// doublings ticks the powers of two.
type doublings struct{}

// Ticks implements plot.Ticker.
func (doublings) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for x := 1.0; x <= high; x *= 2 {
		if x < low {
			continue
		}
		label := number(x)
		if x >= 1<<10 {
			label = number(x/(1<<10)) + "k"
		}
		out = append(out, plot.Tick{Value: x, Label: label})
	}
	return out
}

// even ticks multiples of 1, 2, 2.5 or 5 times a power of ten, about six of them.
type even struct{}

func (even) step(low, high float64) float64 {
	if !(high > low) {
		return 1
	}
	wish := (high - low) / 6
	power := math.Pow(10, math.Floor(math.Log10(wish)))
	for _, f := range []float64{1, 2, 2.5, 5} {
		if f*power >= wish {
			return f * power
		}
	}
	return 10 * power
}

// limits returns low and high moved out to ticks.
func (e even) limits(low, high float64) (float64, float64) {
	s := e.step(low, high)
	return math.Floor(low/s) * s, math.Ceil(high/s) * s
}

// Ticks implements plot.Ticker.
func (e even) Ticks(low, high float64) []plot.Tick {
	s := e.step(low, high)
	var out []plot.Tick
	for k := math.Ceil(low/s - 1e-9); k*s <= high*(1+1e-9); k++ {
		out = append(out, plot.Tick{Value: k * s, Label: number(k*s + 0)}) // +0: no -0
	}
	return out
}
