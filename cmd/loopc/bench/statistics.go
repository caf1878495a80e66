package bench

import (
	"math"
	"slices"
)

// median returns the median of x, which has one value at least.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// An interval is where the median of what a sample was drawn from lies.
type interval struct {
	low, high float64
}

// confidence is the least probability that the true median lies in an interval.
const confidence = 0.95

// medianInterval returns an interval that holds the median of the distribution
// from which x was drawn, with a probability of 95 % at least, whatever that
// distribution is: the k-th value from below and from above, with the greatest k
// for which
//
//	2 P(B < k) <= 1 - confidence,   B binomial of len(x) trials with p = 1/2
//
// since the median is below the k-th value if fewer than k values are below the
// median. With fewer than six values there is none: enough is false, and the
// interval is the whole range.
func medianInterval(x []float64) (in interval, enough bool) {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	k, below := 0, 0.0 // P(B < k)
	for 2*k < n {
		below += math.Exp(logBinomial(n, k) - float64(n)*math.Ln2)
		if 2*below > 1-confidence {
			break
		}
		k++
	}
	if k == 0 {
		return interval{s[0], s[n-1]}, false
	}
	return interval{s[k-1], s[n-k]}, true
}

// logBinomial returns the logarithm of n over k.
func logBinomial(n, k int) float64 {
	a, _ := math.Lgamma(float64(n) + 1)
	b, _ := math.Lgamma(float64(k) + 1)
	c, _ := math.Lgamma(float64(n-k) + 1)
	return a - b - c
}

// ratios divides x by y, pair by pair.
func ratios(x, y []float64) []float64 {
	r := make([]float64, len(x))
	for k := range r {
		r[k] = x[k] / y[k]
	}
	return r
}
