package tcp

import "time"

// An outage of the network of half of Config.Timeout must do no harm. After it the system
// sends again what was lost in it, which it tries at growing intervals: from 200 ms or so,
// each twice as long as the one before, up to an eighth late on Linux. So the first attempt
// after an outage may come when the peer has been silent for a little more than twice the
// outage.
//
// Where the system lets us bound the intervals (retryWithin), and the bound is small against
// the time-out, a peer is given up after exactly that. Else it is given as much more as the
// intervals may take. Each rank tells its peers, by its first heartbeat, which of both its own
// system does.

const (
	firstRetry    = 500 * time.Millisecond // more than a system waits before it tries again
	shortestRetry = time.Second            // the least bound that Linux takes
	longestRetry  = 120 * time.Second      // the greatest
)

// prompt is the bit of a heartbeat's sequence by which a rank says that its system sends
// again soon.
const prompt = 1

// greet queues the first heartbeat, after the system was told how soon to send again.
func (p *peer) greet() {
	f := frame{kind: kindHeartbeat}
	bound := min(max(shortestRetry, p.mesh.cfg.Timeout/8), longestRetry)
	if p.local != nil || bound <= p.mesh.cfg.Timeout/4 && retryWithin(p.conn, bound) {
		f.sequence = prompt
	}
	p.queue = append(p.queue, outgoing{frame: f})
}

// receiveHeartbeat hears what the peer's system does. Otherwise a heartbeat has done its work
// by arriving.
func (p *peer) receiveHeartbeat(f frame) {
	if f.sequence&prompt != 0 {
		p.prompt.Store(true)
	}
}

// longestSilence is how long the peer may be silent.
func (p *peer) longestSilence() time.Duration {
	limit := p.mesh.cfg.Timeout
	if !p.prompt.Load() {
		limit += limit/4 + firstRetry
	}
	return limit
}
