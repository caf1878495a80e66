package main

import (
	"flag"
	"fmt"
	"testing"

	"loopc/ir/irtest"
)

// A sample is how many random cases a test has, and where they come from.
type sample struct {
	count           *int
	seed            *uint64
	countIs, seedIs string // names of the flags
}

// sampleFlags declares the flags of a sample.
func sampleFlags(countIs, seedIs, what string, count int, seed uint64) sample {
	return sample{
		count: flag.Int(countIs, count, what), seed: flag.Uint64(seedIs, seed, "seed of -"+countIs+"; 0: a fresh one"),
		countIs: countIs, seedIs: seedIs,
	}
}

// begin returns the seed of a test, and logs the command that repeats it, with other flags as
// they are. If the test fails, the command is also the last line, which a log that is cut still has.
func (s sample) begin(t *testing.T, others ...string) uint64 {
	t.Helper()
	seed := *s.seed
	if seed == 0 {
		seed = irtest.Seed()
	}
	command := fmt.Sprintf("go test ./cmd/loopc -run %s -%s %d -%s %d", t.Name(), s.countIs, *s.count, s.seedIs, seed)
	for _, name := range others {
		command += fmt.Sprintf(" -%s %s", name, flag.Lookup(name).Value)
	}
	if irtest.Full() {
		command += " -full"
	}
	t.Log(command)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("again: " + command)
		}
	})
	return seed
}

// fresh reports whether the sample is another one each time, whose shares vary.
func (s sample) fresh() bool { return *s.seed == 0 }

var (
	randomNests    = sampleFlags("nests", "nest-seed", "random nests to compile and run", 15, 11)
	smallFiles     = sampleFlags("small", "small-seed", "random small files that are to build where they are accepted", 45, 1)
	vectorCases    = sampleFlags("vector-nests", "vector-seed", "random nests with vector kernels to compile and run", 16, 2)
	evaluatedCases = sampleFlags("evaluated-nests", "evaluated-seed", "random nests whose vector kernels are evaluated", 5, 3)
	bodyCases      = sampleFlags("bodies", "body-seed", "random bodies whose kernels are evaluated", 60, 4)
	largeCases     = sampleFlags("large-nests", "large-seed", "random nests with results that go past the caches to compile and run", 1, 1)
)

var (
	nestPlans      = flag.Int("nest-plans", 12, "random plans of each random nest or file that is run")
	nestTCP        = flag.Int("nest-tcp", 4, "of the random plans with several ranks, one in so many runs over TCP too; 0: none")
	nestSeveral    = flag.Int("nest-several", 4, "one file in so many has several nests; 0: none")
	nestShare      = flag.Int("nest-tilings", 3, "one nest in so many gets a random tiling matrix; 0: none")
	evaluatedForms = flag.Bool("evaluated-forms", false, "log how often each form of instruction is evaluated")
	smallRun       = flag.Int("small-run", 30, "one accepted small file in so many is assembled, linked and run")
)
