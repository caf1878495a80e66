package launch

import (
	"errors"
	"testing"
	"time"
)

// TestFailureCause reports failures to a rendezvous in several orders, and checks which one it
// takes for the cause.
func TestFailureCause(t *testing.T) {
	exit := func(rank int, text string) func(*Root) {
		return func(r *Root) { r.Exited(rank, errors.New(text)) }
	}
	say := func(rank int, text string, w witness) func(*Root) {
		return func(r *Root) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.spoke[rank] = true
			r.fail(rank, text, w)
		}
	}
	later := func(*Root) { time.Sleep(2 * settleTime) }
	for _, c := range []struct {
		name   string
		events []func(*Root)
		want   string
	}{
		{"words before the end", []func(*Root){say(0, "rank 1 is silent", following), exit(0, "exit status 1")}, "rank 0: rank 1 is silent"},
		{"words after the end", []func(*Root){exit(0, "exit status 1"), say(0, "rank 1 is silent", following)}, "rank 0: rank 1 is silent"},
		{"killed first", []func(*Root){exit(1, "signal: killed"), say(0, "rank 1 is gone", following), exit(0, "exit status 1")}, "rank 1: signal: killed"},
		{"killed last", []func(*Root){say(0, "rank 1 is gone", following), exit(0, "exit status 1"), exit(1, "signal: killed")}, "rank 1: signal: killed"},
		{"killed last, noticed late", []func(*Root){say(0, "rank 1 is gone", following), later, exit(1, "signal: killed")}, "rank 1: signal: killed"},
		{"killed, noticed between the end and the words of another", []func(*Root){exit(0, "exit status 1"), exit(1, "signal: killed"), say(0, "rank 1 is gone", following)}, "rank 1: signal: killed"},
		{"killed, noticed long after the end and the words of another", []func(*Root){exit(0, "exit status 1"), say(0, "rank 1 is gone", following), later, exit(1, "signal: killed")}, "rank 1: signal: killed"},
		{"own failure", []func(*Root){say(0, "rank 1 is gone", following), say(1, "disk full", reported), exit(1, "exit status 1")}, "rank 1: disk full"},
	} {
		r := &Root{ended: make([]bool, 2), spoke: make([]bool, 2), failed: make(chan struct{})}
		for _, event := range c.events {
			event(r)
		}
		if err := r.Failure(); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
