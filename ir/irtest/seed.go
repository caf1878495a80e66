package irtest

import (
	"math/rand/v2"
	"os"
	"strconv"
)

// Seed returns the seed of the environment variable LOOPC_TEST_SEED; without it, another seed at each call. .ci/run sets the
// variable to a number that it computes from the tree of the commit: each commit is tested with samples of its own, and its result
// can be repeated.
func Seed() uint64 {
	if seed, err := strconv.ParseUint(os.Getenv("LOOPC_TEST_SEED"), 10, 64); err == nil {
		return seed
	}
	return rand.Uint64()
}
