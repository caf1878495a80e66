package irtest

import "flag"

// full is the flag -full.
var full = flag.Bool("full", false, "run all cases of the tests that run a part of them without")

// Full reports whether a test is to run all of its cases. Without -full, some tests run only some
// cases, which find the same kinds of faults. .ci/run sets -full for all tests that call
// Full or OfAll, as TestFullIsRun requires.
func Full() bool { return *full }

// OfAll returns how many of all cases a test runs: all with -full, and otherwise some.
func OfAll(all, some int) int {
	if *full {
		return all
	}
	return some
}
