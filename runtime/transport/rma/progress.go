package rma

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"loopc/runtime/transport"
)

const (
	pollEvents = 64 // completions per poll

	// A waiting worker polls the completion queue itself for some time, and then parks;
	// waking a parked worker is slow on a busy machine [note waiting]. It polls for a
	// shorter time if polling has not helped recently, and for a longer time if it almost
	// has. lookTime bounds a poll inside C: Go retakes the P of a goroutine that stays in C
	// for longer, and to get a P back is slow.
	firstSpin = 50 * time.Microsecond
	maxSpin   = 500 * time.Microsecond
	minSpin   = 5 * time.Microsecond
	lookTime  = time.Microsecond

	clockTurns = 4 // of spinning, between two readings of the clock

	// The progress goroutine with an empty queue: it blocks if the provider can wake it; if
	// not, it sleeps for increasing times. While writes wait after ErrAgain, it polls
	// often.
	//
	// While workers poll often (at least once per awayLook) and no worker is parked, the
	// goroutine sleeps for increasing times: each time it wakes, it takes a worker's CPU
	// for about the duration of a message.
	blockTime   = time.Millisecond
	minNap      = 10 * time.Microsecond
	maxNap      = 100 * time.Microsecond
	minAway     = 100 * time.Microsecond
	maxAway     = time.Millisecond
	awayLook    = 32 * time.Microsecond
	backlogTime = 10 * time.Microsecond
)

// patience is how long the owner of an end of an edge spins next time; 0: the initial time.
type patience struct{ limit time.Duration }

// spin serves the completion queue until ready() is true, for a bounded time. If that
// fails, spin returns its start time: the caller parks, and afterwards calls unpark with
// this time.
func (m *mesh) spin(p *patience, ready func() bool) time.Time {
	m.pay()
	if p.limit == 0 {
		p.limit = firstSpin
	}
	var begun time.Time
	for k := 0; ; k++ {
		m.spins.Add(1)
		switch {
		case m.polling.TryLock():
			if !ready() {
				m.serve(lookTime)
			}
			m.polling.Unlock()
		case !ready():
			// The goroutine that serves the queue may have no P, so yield. To wait for its
			// lock would take longer, because lock waiters are woken slowly.
			runtime.Gosched()
		}
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
			m.parked.Add(1)
			m.wake()
			return begun
		case spun > firstSpin:
			runtime.Gosched()
		}
	}
}

// unpark adapts patience after a worker has parked; begun is the start of its spinning, or
// zero. If the event came soon after, the worker spins for twice as long next time.
// Otherwise two ranks that wait for each other would park every time, because an answer
// takes as long as a wake-up.
func (m *mesh) unpark(p *patience, begun time.Time) {
	if begun.IsZero() {
		return
	}
	m.parked.Add(-1)
	if time.Since(begun) < 4*maxSpin {
		p.limit = min(2*p.limit, maxSpin)
	} else {
		p.limit = max(p.limit/2, minSpin)
	}
}

// progress serves the completion queue until quit. It is not locked to a thread, so that a
// worker that it wakes can continue at once on its thread.
func (m *mesh) progress() {
	nap, away := minNap, minAway
	var before uint64
	for !m.quit.Load() {
		spins := m.spins.Load()
		attended := time.Duration(spins-before)*awayLook >= away
		before = spins
		m.pay()
		if attended && m.parked.Load() == 0 && m.backlog.Load() == 0 {
			m.fabric.Wait(away, true)
			away = min(2*away, maxAway)
			continue
		}
		away = minAway
		switch {
		case m.poll(0) > 0:
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

// wake makes the progress goroutine poll the completion queue.
func (m *mesh) wake() {
	m.life.RLock()
	defer m.life.RUnlock()
	if !m.over {
		m.fabric.Wake()
	}
}

// poll serves the completion queue, unless another goroutine does, and waits up to the time
// d for completions. It returns their number.
func (m *mesh) poll(d time.Duration) int {
	if !m.polling.TryLock() {
		return 0
	}
	defer m.polling.Unlock()
	return m.serve(d)
}

// serve does what poll does, for a caller that holds m.polling.
func (m *mesh) serve(d time.Duration) int {
	m.life.RLock()
	if m.over || m.quit.Load() {
		m.life.RUnlock()
		return 0
	}
	n, err := m.fabric.Poll(m.events, d)
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

// dispatch handles a completion.
func (m *mesh) dispatch(e *Event) {
	if e.Remote == 0 {
		switch {
		case e.Status == 0:
		case e.Value == NoTag:
			m.stray(m.fabric.Failure(e.Status))
		default:
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

// stray notes that a write to an unknown peer has failed; most likely the peer is gone. If
// all of this rank's faces have arrived, the write was an answer for which its peer no
// longer waits.
func (m *mesh) stray(err error) {
	if m.synced.Load() {
		return
	}
	for _, p := range m.peers {
		if p != nil {
			p.broken(err)
		}
	}
}

// fatal fails every peer, because it is not known which of them failed. The completion
// queue is dead.
func (m *mesh) fatal(err error) {
	m.quit.Store(true)
	m.giveUp(err, func() {
		for _, p := range m.peers {
			if p != nil {
				p.fail(err)
			}
		}
	})
}

// giveUp ends this rank's part because of an error that it has found. It tells the peers at
// once, and not when the transport is closed, because they may wait for this rank until then.
// It also does so while Close waits, because both sides may wait then.
//
// giveUp notes the error first, so that Close does not take this for the normal end. Then it calls
// fail to break the edges, and only then closes the control, whose end would otherwise be reported
// as the cause.
func (m *mesh) giveUp(err error, fail func()) {
	m.mu.Lock()
	first := m.wrong == nil && !m.parted
	if first {
		m.wrong = err
	}
	m.mu.Unlock()
	fail()
	m.mu.Lock()
	defer m.mu.Unlock()
	if first && !m.parted {
		m.tasks.Go(func() { _ = m.control.Close(err) })
	}
}

// signal sends the peer an immediate.
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

// submit starts a write to the peer, or queues a copy of it after ErrAgain. The caller
// holds p.writing.
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

// start starts a write. It does nothing after the fabric is closed.
func (m *mesh) start(w *Write) error {
	m.life.RLock()
	defer m.life.RUnlock()
	if m.over {
		return nil
	}
	return m.fabric.Write(w)
}

// retry starts queued writes.
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

// breakLater drops the queued writes, and notes that writes to the peer fail. The caller
// holds p.writing.
func (p *peer) breakLater(err error) {
	p.mesh.backlog.Add(int64(-len(p.pending)))
	p.pending = nil
	p.broken(err)
}
