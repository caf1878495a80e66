package rma

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"loopc/runtime/transport"
)

const (
	slotAlign = 64 // of slots, in bytes

	// The first page of every rank has two lines for writes that carry only an immediate:
	// peers write into the first line, and our own such writes come from the second.
	bellBytes    = 8
	scratchBytes = 4096
	quietLine    = slotAlign
)

// Limits that a valid plan may exceed.
var (
	errTwice    = errors.New("edge is open already")
	errTooMany  = fmt.Errorf("over RDMA an edge has %d slots at most", maxSlots)
	errTooBig   = errors.New("slots are more than memory can hold")
	errNoHandle = fmt.Errorf("over RDMA a rank has %d ends of edges at most", maxHandles)
)

// A mesh is one rank's transport.
type mesh struct {
	control transport.Transport
	fabric  Fabric
	rank    int
	most    int     // bytes of a write
	peers   []*peer // by rank; nil for this rank and for ranks that are no peers
	scratch Region
	tasks   sync.WaitGroup // the progress goroutine, and a listener for each peer

	life sync.RWMutex // held for reading while the fabric is used
	over bool         // the fabric is closed; guarded by life

	polling sync.Mutex    // held while serving the completion queue
	events  []Event       // guarded by polling
	spins   atomic.Uint64 // polls of waiting workers; never decreases
	parked  atomic.Int32  // workers that have stopped polling
	backlog atomic.Int64  // writes that wait after ErrAgain
	quit    atomic.Bool
	synced  atomic.Bool // all faces that this rank has posted have arrived, and it says goodbye

	owes  sync.Mutex  // guards owing; also held while credits are sent
	owing []*recvEdge // edges with unsent credits
	debts atomic.Bool // whether owing is not empty

	ends atomic.Pointer[[]end] // by handle; replaced when it grows

	mu      sync.Mutex
	regions []Region
	closed  bool
	parted  bool  // the control is closed too: no peer can be notified any more
	wrong   error // the error that this rank has found itself

	messages, bytes atomic.Int64

	// Set before the first edge is opened.
	observer transport.Observer
}

// An end is one end of an edge. The goroutine that serves the completion queue calls told
// with an immediate from the peer, one call at a time.
type end interface {
	told(i immediate) error
	owner() *peer
	accept(theirs opening) error // the peer has opened the opposite end
	fail(err error)              // breaks the edge
	finish(err error)            // the peer has said goodbye: waiting for more gives err
}

// newMesh connects the endpoint f to the endpoints of the peers. If it fails, the caller
// closes f.
func newMesh(ctx context.Context, cfg Config, f Fabric) (_ *mesh, err error) {
	m := &mesh{
		control: cfg.Control,
		fabric:  f,
		rank:    cfg.Control.Rank(),
		most:    f.Most(),
		peers:   make([]*peer, cfg.Control.Size()),
		events:  make([]Event, pollEvents),
	}
	if m.scratch, err = f.Register(scratchBytes); err != nil {
		return nil, err
	}
	m.regions = append(m.regions, m.scratch)
	defer func() {
		if err != nil {
			m.unregister(true) // no peer knows the addresses yet
		}
	}()
	ranks := slices.Clone(cfg.Peers)
	if cfg.Peers == nil {
		for k := range m.peers {
			if k != m.rank {
				ranks = append(ranks, k)
			}
		}
	}
	for _, k := range ranks {
		if m.peers[k], err = newPeer(m, k); err != nil {
			return nil, err
		}
	}
	own := hello{provider: f.Provider(), address: f.Address(), bell: place{base: m.scratch.Base, key: m.scratch.Key}}
	for _, p := range m.peers {
		if p == nil {
			continue
		}
		if err := p.greet(ctx, own); err != nil {
			return nil, fmt.Errorf("rank %d: %w", p.rank, err)
		}
	}
	m.tasks.Go(m.progress)
	for _, p := range m.peers {
		if p != nil {
			m.tasks.Go(p.listen)
		}
	}
	return m, nil
}

// Rank implements transport.Transport.
func (m *mesh) Rank() int { return m.rank }

// Size implements transport.Transport.
func (m *mesh) Size() int { return len(m.peers) }

// Carrier implements transport.Carrier.
func (m *mesh) Carrier(int) string { return m.fabric.Provider() }

// OpenSend implements transport.Transport.
func (m *mesh) OpenSend(e transport.Edge) (transport.SendEdge, error) {
	p, err := m.peer(e)
	if err != nil {
		return nil, err
	}
	edge, err := p.openSend(e)
	if err != nil {
		return nil, p.fault("open", e.ID, err)
	}
	return edge, nil
}

// OpenRecv implements transport.Transport.
func (m *mesh) OpenRecv(e transport.Edge) (transport.RecvEdge, error) {
	p, err := m.peer(e)
	if err != nil {
		return nil, err
	}
	edge, err := p.openRecv(e)
	if err != nil {
		return nil, p.fault("open", e.ID, err)
	}
	return edge, nil
}

