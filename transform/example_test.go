package transform_test

import (
	"fmt"

	"loopc/frontend"
	"loopc/ir"
	"loopc/transform"
	"loopc/transform/plan"
)

// A Jacobi iteration reads to both sides of the row above: one of its distances
// points backwards along i, until i is skewed by t.
func ExampleSkew() {
	fmt.Println(transform.Skew(2, []ir.Vec{{1, -1}, {1, 0}, {1, 1}}))
	// Output: [[1 0] [1 1]]
}

// From source to plan.
func ExampleLower() {
	nest, _ := frontend.Compile("heat.loop", []byte(`
param T, N = 100, 1000
array u[0..T, 0..N+1] float64 out
init u[t, i] = 1
for t = 1..T, i = 1..N {
	u[t,i] = (u[t-1,i-1] + u[t-1,i] + u[t-1,i+1]) / 3
}
`))
	_, lowered, _ := transform.Lower(nest)
	p, err := plan.New(lowered, []int{100, 1000}, plan.Options{Ranks: 2, Map: "t", Tile: []int{10, 550}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p)
	// Output:
	// parameters      T = 100, N = 1000
	// tile            10 × 550 iterations, 10 × 2 tiles
	// mapping         tiles along t share a worker; 2 columns
	// ranks           2 ranks as 1 × 2, 1 CPU each as 1 × 1
	// schedule        overlapped, retile, hyperplane grouping, 12 steps
}
