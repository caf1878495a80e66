package tcp

import "time"

// A network outage of half of Config.Timeout must do no harm. After an outage the system
// sends lost data again, at intervals that double from attempt to attempt. So the first
// attempt after an outage may come when the peer has been silent for a little more than
// twice the outage.
//
// Where the system lets us bound the intervals (retryWithin), and the bound is small
// compared with the time-out, a rank gives a silent peer up after exactly the time-out.
// Elsewhere it waits for longer by as much as the intervals can take. The first
// heartbeat of a rank tells its peers which of the two holds for its system.

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
