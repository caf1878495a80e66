package trace

import "time"

// Ranks of one host share a clock, but Go does not let processes compare what
// they read from it: the monotonic part of a time.Time counts from a point that
// each process chooses. The launcher therefore reads the host's own clock once
// (Origin), and each rank finds out which of its times that is: it reads its own
// clock before and after the host's, and takes the middle. What it can be wrong
// by is half of the time between, the clock error, which the file tells for
// each rank. All later times are differences of the rank's own monotonic clock.
//
// The host's clock is CLOCK_MONOTONIC on Linux, which is also what Go reads: the
// two do not drift apart. Elsewhere it is the wall clock; if somebody sets that
// between the launcher's look and a rank's, the rank's times are off by as much.

// Origin returns the time of this host's clock in nanoseconds, for NewAt in
// another process of the host.
func Origin() int64 { return hostClock() }

// NewAt returns a Recorder of a run that started at origin.
func NewAt(origin int64) *Recorder {
	r, _ := NewAtClock(origin, func() (int64, error) { return hostClock(), nil }) // which cannot fail
	return r
}

// NewAtClock returns a Recorder of a run that started at origin by a clock, in
// nanoseconds, that may be another host's: what lies between a question and its
// answer is part of the clock error. The offset between hosts is that of the
// start; their clocks drift apart by some microseconds in a second of a run.
func NewAtClock(origin int64, clock func() (int64, error)) (*Recorder, error) {
	const looks = 32 // the best of which has not been interrupted
	r := New()
	for k := range looks {
		before := time.Now()
		host, err := clock()
		if err != nil {
			return nil, err
		}
		between := time.Since(before)
		if wrong := (between + 1) / 2; k == 0 || wrong < r.clockError {
			r.base, r.clockError = before.Add(between/2-time.Duration(host-origin)), wrong
		}
	}
	return r, nil
}
