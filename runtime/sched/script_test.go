package sched_test

import (
	"context"
	"sync"
	"time"

	"loopc/runtime/trace"
	"loopc/runtime/transport"
)

// A script is a network whose times are fixed: a face travels for latency + bytes·perByte, the
// faces of an edge travel one after another, and no CPU is needed. In a bubble of
// testing/synctest it uses the bubble's clock, so that every run takes the same time.
type script struct {
	latency, perByte time.Duration

	mu    sync.Mutex
	under []trace.Event // what traveled, from its start
	begun time.Time
	wires map[wireName]*wire
	gone  chan struct{} // closed when a rank has given up
	cause error
}

type wireName struct{ from, to, id int }

// A wire is an edge of a script.
type wire struct {
	script  *script
	name    wireName
	free    chan []byte // slots
	posted  chan []byte
	arrived chan []byte
	ends    chan struct{}  // closed by the sender's Close
	waiting sync.WaitGroup // faces posted that have not arrived
}

func newScript(latency, perByte time.Duration) *script {
	return &script{latency: latency, perByte: perByte, wires: map[wireName]*wire{}, gone: make(chan struct{}), begun: time.Now()}
}

// mesh returns the transports of size ranks.
func (s *script) mesh(size int, _ string) ([]transport.Transport, error) {
	var all []transport.Transport
	for r := range size {
		all = append(all, &scripted{script: s, rank: r, size: size})
	}
	return all, nil
}

// wire returns the wire with that name, and starts it the first time.
func (s *script) wire(name wireName, e transport.Edge) *wire {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.wires[name]; w != nil {
		return w
	}
	w := &wire{
		script: s, name: name,
		free: make(chan []byte, e.Slots), posted: make(chan []byte, e.Slots), arrived: make(chan []byte, e.Slots),
		ends: make(chan struct{}),
	}
	for range e.Slots {
		w.free <- make([]byte, e.Capacity)
	}
	s.wires[name] = w
	go w.carry()
	return w
}

// carry transfers faces until the sender closes.
func (w *wire) carry() {
	for message := 0; ; message++ {
		select {
		case face := <-w.posted:
			began := time.Now()
			time.Sleep(w.script.latency + time.Duration(len(face))*w.script.perByte)
			w.script.sent(trace.Event{Kind: trace.Send, Rank: w.name.from, CPU: -1, Sequence: message}, began)
			w.arrived <- face
			w.waiting.Done()
		case <-w.ends:
			return
		}
	}
}

// sent records what has traveled until now.
func (s *script) sent(e trace.Event, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Begin, e.End = float64(began.Sub(s.begun))/1e9, float64(time.Since(s.begun))/1e9 // as Events has them
	s.under = append(s.under, e)
}

// A scripted is one rank's transport.
type scripted struct {
	script     *script
	rank, size int
	sends      []*scriptedSend
	stats      transport.Stats
}

func (t *scripted) Rank() int              { return t.rank }
func (t *scripted) Size() int              { return t.size }
func (t *scripted) Flush() error           { return nil }
func (t *scripted) Stats() transport.Stats { return t.stats }

// OpenSend implements transport.Transport.
func (t *scripted) OpenSend(e transport.Edge) (transport.SendEdge, error) {
	s := &scriptedSend{t: t, wire: t.script.wire(wireName{t.rank, e.Peer, e.ID}, e)}
	t.sends = append(t.sends, s)
	return s, nil
}

// OpenRecv implements transport.Transport.
func (t *scripted) OpenRecv(e transport.Edge) (transport.RecvEdge, error) {
	return &scriptedRecv{wire: t.script.wire(wireName{e.Peer, t.rank, e.ID}, e)}, nil
}

// Close implements transport.Transport.
func (t *scripted) Close(cause error) error {
	for _, s := range t.sends {
		if cause == nil {
			s.wire.waiting.Wait()
		}
		close(s.wire.ends)
	}
	if cause != nil {
		t.script.mu.Lock()
		defer t.script.mu.Unlock()
		if t.script.cause == nil {
			t.script.cause = transport.Gone(transport.NewGiveUp(t.rank, cause))
			close(t.script.gone)
		}
	}
	return nil
}

type scriptedSend struct {
	t    *scripted
	wire *wire
	slot []byte
}

// Acquire implements transport.SendEdge.
func (s *scriptedSend) Acquire(ctx context.Context) (slot []byte, err error) {
	s.slot, err = take(ctx, s.wire, s.wire.free)
	return s.slot, err
}

// Post implements transport.SendEdge.
func (s *scriptedSend) Post(n int) error {
	s.t.stats.Messages++
	s.t.stats.Bytes += int64(n)
	s.wire.waiting.Add(1)
	s.wire.posted <- s.slot[:n]
	return nil
}

// Sync implements transport.SendEdge. Faces always arrive.
func (s *scriptedSend) Sync(context.Context) error {
	s.wire.waiting.Wait()
	return nil
}

// take waits for a slot of c.
func take(ctx context.Context, w *wire, c chan []byte) ([]byte, error) {
	select {
	case slot := <-c:
		return slot, nil
	case <-w.script.gone:
		return nil, &transport.Error{Op: "arrived", Rank: w.name.to, Peer: w.name.from, Edge: w.name.id, Step: -1, Err: w.script.cause}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

type scriptedRecv struct {
	wire *wire
	held [][]byte
}

// Arrived implements transport.RecvEdge.
func (r *scriptedRecv) Arrived(ctx context.Context) ([]byte, error) {
	face, err := take(ctx, r.wire, r.wire.arrived)
	if err == nil {
		r.held = append(r.held, face)
	}
	return face, err
}

// Release implements transport.RecvEdge.
func (r *scriptedRecv) Release() error {
	slot := r.held[0]
	r.held = r.held[1:]
	r.wire.free <- slot[:cap(slot)]
	return nil
}
