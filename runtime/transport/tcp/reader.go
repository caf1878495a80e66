package tcp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"loopc/runtime/transport"
)

// readBytes is the size of the reader's buffer. It is large enough for one call to read a
// header and a small face, and small enough that nearly all of a large face goes directly
// from the socket into its slot.
const readBytes = 4096

// lively counts the calls of Read that return bytes.
type lively struct{ p *peer }

// Read implements io.Reader.
func (l lively) Read(b []byte) (int, error) {
	n, err := l.p.conn.Read(b)
	if n > 0 {
		l.p.reads.Add(1)
	}
	return n, err
}

// readAll is the reader goroutine: it handles frame after frame until the connection ends,
// and then reports the reason.
func (p *peer) readAll() {
	r := bufio.NewReaderSize(lively{p}, readBytes)
	var err error
	for err == nil {
		err = p.receive(r)
	}
	var giveUp *transport.GiveUp
	failed, writeErr := p.failure()
	switch {
	case failed != nil:
		p.drain()
	case errors.As(err, &giveUp):
		p.stop(transport.Gone(giveUp), nil)
	case errors.Is(err, io.EOF) && p.over():
	case errors.Is(err, io.EOF):
		p.stop(transport.Gone(fmt.Errorf("rank %d closed the connection without a goodbye", p.rank)), nil)
	case errors.Is(err, os.ErrDeadlineExceeded) && writeErr != nil:
		p.stop(transport.Gone(writeErr), nil)
	case errors.Is(err, io.ErrUnexpectedEOF), !errors.Is(err, transport.ErrProtocol):
		p.stop(transport.Gone(err), nil)
	default:
		p.stop(err, transport.NewGiveUp(p.mesh.cfg.Rank, err))
		p.drain()
	}
}

// over reports whether both sides have said goodbye.
func (p *peer) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byeSent && p.byeRead
}

// drain reads until the peer closes too or the linger time is over: closing a socket with
// unread data would discard our last frame.
func (p *peer) drain() {
	_, _ = io.Copy(io.Discard, p.conn)
}

// receive reads one frame and handles it. If the connection ends between frames, the error
// is io.EOF; inside a frame, it is io.ErrUnexpectedEOF and ErrProtocol. An invalid frame is
// ErrProtocol; an abort is a *transport.GiveUp.
func (p *peer) receive(r *bufio.Reader) error {
	whole := headerBytes + p.sealBytes
	b, err := peekHeader(r, magicBytes, whole)
	if err != nil {
		return err
	}
	// Data of another version have no such seal and may be shorter than a sealed header, so
	// the magic number is checked first.
	if !isFrame(b) {
		return fmt.Errorf("%w: no frame begins with %x: rank %d runs another version, or its data were altered on the way", transport.ErrProtocol, b, p.rank)
	}
	if b, err = peekHeader(r, whole, whole); err != nil {
		return err
	}
	if !p.checks.Check(b[headerBytes:], b[:headerBytes]) {
		return fmt.Errorf("%w: a header from rank %d was altered, repeated or left out on the way: wrong %s", transport.ErrProtocol, p.rank, p.sealName)
	}
	f, err := parseFrame(b)
	if err != nil {
		return err
	}
	if _, err := r.Discard(whole); err != nil {
		return err
	}
	switch f.kind {
	case kindFace:
		return p.receiveFace(f, r)
	case kindOpenSend, kindOpenRecv:
		return p.receiveOpening(f, r)
	case kindCredit:
		return p.receiveCredit(f)
	case kindSync:
		return p.receiveSync(f)
	case kindAck:
		return p.receiveAck(f)
	case kindGoodbye:
		return p.receiveGoodbye()
	case kindAbort:
		return p.receiveAbort(f, r)
	}
	p.receiveHeartbeat(f)
	return nil
}

// peekHeader returns the first n bytes of a header. Header and seal together have whole bytes.
func peekHeader(r *bufio.Reader, n, whole int) ([]byte, error) {
	b, err := r.Peek(n)
	if len(b) > 0 && errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: a header was cut after %d of %d bytes: %w", transport.ErrProtocol, len(b), whole, io.ErrUnexpectedEOF)
	}
	return b, err
}

// readPayload reads all of b, the payload of f.
func (p *peer) readPayload(f frame, r io.Reader, b []byte) error {
	n, err := io.ReadFull(r, b)
	if err == nil && len(b) > 0 {
		tag := p.tag[:p.sealBytes]
		if _, err = io.ReadFull(r, tag); err == nil && !p.checks.Check(tag, b) {
			return fmt.Errorf("%w: %v %d on edge %d from rank %d was altered on the way: wrong %s", transport.ErrProtocol, f.kind, f.sequence, f.edge, p.rank, p.sealName)
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %v %d on edge %d was cut after %d of %d bytes: %w",
			transport.ErrProtocol, f.kind, f.sequence, f.edge, n, len(b), io.ErrUnexpectedEOF)
	}
	return err
}

