package main

import (
	"math/rand/v2"
	"testing"

	"loopc/ir/irtest"
)

// TestComponents runs nests whose last loop runs over a few components. Kernels in entire arrays make one loop of it and the loop before.
func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(irtest.Seed(), 31))
	var all []string
	for range 10 {
		all = append(all, irtest.RandomComponents(rng))
	}
	runNamed(t, "components", all)
}
