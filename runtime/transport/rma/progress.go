package rma

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"loopc/runtime/transport"
)

const (
	pollEvents = 64 // completions taken at once

	// A worker that waits serves the completion queue itself for some time, and then
	// parks: waking it costs 20 us on an idle machine and 300 on a busy one. It waits
	// less where waiting has not helped of late, and longer where it nearly has.
	// spinReads is how often it looks without leaving C: Go takes the processor of
	// who stays there for 20 us, and giving it back costs more.
	firstSpin = 50 * time.Microsecond
	maxSpin   = 500 * time.Microsecond
	minSpin   = 5 * time.Microsecond
	spinReads = 6

	clockTurns = 4 // of spinning, between two looks at the clock

	// What the progress goroutine does when there is nothing: it blocks, where the
	// provider can wake it, and naps for longer and longer where not. If workers have
	// served the queue of late it stays away, and while writes wait for room it looks
	// often.
	blockTime   = time.Millisecond
	minNap      = 10 * time.Microsecond
	maxNap      = 100 * time.Microsecond
	awayTime    = 100 * time.Microsecond
	backlogTime = 10 * time.Microsecond
)

// patience is how long the owner of an end of an edge spins, the next time; 0: as
// long as at first.
type patience struct{ limit time.Duration }

// spin serves the completion queue until ready says so, for a bounded time. It
// returns when it began if ready did not say so: patience.parked wants to know.
func (m *mesh) spin(p *patience, ready func() bool) time.Time {
	m.pay()
	if p.limit == 0 {
		p.limit = firstSpin
	}
	var begun time.Time
	for k := 0; ; k++ {
		m.spins.Add(1)
		m.polling.Lock() // sleeps while somebody else serves it, who may lack a processor
		if !ready() {
			m.serve(spinReads)
		}
		m.polling.Unlock()
		if ready() {
			return time.Time{}
		}
		if k%clockTurns != 0 {
			continue
		}
		if begun.IsZero() {
			begun = time.Now()
		}
		switch spun := time.Since(begun); {
		case spun > p.limit:
			m.wake()
			return begun
		case spun > firstSpin:
			runtime.Gosched()
		}
	}
}

// parked notes that spinning was not enough. If what was waited for came soon after
// all, spinning twice as long would have been better: otherwise two ranks that wait for
// each other's answers go on parking, for an answer takes as long as waking up does.
func (p *patience) parked(begun time.Time) {
	switch {
	case begun.IsZero():
	case time.Since(begun) < 4*maxSpin:
		p.limit = min(2*p.limit, maxSpin)
	default:
		p.limit = max(p.limit/2, minSpin)
	}
}

// progress serves the completion queue until quit. It is not bound to a thread: a
// worker that it wakes goes on at once in its place.
func (m *mesh) progress() {
	nap := minNap
	var before uint64
	for !m.quit.Load() {
		spins := m.spins.Load()
		attended := spins != before
		before = spins
		m.pay()
		switch {
		case attended && m.backlog.Load() == 0:
			// Not even a look: a worker that finds the queue taken would spin until this
			// thread, which has no processor of its own, goes on.
			m.fabric.Wait(awayTime, true)
		case m.poll(1) > 0:
			nap = minNap
		case m.backlog.Load() > 0:
			m.fabric.Wait(backlogTime, true)
		case m.fabric.Wakes():
			m.fabric.Wait(blockTime, false)
		default:
			m.fabric.Wait(nap, false)
			nap = min(2*nap, maxNap)
		}
	}
}

// owe notes that the sender of e is to be told of the release of a face. That can
// wait until the rank, which has just freed a slot, has posted a face of its own: the
// credits follow with the next Flush, or when a worker waits, or soon.
func (m *mesh) owe(e *recvEdge) {
	m.owes.Lock()
	defer m.owes.Unlock()
	if e.due == 0 {
		m.owing = append(m.owing, e)
	}
	e.due++
	m.debts.Store(true)
}

// pay sends the credits that are due.
func (m *mesh) pay() {
	if !m.debts.Load() {
		return
	}
	m.owes.Lock()
	defer m.owes.Unlock()
	m.debts.Store(false)
	for _, e := range m.owing {
		for ; e.due > 0; e.due-- {
			e.tell(kindCredit, e.paid)
			e.paid++
		}
	}
	m.owing = m.owing[:0]
}

