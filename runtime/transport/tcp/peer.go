package tcp

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// lingerTime bounds how long a connection stays open after a failure, so that the peer can
// read the cause.
const lingerTime = time.Second

// recordBytes is the greatest payload of a TLS record.
const recordBytes = 16 << 10

// A peer is another rank and the connection to it. Two goroutines work for it: one writes
// and one reads.
type peer struct {
	mesh  *mesh
	rank  int
	conn  net.Conn
	local *locals       // edges through shared memory; nil for a network connection
	wake  chan struct{} // a token wakes the sender goroutine
	done  chan struct{} // closed when both goroutines have ended

	// Seals of frames, for the reader and the sender goroutine.
	checks, signs seal
	sealBytes     int
	sealName      string
	tag           [auth.TagBytes]byte // for the reader; a field because a local variable would escape

	reads, writes atomic.Uint64 // calls that moved bytes, for the pulse
	prompt        atomic.Bool   // the peer's system retransmits at bounded intervals

	mu      sync.Mutex
	asleep  bool        // the sender goroutine waits for a token
	queue   []outgoing  // frames to be written, in order
	credits []*recvEdge // edges that owe the peer a credit
	acks    []*recvEdge // edges that owe the peer an acknowledgement
	beat    bool        // a heartbeat is due

	send    map[uint32]*sendEdge
	recv    map[uint32]*recvEdge
	granted map[uint32]transport.Edge // opened by the peer's receiver before we did
	offered map[uint32]transport.Edge // opened by the peer's sender before we did

	byeSent, byeRead bool              // goodbyes
	err              error             // why the peer's edges failed, or nil
	writeErr         error             // why writing to the connection failed
	farewell         *transport.GiveUp // to be sent as the last frame, if not nil

	// Owned by the sender goroutine.
	headers   []byte   // and seals
	signed    [][]byte // payloads of the frames in headers, nil where there is none
	buffers   net.Buffers
	records   *bufio.Writer // combines writes into TLS records; nil without TLS
	writing   net.Buffers   // the unwritten rest of buffers; a field because WriteTo's receiver escapes
	observed  []frame       // the faces in buffers, for the observer; else empty
	faceEdges []*sendEdge   // the edge of each face in buffers
	file      *os.File      // for a LocalConn: the descriptor that the next write passes, or nil
}

// An outgoing is a frame to be written.
type outgoing struct {
	frame   frame
	payload []byte
	from    *sendEdge // of a face
	file    *os.File  // the descriptor that the connection passes with the frame, or nil
}

// newPeer returns the peer at the other end of s.
func newPeer(m *mesh, s *auth.Session) *peer {
	p := &peer{
		local:   newLocals(s.Conn),
		mesh:    m,
		rank:    s.Peer.Rank,
		conn:    s.Conn,
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		send:    make(map[uint32]*sendEdge),
		recv:    make(map[uint32]*recvEdge),
		granted: make(map[uint32]transport.Edge),
		offered: make(map[uint32]transport.Edge),
	}
	p.setSeals(s)
	if p.mesh.cfg.TLS != nil && p.local == nil {
		p.records = bufio.NewWriterSize(p.conn, recordBytes)
	}
	p.greet()
	return p
}

// run serves the connection until it ends.
func (p *peer) run() {
	defer close(p.done)
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		p.readAll()
	}()
	p.writeAll()
	<-reading
	// An error of Close has no information.
	_ = p.conn.Close()
	p.local.close()
}

// kick wakes the sender goroutine. The caller holds p.mu.
func (p *peer) kick() {
	if p.asleep {
		p.asleep = false
		p.wake <- struct{}{}
	}
}

// fault wraps err in the *Error of an operation on edge id.
func (p *peer) fault(op string, id int, err error) error {
	var e *transport.Error
	if errors.As(err, &e) {
		return err
	}
	return &transport.Error{Op: op, Rank: p.mesh.cfg.Rank, Peer: p.rank, Edge: id, Step: -1, Err: err}
}

