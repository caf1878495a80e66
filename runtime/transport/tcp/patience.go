package tcp

import "time"

// A network outage of half of Config.Timeout must do no harm. After lost packets the system
// retransmits at intervals that double with each attempt. So the first attempt after an
// outage may come when the peer has been silent for a little more than twice the duration
// of the outage.
//
// If the system lets us bound the intervals (retryWithin), and the bound is small compared
// with the timeout, a rank gives up a silent peer after exactly the timeout. Otherwise it
// waits longer, by the length that the intervals can reach. The first heartbeat of a rank
// tells its peers which case applies to its system.

const (
	firstRetry    = 500 * time.Millisecond // more than the first interval of any system
	shortestRetry = time.Second            // the least bound that Linux accepts
	longestRetry  = 120 * time.Second      // the greatest bound that Linux accepts
)

// prompt is the bit of a heartbeat's sequence that means: the intervals of this rank's
// system are bounded.
const prompt = 1

// greet bounds the retransmission intervals, and queues the first heartbeat.
func (p *peer) greet() {
	f := frame{kind: kindHeartbeat}
	bound := min(max(shortestRetry, p.mesh.cfg.Timeout/8), longestRetry)
	if p.local != nil || bound <= p.mesh.cfg.Timeout/4 && retryWithin(p.conn, bound) {
		f.sequence = prompt
	}
	p.queue = append(p.queue, outgoing{frame: f})
}

// receiveHeartbeat reads the bit prompt. Otherwise a heartbeat only has to arrive.
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
