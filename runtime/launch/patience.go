package launch

import "time"

// DefaultPatience is how long to wait for a silent process, unless the user sets
// --patience.
const DefaultPatience = 5 * time.Second

// A patience is how long ranks wait for a silent rank; DefaultPatience if zero. All other
// timeouts follow from it. Connections to the rendezvous have a longer timeout, so that the
// ranks, which know more, report first.
type patience time.Duration

// wait is the time p, with the default filled in.
func (p patience) wait() time.Duration {
	if p <= 0 {
		return DefaultPatience
	}
	return time.Duration(p)
}

// silence is how long a connection to the rendezvous may be silent before the other side counts
// as gone.
func (p patience) silence() time.Duration { return 3 * p.wait() }

// beat is the time between two heartbeats.
func (p patience) beat() time.Duration { return min(time.Second, p.wait()/5) }

// retry is how long a rank retries if strangers keep the rendezvous busy.
func (p patience) retry() time.Duration { return max(30*time.Second, 6*p.wait()) }

// join is how long ranks may take to register after their processes were started.
func (p patience) join() time.Duration { return max(MeetTime, p.retry()) }
