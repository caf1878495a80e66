package irtest

import "flag"

// full is the flag -full.
var full = flag.Bool("full", false, "run all cases of the tests that otherwise run some, or the cases that these tests otherwise leave out")

// Full reports whether a test has to run all of its cases. Without -full, tests that call Full, OfAll or Part
// run only some cases, which find the same kinds of faults. .ci/run runs these tests with -full, as
// TestFullIsRun requires.
func Full() bool { return *full }

// OfAll returns how many of all cases a test runs: all with -full, and otherwise some.
func OfAll(all, some int) int {
	if *full {
		return all
	}
	return some
}

// Part returns which of all cases a test runs: those numbered first to end-1, counted from 0. Without -full
// these are the first some cases, and with -full the others. .ci/run runs the test in both ways.
func Part(all, some int) (first, end int) {
	if *full {
		return some, all
	}
	return 0, some
}
