package rma

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
	"unsafe"

	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
)

// A network is a fabric made up in memory. Like a real one it keeps no order of
// writes, has no room now and then, and breaks long writes into pieces.
type network struct {
	mu        sync.Mutex
	rng       *rand.Rand
	endpoints []*fakeEndpoint
	limit     int     // bytes of a write at most
	refuse    float64 // of writes
	mixed     bool    // writes overtake one another
	writes    int
	// touch may change a write, or lose it by returning false.
	touch func(w *Write) bool
}

// newNetwork returns a network whose accidents come from a seed.
func newNetwork(seed uint64) *network {
	return &network{rng: rand.New(rand.NewPCG(seed, 5)), limit: 1 << 30}
}

// A fakeEndpoint is the fabric of one rank on a network. A write waits in the
// target's queue, with its bytes, until the target polls: nothing moves by itself.
type fakeEndpoint struct {
	network *network
	number  int
	regions map[uint64][]byte // by key
	inbox   []arrival
	outbox  []Event
	woken   chan struct{}
	closed  bool
}

// An arrival is a write that has not landed.
type arrival struct {
	to   []byte
	data []byte
	e    Event
}

func (n *network) endpoint() *fakeEndpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := &fakeEndpoint{network: n, number: len(n.endpoints), regions: map[uint64][]byte{}, woken: make(chan struct{}, 1)}
	n.endpoints = append(n.endpoints, e)
	return e
}

func (e *fakeEndpoint) Provider() string { return "fake" }
func (e *fakeEndpoint) Address() []byte  { return []byte{byte(e.number), byte(e.number >> 8)} }
func (e *fakeEndpoint) Most() int        { return e.network.limit }
func (e *fakeEndpoint) Wakes() bool      { return true }

func (e *fakeEndpoint) Connect(address []byte) (uint64, error) {
	return uint64(address[0]) + uint64(address[1])<<8, nil
}

// register implements fabric: where writes go is counted from 0, and keys are
// random.
func (e *fakeEndpoint) Register(n int) (Region, error) {
	e.network.mu.Lock()
	defer e.network.mu.Unlock()
	b := make([]byte, n+slotAlign)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (slotAlign - 1))
	key := e.network.rng.Uint64()
	r := Region{Memory: b[skip : skip+n], Key: key, Base: 4096, Handle: key}
	e.regions[key] = r.Memory
	return r, nil
}

func (e *fakeEndpoint) Unregister(r Region, _ bool) {
	e.network.mu.Lock()
	defer e.network.mu.Unlock()
	delete(e.regions, r.Handle.(uint64))
}

var errNoSuchPlace = errors.New("the target has no memory there under this key")

func (e *fakeEndpoint) Write(w *Write) error {
	n := e.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.closed {
		return errors.New("written after close")
	}
	if n.refuse > 0 && n.rng.Float64() < n.refuse {
		return ErrAgain
	}
	if len(w.Memory) > n.limit {
		return fmt.Errorf("a write of %d bytes", len(w.Memory))
	}
	n.writes++
	out := *w
	if n.touch != nil && !n.touch(&out) {
		return nil
	}
	target := n.endpoints[out.To]
	if target.closed {
		return errors.New("the target is closed")
	}
	at := target.regions[out.Key]
	from := out.Address - 4096
	if from > uint64(len(at)) || uint64(len(out.Memory)) > uint64(len(at))-from {
		return errNoSuchPlace
	}
	a := arrival{to: at[from : from+uint64(len(out.Memory))], data: append([]byte(nil), out.Memory...), e: Event{Value: uint64(out.Immediate), Remote: 1}}
	k := len(target.inbox)
	target.inbox = append(target.inbox, a)
	if n.mixed {
		other := n.rng.IntN(k + 1)
		target.inbox[k], target.inbox[other] = target.inbox[other], target.inbox[k]
	}
	if !out.Quick {
		e.outbox = append(e.outbox, Event{Value: uint64(out.Tag)})
		e.signal()
	}
	target.signal()
	return nil
}

// signal says that there is something to poll.
func (e *fakeEndpoint) signal() {
	select {
	case e.woken <- struct{}{}:
	default:
	}
}

func (e *fakeEndpoint) Poll(events []Event, _ time.Duration) (int, error) {
	e.network.mu.Lock()
	defer e.network.mu.Unlock()
	k := 0
	for k < len(events) && len(e.outbox) > 0 {
		events[k], e.outbox = e.outbox[0], e.outbox[1:]
		k++
	}
	for k < len(events) && len(e.inbox) > 0 {
		a := e.inbox[0]
		e.inbox = e.inbox[1:]
		copy(a.to, a.data)
		events[k] = a.e
		k++
	}
	if len(e.inbox) > 0 {
		e.signal()
	}
	return k, nil
}

func (e *fakeEndpoint) Wait(d time.Duration, deaf bool) {
	if deaf {
		time.Sleep(d)
		return
	}
	select {
	case <-e.woken:
	case <-time.After(d):
	}
}

func (e *fakeEndpoint) Wake() { e.signal() }

func (e *fakeEndpoint) Failure(status int32) error { return fmt.Errorf("status %d", status) }

func (e *fakeEndpoint) Close() {
	e.network.mu.Lock()
	defer e.network.mu.Unlock()
	e.closed = true
}

// connectOn returns connected ranks on a network, with goroutines for control.
func connectOn(t testing.TB, n *network, size int) []transport.Transport {
	t.Helper()
	return connectMeshes(t, inproc.NewMesh(size), func(int) (Fabric, error) { return n.endpoint(), nil })
}

// connectMeshes returns ranks with the given controls and fabrics.
func connectMeshes(t testing.TB, controls []transport.Transport, open func(rank int) (Fabric, error)) []transport.Transport {
	t.Helper()
	ranks := make([]transport.Transport, len(controls))
	errs := make([]error, len(controls))
	var all sync.WaitGroup
	for k, control := range controls {
		all.Go(func() {
			f, err := open(k)
			if err == nil {
				ranks[k], err = newMesh(t.Context(), Config{Control: control}, f)
			}
			errs[k] = err
		})
	}
	all.Wait()
	for k, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", k, err)
		}
	}
	return ranks
}
