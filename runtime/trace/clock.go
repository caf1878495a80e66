package trace

import "time"

// Ranks of one host share a clock, but Go processes cannot compare their readings: the monotonic part of a time.Time has another origin in
// each process. The launcher therefore reads the host's clock once (Origin), and each rank converts that time to Go's clock in its process:
// it reads Go's clock before and after the host's, and takes the midpoint. The clock error is at most half of the time between the two
// readings; the file records it for each rank. All later times are differences of Go's clock.
//
// On Linux the host's clock is CLOCK_MONOTONIC, which Go reads, too: the two do not drift apart. Elsewhere it is the wall clock. If someone
// sets the wall clock between the launcher's reading and a rank's, the rank's times are wrong by the difference.

// Origin returns the time of this host's clock in nanoseconds, for NewAt in another process of the host.
func Origin() int64 { return hostClock() }

// NewAt returns a Recorder of a run that started at origin.
func NewAt(origin int64) *Recorder {
	r, _ := NewAtClock(origin, func() (int64, error) { return hostClock(), nil }) // cannot fail
	return r
}

// NewAtClock returns a Recorder of a run that started at origin, in nanoseconds of a clock that may be another host's. The time between a
// request to that host and its answer is part of the clock error. The offset between hosts is measured once, at the start; later their
// clocks drift apart.
func NewAtClock(origin int64, clock func() (int64, error)) (*Recorder, error) {
	const looks = 32 // so many that the fastest was not interrupted
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
