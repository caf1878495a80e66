package launch

import "time"

// DefaultPatience is how long a silent process of a run is waited for, unless the user says
// something else.
const DefaultPatience = 5 * time.Second

// A patience is how long a silent rank is waited for by those that compute with it;
// DefaultPatience if zero. All times for silent processes follow from it. Lines to the
// rendezvous are given longer, so that the ranks, which know more, speak first.
type patience time.Duration

// wait is the time itself.
func (p patience) wait() time.Duration {
	if p <= 0 {
		return DefaultPatience
	}
	return time.Duration(p)
}

// silence is how long a line between hosts may be silent: then the other side, or its host,
// is taken for gone. On one host the system says so itself.
func (p patience) silence() time.Duration { return 3 * p.wait() }

// beat lies between two beats.
func (p patience) beat() time.Duration { return min(time.Second, p.wait()/5) }

// again is how long a rank tries again if the rendezvous has no time for it, because it is
// beset by others.
func (p patience) again() time.Duration { return max(30*time.Second, 6*p.wait()) }