// wake has the progress goroutine look after the completion queue.
func (m *mesh) wake() {
	m.life.RLock()
	defer m.life.RUnlock()
	if !m.over {
		m.fabric.Wake()
	}
}

// poll serves the completion queue unless somebody else does, and looks for
// completions so many times. It returns how many there were.
func (m *mesh) poll(spins int) int {
	if !m.polling.TryLock() {
		return 0
	}
	defer m.polling.Unlock()
	return m.serve(spins)
}

// serve is poll for who holds m.polling.
func (m *mesh) serve(spins int) int {
	m.life.RLock()
	if m.over || m.quit.Load() {
		m.life.RUnlock()
		return 0
	}
	n, err := m.fabric.Poll(m.events, spins)
	m.life.RUnlock()
	if err != nil {
		m.fatal(transport.Gone(fmt.Errorf("the completion queue is broken: %w", err)))
		return 0
	}
	for k := range n {
		m.dispatch(&m.events[k])
	}
	if m.backlog.Load() > 0 {
		for _, p := range m.peers {
			if p != nil {
				p.retry()
			}
		}
	}
	return n
}

// dispatch acts on a completion.
func (m *mesh) dispatch(e *Event) {
	if e.Remote == 0 {
		if e.Status != 0 {
			m.peers[e.Value].broken(m.fabric.Failure(e.Status))
		}
		return
	}
	i := immediate(uint32(e.Value))
	at := m.end(i.handle())
	if at == nil || e.Value>>32 != 0 {
		m.fatal(fmt.Errorf("%w: %v is for no end of an edge of rank %d", transport.ErrProtocol, i, m.rank))
		return
	}
	if err := at.told(i); err != nil {
		at.owner().refuse(err)
	}
}

// fatal fails every peer: which of them it was is not known. There is nothing more
// to be served.
func (m *mesh) fatal(err error) {
	m.quit.Store(true)
	for _, p := range m.peers {
		if p != nil {
			p.fail(err)
		}
	}
	m.giveUp(err)
}

// giveUp ends this rank's part for what it has found wrong. It is told at once, not
// when somebody closes the transport, because peers may wait for us until then.
func (m *mesh) giveUp(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wrong == nil && !m.closed {
		m.wrong = err
		go func() { _ = m.control.Close(err) }() // Close waits for it, by closing the control again
	}
}

// signal tells the peer something that an immediate can say.
func (p *peer) signal(i immediate) {
	p.writing.Lock()
	defer p.writing.Unlock()
	s := &p.mesh.scratch
	p.ring = Write{
		To:        p.to,
		Memory:    s.Memory[quietLine : quietLine+bellBytes],
		Desc:      s.Desc,
		Address:   p.bell.base,
		Key:       p.bell.key,
		Immediate: uint32(i),
		Tag:       uint32(p.rank),
		Quick:     true,
	}
	p.submit(&p.ring)
}

// submit starts a write to the peer, or keeps a copy of it until there is room. It
// needs p.writing.
func (p *peer) submit(w *Write) {
	m := p.mesh
	if len(p.pending) == 0 {
		err := m.start(w)
		if err == nil {
			return
		}
		if !errors.Is(err, ErrAgain) {
			p.breakLater(err)
			return
		}
	}
	p.pending = append(p.pending, *w)
	if m.backlog.Add(1) == 1 {
		m.wake()
	}
}

// start starts a write. After the end of the fabric there is nothing to do.
func (m *mesh) start(w *Write) error {
	m.life.RLock()
	defer m.life.RUnlock()
	if m.over {
		return nil
	}
	return m.fabric.Write(w)
}

// retry starts writes that have waited for room.
func (p *peer) retry() {
	p.writing.Lock()
	defer p.writing.Unlock()
	done := 0
	for k := range p.pending {
		err := p.mesh.start(&p.pending[k])
		if errors.Is(err, ErrAgain) {
			break
		}
		if err != nil {
			p.breakLater(err)
			return
		}
		done++
	}
	p.pending = p.pending[:copy(p.pending, p.pending[done:])]
	p.mesh.backlog.Add(int64(-done))
}

// breakLater forgets the writes that wait, and notes that the peer cannot be
// written to. It needs p.writing.
func (p *peer) breakLater(err error) {
	p.mesh.backlog.Add(int64(-len(p.pending)))
	p.pending = nil
	p.broken(err)
}
