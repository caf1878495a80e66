package sched

import (
	"testing"
	"time"
)

// TestNestClock times two nests that take turns: the times of all runs of both are those of the run, and a clock of runs that
// take nothing gives up.
func TestNestClock(t *testing.T) {
	c := &nestClock{took: make([]time.Duration, 3), nest: -1}
	began := time.Since(loaded)
	for k := range 40 {
		c.start(k % 2)
		time.Sleep(20 * time.Microsecond)
	}
	ended := time.Since(loaded)
	got := c.stop(ended)
	if len(got) != 3 || got[0] < 400e-6 || got[1] < 400e-6 || got[2] != 0 || got[0]+got[1] > (ended-began).Seconds() {
		t.Errorf("the nests take %v of %v", got, ended-began)
	}
	fast := &nestClock{took: make([]time.Duration, 1), nest: -1}
	for range 1 << 16 {
		fast.start(0)
	}
	if got := fast.stop(time.Since(loaded)); got != nil {
		t.Errorf("%d runs that take nothing have the times %v", fast.marks, got)
	}
	var none *nestClock
	none.start(0)
	if none.stop(0) != nil {
		t.Error("no clock has times")
	}
}
