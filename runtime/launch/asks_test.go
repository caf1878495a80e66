package launch

import "testing"

// TestAsksBegin: when a run begins again, none of its checkpoints is settled, and earlier requests
// of the user remain.
func TestAsksBegin(t *testing.T) {
	var a Asks
	a.Settle(20)
	a.Ask(true)
	a.Begin()
	if keep, end := a.Take(); !keep || !end || a.IsSettled(10) {
		t.Errorf("asked for a checkpoint: %v, for the end: %v; settled: %v", keep, end, a.IsSettled(10))
	}
}