// peer returns the peer of e.
func (m *mesh) peer(e transport.Edge) (*peer, error) {
	if err := e.Check(m.rank, len(m.peers)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.peers[e.Peer]
	var err error
	switch {
	case m.closed:
		err = transport.ErrClosed
	case p == nil:
		err = fmt.Errorf("rank %d is not among the peers", e.Peer)
	case e.Slots > maxSlots:
		err = fmt.Errorf("%w, not %d", errTooMany, e.Slots)
	default:
		return p, nil
	}
	return nil, &transport.Error{Op: "open", Rank: m.rank, Peer: e.Peer, Edge: e.ID, Step: -1, Err: err}
}

// slots returns registered memory for the slots of e, and their stride in bytes. Before
// each slot is a cache line that ends with the header of the slot's face, so that one write
// carries header and face; the first slot begins at slotAlign.
func (m *mesh) slots(e transport.Edge) (Region, int, error) {
	const most = int(^uint(0) >> 1)
	if e.Capacity > most/e.Slots-2*slotAlign {
		return Region{}, 0, errTooBig
	}
	stride := slotAlign + (e.Capacity+slotAlign-1)/slotAlign*slotAlign
	m.life.RLock()
	defer m.life.RUnlock()
	if m.over {
		return Region{}, 0, transport.ErrClosed
	}
	r, err := m.fabric.Register(e.Slots * stride)
	if err != nil {
		return Region{}, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.regions = append(m.regions, r)
	return r, stride, nil
}

// enroll gives e a handle.
func (m *mesh) enroll(e end) (handle uint32, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ends []end
	if all := m.ends.Load(); all != nil {
		ends = *all
	}
	if len(ends) == maxHandles {
		return 0, errNoHandle
	}
	ends = append(ends, e) // a shared array is safe: readers have the old length
	m.ends.Store(&ends)
	return uint32(len(ends) - 1), nil
}

// end returns the end with the handle, or nil.
func (m *mesh) end(handle uint32) end {
	if all := m.ends.Load(); all != nil && int(handle) < len(*all) {
		return (*all)[handle]
	}
	return nil
}

// Flush implements transport.Transport. Posted faces are already under way; Flush sends the
// owed credits.
func (m *mesh) Flush() error {
	m.pay()
	return nil
}

// Stats implements transport.Transport.
func (m *mesh) Stats() transport.Stats {
	return transport.Stats{Messages: m.messages.Load(), Bytes: m.bytes.Load()}
}

// Observe implements transport.Observable.
func (m *mesh) Observe(o transport.Observer) { m.observer = o }

// Close implements transport.Transport. Close(cause) from another goroutine ends a
// Close(nil) in progress.
//
// After a failure the slots stay mapped: a worker may still pack into a slot, and a peer
// that does not know of the failure may still write into one.
func (m *mesh) Close(cause error) error {
	m.mu.Lock()
	first := !m.closed
	m.closed = true
	m.mu.Unlock()
	if cause == nil && first {
		m.settle()
	}
	for _, p := range m.peers {
		if p != nil {
			p.fail(transport.ErrClosed)
		}
	}
	told := cause
	if told == nil {
		m.mu.Lock()
		told = m.wrong
		m.mu.Unlock()
	}
	err := m.control.Close(told)
	m.mu.Lock()
	m.parted = true
	wrong := m.wrong
	m.mu.Unlock()
	m.quit.Store(true)
	m.wake()
	m.tasks.Wait()
	m.life.Lock()
	defer m.life.Unlock()
	if !m.over {
		m.over = true
		m.unregister(cause == nil && wrong == nil && err == nil)
		m.fabric.Close()
	}
	if cause == nil && wrong != nil {
		err = &transport.Error{Op: "close", Rank: m.rank, Peer: -1, Edge: -1, Step: -1, Err: wrong}
	}
	return err
}

// settle waits until every posted face has arrived, says goodbye, and waits for the
// goodbyes of the peers. Until then a peer may wait for this rank's answer over the
// control, such as the handle of a sender. settle returns no errors: Close of the control
// returns them.
func (m *mesh) settle() {
	m.pay()
	for _, p := range m.peers {
		if p == nil {
			continue
		}
		for _, e := range p.sending() {
			_ = e.Sync(context.Background())
		}
	}
	m.synced.Store(true)
	for _, p := range m.peers {
		if p != nil {
			p.part()
		}
	}
	for _, p := range m.peers {
		if p != nil {
			<-p.parted
		}
	}
}

// closing reports whether Close has begun.
func (m *mesh) closing() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// unregister ends the registration of all memory, and with unmap unmaps it.
func (m *mesh) unregister(unmap bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.regions {
		m.fabric.Unregister(r, unmap)
	}
	m.regions = nil
}
