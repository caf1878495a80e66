package sched

import "time"

// A nestClock measures the time that each nest takes, where loops run as they are written. It reads the time once for each run of a nest,
// and gives up if that would be a notable part of the whole run's time: then there are no times. A nil nestClock measures nothing.
type nestClock struct {
	took  []time.Duration // by nest
	nest  int             // the nest that runs; -1: none has begun
	first time.Duration   // when the first nest began, as time since loaded
	began time.Duration   // when nest began, likewise
	marks int             // how many nests have begun
	off   bool            // it has given up
}

// A nestClock gives up if the first leastMarks runs of nests, or the first 2, 4, 8 ... times as many, take less than leastTimed on average.
const (
	leastTimed = 5 * time.Microsecond
	leastMarks = 16
)

// start is called when nest k begins. The nest before it has ended.
func (c *nestClock) start(k int) {
	if c == nil || c.off {
		return
	}
	now := time.Since(loaded)
	if c.nest >= 0 {
		c.took[c.nest] += now - c.began
	} else {
		c.first = now
	}
	if c.marks++; c.marks >= leastMarks && c.marks&(c.marks-1) == 0 && now-c.first < time.Duration(c.marks)*leastTimed {
		c.off = true
	}
	c.nest, c.began = k, now
}

// stop ends the last nest, at a time since loaded. It returns the seconds of each nest; nil if c has given up.
func (c *nestClock) stop(now time.Duration) []float64 {
	if c == nil || c.off {
		return nil
	}
	if c.nest >= 0 {
		c.took[c.nest] += now - c.began
	}
	out := make([]float64, len(c.took))
	for k, t := range c.took {
		out[k] = t.Seconds()
	}
	return out
}

// clocked prepares the clock of a run. The items of a batch have none: several CPUs run nests of items at once.
func (s *sequence) clocked(wanted bool) {
	s.clock, s.repeating.Starts = nil, nil
	if wanted && s.prog.Several() && !s.prog.HasBatch() {
		s.clock = &nestClock{took: make([]time.Duration, len(s.nests)), nest: -1}
		s.repeating.Starts = s.clock.start
	}
}
