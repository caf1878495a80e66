package tcp

import (
	"fmt"
	"time"

	"loopc/runtime/transport"
)

// A vital is what the pulse remembers of a peer.
type vital struct {
	reads, writes uint64    // the peer's counts when last looked at
	heard         time.Time // when reads last grew
}

// pulse has heartbeats sent where nothing else is, and gives up peers that are
// silent. It counts instead of reading the clock at each frame.
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
		// A process that was stopped, or a machine that slept, has heard
		// nobody; that says nothing about them.
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

// nudge has a heartbeat sent.
func (p *peer) nudge() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat = true
	p.kick()
}

// silent gives the peer up after so long a silence, unless it has ended in good
// order.
func (p *peer) silent(since time.Duration) {
	select {
	case <-p.done:
		return
	default:
	}
	err := fmt.Errorf("rank %d was silent for %v", p.rank, since.Round(100*time.Millisecond))
	p.stop(transport.Gone(err), transport.NewGiveUp(p.mesh.cfg.Rank, err))
}
