package irtest

import "flag"

// full is the flag -full.
var full = flag.Bool("full", false, "run all cases, or all others, of the tests that run a part of them without")

// Full reports whether a test is to run all of its cases. Without -full, some tests run only some
// cases, which find the same kinds of faults. .ci/run sets -full for all tests that call
// Full, OfAll or Part, as TestFullIsRun requires.
func Full() bool { return *full }

// OfAll returns how many of all cases a test runs: all with -full, and otherwise some.
func OfAll(all, some int) int {
	if *full {
		return all
	}
	return some
}

// Part returns which of all cases, counted from 0, a test runs: some, and with -full the others, as
// .ci/run runs both. Cases from first up to end are run.
func Part(all, some int) (first, end int) {
	if *full {
		return some, all
	}
	return 0, some
}
