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
	// parks; waking it from there is slow on a busy machine [note waiting]. It looks for
	// a shorter time where looking has not helped lately, and for a longer time where it
	// nearly has. lookTime is how long it looks without leaving C: Go takes the
	// processor of a goroutine that stays in C for longer, and getting it back is slow.
	firstSpin = 50 * time.Microsecond
	maxSpin   = 500 * time.Microsecond
	minSpin   = 5 * time.Microsecond
	lookTime  = time.Microsecond

	clockTurns = 4 // of spinning, between two looks at the clock

	// What the progress goroutine does when the queue is empty. It blocks if the
	// provider can wake it; if not, it sleeps for longer and longer times. While writes
	// wait for room it looks often.
	//
	// While workers serve the queue for a good part of their time (at least a look per
	// awayLook, of which each takes longer than lookTime) and none is parked, the
	// goroutine stays away for longer and longer times: each time it wakes, it takes the
	// CPU of a worker for about as long as a message takes.
	blockTime   = time.Millisecond
	minNap      = 10 * time.Microsecond
	maxNap      = 100 * time.Microsecond
	minAway     = 100 * time.Microsecond
	maxAway     = time.Millisecond
	awayLook    = 32 * time.Microsecond
	backlogTime = 10 * time.Microsecond
)

// patience is how long the owner of an end of an edge spins, the next time; 0: as
// long as at first.
type patience struct{ limit time.Duration }

// spin serves the completion queue until ready says so, for a bounded time. If it never
// does, spin returns when it began: the caller parks, and then calls unpark with that.
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
			// Who serves it may lack a processor. To sleep until it is done would cost
			// more: nobody hurries to wake who waits for a lock.
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

// unpark notes that a worker has parked, after it has waited in vain since begun if that
// is not 0. If the event came soon after, spinning for twice as long would have been
// better. Otherwise two ranks that wait for each other would park every time, because an
// answer takes as long as a wake-up.
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

// progress serves the completion queue until quit. It is not bound to a thread: a
// worker that it wakes goes on at once in its place.
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

// wake has the progress goroutine look after the completion queue.
func (m *mesh) wake() {
	m.life.RLock()
	defer m.life.RUnlock()
	if !m.over {
		m.fabric.Wake()
	}
}

// poll serves the completion queue unless somebody else does, and looks for
// completions for so long. It returns how many there were.
func (m *mesh) poll(d time.Duration) int {
	if !m.polling.TryLock() {
		return 0
	}
	defer m.polling.Unlock()
	return m.serve(d)
}

// serve is poll for who holds m.polling.
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

// dispatch acts on a completion.
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

// stray notes that a write has failed, to an unknown peer: most likely one that is gone.
// If everything that this rank has to send has arrived, the write was an answer that its
// peer did not wait for.
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

// fatal fails every peer: which of them it was is not known. There is nothing more
// to be served.
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

// giveUp ends the part of this rank because of an error that it has found. It tells the
// peers at once, not when the transport is closed: they may wait for this rank until
// then. It does so also while Close waits, because then both sides may wait.
//
// fail breaks the edges in between: after Close can no longer take the error for the
// normal end, and before the control ends, which would be reported as the cause.
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
