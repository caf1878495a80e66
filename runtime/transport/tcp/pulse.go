package tcp

import (
	"fmt"
	"time"

	"loopc/runtime/transport"
)

// A vital is the pulse's state about a peer.
type vital struct {
	reads, writes uint64    // the peer's counts when last read
	heard         time.Time // when reads last grew
}

// pulse sends heartbeats to peers to which nothing else is sent, and gives up silent peers.
// It compares counts, so that no frame has to read the clock.
func (m *mesh) pulse() {
	ticker := time.NewTicker(m.cfg.Heartbeat / 2)
	defer ticker.Stop()
	vitals := make([]vital, m.cfg.Size)
	before := time.Now()
	for {
		select {
		case <-m.quit:
			return
		case <-ticker.C:
		}
		now := time.Now()
		// If this process was stopped, or the machine slept, silence says nothing about the
		// peers.
		slept := now.Sub(before) > m.cfg.Timeout/2
		before = now
		for _, p := range m.connected() {
			v := &vitals[p.rank]
			if n := p.reads.Load(); n != v.reads || v.heard.IsZero() || slept {
				v.reads, v.heard = n, now
			}
			if n := p.writes.Load(); n != v.writes {
				v.writes = n
			} else {
				p.nudge()
			}
			if silence := now.Sub(v.heard); silence > p.longestSilence() {
				p.silent(silence)
			}
		}
	}
}

// nudge makes the sender goroutine send a heartbeat.
func (p *peer) nudge() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat = true
	p.kick()
}

// silent gives the peer up after a silence, unless both sides have said goodbye.
func (p *peer) silent(since time.Duration) {
	select {
	case <-p.done:
		return
	default:
	}
	err := fmt.Errorf("rank %d was silent for %v", p.rank, since.Round(100*time.Millisecond))
	p.stop(transport.Gone(err), transport.NewGiveUp(p.mesh.cfg.Rank, err))
}
