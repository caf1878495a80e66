package paper

import (
	"loopc/transform/plan/plantest"
)

// eachVector calls f with the vectors 1 ≤ v ≤ top of a product of at most most.
func eachVector(top []int, most int, f func(v []int)) {
	low, high := make([]int, len(top)), make([]int, len(top))
	for k := range top {
		low[k], high[k] = 1, min(top[k], most)
	}
	plantest.EachPoint(low, high, func(v []int) {
		if product(v) <= most {
			f(v)
		}
	})
}

func product(v []int) int {
	x := 1
	for _, f := range v {
		x *= max(1, f)
	}
	return x
}

func sum(v []int) (total int) {
	for _, x := range v {
		total += x
	}
	return total
}

// alike is how much numbers may differ that are computed in different orders.
const alike = 1e-12