// receiveFace reads a face from the connection into its slot.
func (p *peer) receiveFace(f frame, r io.Reader) error {
	p.mu.Lock()
	e, bye := p.recv[f.edge], p.byeRead
	p.mu.Unlock()
	switch {
	case bye:
		return fmt.Errorf("%w: face after the goodbye", transport.ErrProtocol)
	case e == nil:
		return fmt.Errorf("%w: face on edge %d, which is not open", transport.ErrProtocol, f.edge)
	case f.length > uint64(e.size.Capacity):
		return fmt.Errorf("%w: face of %d bytes on edge %d, whose slots have %d", transport.ErrProtocol, f.length, f.edge, e.size.Capacity)
	case f.sequence != e.arrived: // only this goroutine writes it
		return fmt.Errorf("%w: face %d on edge %d, expected face %d", transport.ErrProtocol, f.sequence, f.edge, e.arrived)
	}
	slot, ok := e.fill.TryAcquire()
	if !ok {
		return fmt.Errorf("%w: face %d on edge %d without a credit", transport.ErrProtocol, f.sequence, f.edge)
	}
	received := p.mesh.observer.Received
	var began time.Time
	if received != nil {
		began = time.Now()
	}
	if err := p.readPayload(f, r, slot[:f.length]); err != nil {
		return err
	}
	if received != nil {
		received(p.passage(f, began, time.Now()))
	}
	p.mu.Lock()
	e.arrived++
	p.mu.Unlock()
	if err := e.fill.Post(int(f.length)); err != nil && e.ring.Err() == nil {
		panic("BUG: " + err.Error())
	}
	return nil
}

// receiveOpening compares the peer's end of an edge with ours, or stores it until ours is
// opened. A mismatch breaks only this edge.
func (p *peer) receiveOpening(f frame, r io.Reader) error {
	var b [openBytes]byte
	if err := p.readPayload(f, r, b[:]); err != nil {
		return err
	}
	theirs, err := parseOpening(f, b[:])
	if err != nil {
		return err
	}
	if p.local != nil {
		return p.receiveLocalOpening(f, theirs)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	twice := fmt.Errorf("%w: second %v of edge %d", transport.ErrProtocol, f.kind, f.edge)
	if f.kind == kindOpenSend {
		e := p.recv[f.edge]
		if e == nil {
			if _, ok := p.offered[f.edge]; ok {
				return twice
			}
			p.offered[f.edge] = theirs
			return nil
		}
		if e.offered {
			return twice
		}
		if err := e.accept(theirs); err != nil {
			e.ring.Fail(err)
		}
		return nil
	}
	e := p.send[f.edge]
	if e == nil {
		if _, ok := p.granted[f.edge]; ok {
			return twice
		}
		p.granted[f.edge] = theirs
		return nil
	}
	if e.granted {
		return twice
	}
	if err := e.grant(theirs); err != nil {
		e.fail(err)
	}
	return nil
}

// receiveCredit frees the slots of the faces that the peer has released.
func (p *peer) receiveCredit(f frame) error {
	e, released, err := p.counted(f, func(e *sendEdge) uint64 { return e.released })
	if err != nil || released == 0 {
		return err
	}
	e.ring.Grant(int(released))
	return nil
}

// receiveAck counts the faces that have arrived at the peer.
func (p *peer) receiveAck(f frame) error {
	e, arrived, err := p.counted(f, func(e *sendEdge) uint64 { return e.acked.Load() })
	if err != nil || arrived == 0 {
		return err
	}
	e.acked.Advance(arrived)
	return nil
}

// counted returns the edge of a credit or an acknowledgement, and the increase of the
// count. A count that decreases or exceeds the written faces is an error.
func (p *peer) counted(f frame, count func(*sendEdge) uint64) (*sendEdge, uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.send[f.edge]
	if e == nil {
		return nil, 0, fmt.Errorf("%w: %v on edge %d, which is not open", transport.ErrProtocol, f.kind, f.edge)
	}
	before := count(e)
	if f.sequence < before || f.sequence > e.written {
		return nil, 0, fmt.Errorf("%w: %v for face %d on edge %d, of which %d were sent and %d counted before",
			transport.ErrProtocol, f.kind, f.sequence, f.edge, e.written, before)
	}
	if f.kind == kindCredit {
		e.released = f.sequence
	}
	return e, f.sequence - before, nil
}

// receiveSync queues an acknowledgement. All faces before the sync have arrived, because
// the connection keeps the order.
func (p *peer) receiveSync(f frame) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.recv[f.edge]
	switch {
	case e == nil:
		return fmt.Errorf("%w: sync on edge %d, which is not open", transport.ErrProtocol, f.edge)
	case f.sequence != e.arrived:
		return fmt.Errorf("%w: sync after face %d on edge %d, of which %d have arrived", transport.ErrProtocol, f.sequence, f.edge, e.arrived)
	}
	if !e.ackDue {
		e.ackDue = true
		p.acks = append(p.acks, e)
	}
	p.kick()
	return nil
}

// receiveGoodbye notes that the peer has finished: faces that have arrived can be read, and
// waiting for more is an error.
func (p *peer) receiveGoodbye() error {
	p.mu.Lock()
	if p.byeRead {
		p.mu.Unlock()
		return fmt.Errorf("%w: second goodbye", transport.ErrProtocol)
	}
	p.byeRead = true
	p.kick()
	p.mu.Unlock()

	over := p.finished()
	send, recv := p.edges()
	for _, e := range send {
		e.end(over)
	}
	for _, e := range recv {
		e.ring.End(over)
	}
	for _, e := range p.localEdges() {
		e.End(over)
	}
	return nil
}

// receiveAbort returns the cause for which a rank gave up.
func (p *peer) receiveAbort(f frame, r io.Reader) error {
	text := make([]byte, f.length)
	if err := p.readPayload(f, r, text); err != nil {
		return err
	}
	return &transport.GiveUp{Rank: int(f.edge), Text: transport.OneLine(string(text), maxAbortBytes)}
}
