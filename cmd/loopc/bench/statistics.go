package bench

import (
	"math"
	"slices"
)

// median returns the median of x, which must not be empty.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// An interval is a confidence interval of a median.
type interval struct {
	low, high float64
}

// confidence is the least probability with which an interval must contain the true median.
const confidence = 0.95

// medianInterval returns a 95 % confidence interval for the median of the distribution from
// which x was drawn, without assumptions about the distribution: from the k-th smallest to
// the k-th largest value, with the greatest k such that
//
//	2 P(B < k) <= 1 - confidence,   B binomial of len(x) trials with p = 1/2
//
// B is the number of values below the true median. The interval misses the median only if fewer than
// k values are below the median, or fewer than k above. Fewer than six values have no such
// interval: enough is false, and medianInterval returns the whole range.
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

// logBinomial returns the logarithm of the binomial coefficient n over k.
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