// openSend opens the sending end of e, tells the peer, and accepts the credits of the
// receiver if it opened first.
func (p *peer) openSend(e transport.Edge) (transport.SendEdge, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := uint32(e.ID)
	switch {
	case p.err != nil:
		return nil, p.fault("open", e.ID, p.err)
	case p.local != nil:
		return p.openLocalSend(e)
	case p.send[id] != nil:
		return nil, p.fault("open", e.ID, errTwice)
	}
	ring := transport.NewUncreditedRing(e.Capacity, e.Slots)
	edge := &sendEdge{
		peer:  p,
		size:  e,
		ring:  ring,
		pack:  ring.Sender(p.mesh.cfg.Rank, p.rank, e.ID),
		acked: transport.NewCounter(0),
		taken: transport.NewCounter(0),
	}
	p.send[id] = edge
	p.queue = append(p.queue, outgoing{frame: frame{kind: kindOpenSend, edge: id, length: openBytes}, payload: appendOpening(nil, e)})
	p.kick()
	if p.byeRead { // credits granted before the goodbye remain valid
		edge.end(p.finished())
	}
	theirs, early := p.granted[id]
	if !early {
		return edge, nil
	}
	delete(p.granted, id)
	if err := edge.grant(theirs); err != nil {
		edge.fail(err)
		return nil, p.fault("open", e.ID, err)
	}
	return edge, nil
}

// grant accepts the first credits, from the receiver's opening theirs. The caller holds
// p.mu.
func (e *sendEdge) grant(theirs transport.Edge) error {
	e.granted = true
	if theirs.Capacity != e.size.Capacity || theirs.Slots != e.size.Slots {
		return transport.Mismatch(e.size, theirs)
	}
	e.ring.Grant(e.size.Slots)
	return nil
}

// openRecv opens the receiving end of e and tells the peer; this grants the peer the first
// credits.
func (p *peer) openRecv(e transport.Edge) (transport.RecvEdge, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := uint32(e.ID)
	switch {
	case p.err != nil:
		return nil, p.fault("open", e.ID, p.err)
	case p.local != nil:
		return p.openLocalRecv(e)
	case p.recv[id] != nil:
		return nil, p.fault("open", e.ID, errTwice)
	}
	ring := transport.NewRing(e.Capacity, e.Slots)
	edge := &recvEdge{
		peer:   p,
		size:   e,
		ring:   ring,
		fill:   ring.Sender(p.mesh.cfg.Rank, p.rank, e.ID),
		unpack: ring.Receiver(p.mesh.cfg.Rank, p.rank, e.ID),
	}
	p.recv[id] = edge
	p.queue = append(p.queue, outgoing{frame: frame{kind: kindOpenRecv, edge: id, length: openBytes}, payload: appendOpening(nil, e)})
	p.kick()
	if p.byeRead {
		edge.ring.End(p.finished())
	}
	theirs, early := p.offered[id]
	if !early {
		return edge, nil
	}
	delete(p.offered, id)
	if err := edge.accept(theirs); err != nil {
		edge.ring.Fail(err)
		return nil, p.fault("open", e.ID, err)
	}
	return edge, nil
}

// accept compares the sender's opening, theirs, with our end. The caller holds p.mu.
func (e *recvEdge) accept(theirs transport.Edge) error {
	e.offered = true
	if theirs.Capacity != e.size.Capacity || theirs.Slots != e.size.Slots {
		return transport.Mismatch(e.size, theirs)
	}
	return nil
}

// finished is the error that the peer has said goodbye and sends no more.
func (p *peer) finished() error {
	return transport.Gone(fmt.Errorf("rank %d has finished", p.rank))
}

// goodbye tells the peer, after all posted faces, that no face follows.
func (p *peer) goodbye() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.queue = append(p.queue, outgoing{frame: frame{kind: kindGoodbye}})
		p.kick()
	}
}

// stop ends the connection for err: every edge fails with it. If farewell is
// not nil, the peer is told. Only the first call counts.
func (p *peer) stop(err error, farewell *transport.GiveUp) {
	p.mu.Lock()
	if p.err != nil {
		p.mu.Unlock()
		return
	}
	p.err, p.farewell = err, farewell
	p.kick()
	p.mu.Unlock()

	if farewell == nil {
		_ = p.conn.Close() // err says more than its error
	} else {
		_ = p.conn.SetDeadline(time.Now().Add(lingerTime))
	}
	p.failEdges(err)
	p.mesh.fail(err) // if New still waits for peers
}

// failEdges breaks every edge of the peer.
func (p *peer) failEdges(err error) {
	send, recv := p.edges()
	for _, e := range send {
		e.fail(err)
	}
	for _, e := range recv {
		e.ring.Fail(err)
	}
	for _, e := range p.localEdges() {
		e.Fail(err)
	}
}

// edges returns the open edges. Fail and End are called without p.mu, because they wake
// goroutines and yield to them.
func (p *peer) edges() (send []*sendEdge, recv []*recvEdge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.send {
		send = append(send, e)
	}
	for _, e := range p.recv {
		recv = append(recv, e)
	}
	return send, recv
}

// failure returns why the peer failed, or nil, and why writing to it failed, or nil.
func (p *peer) failure() (failed, writing error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err, p.writeErr
}
