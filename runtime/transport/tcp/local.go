package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// A Local connects ranks of one host without the network: by a connection that passes
// descriptors, and by edges in shared memory. The handshake and the frames of openings,
// heartbeats, goodbyes and aborts are the same as over TCP.
type Local interface {
	// Name names the medium of faces, such as "shm".
	Name() string
	// Listener accepts LocalConns. The transport closes it.
	Listener() net.Listener
	// Dial returns a LocalConn to a rank. An error means that the rank is probably on
	// another host: it is then reached by TCP.
	Dial(ctx context.Context, rank int) (net.Conn, error)
}

// A LocalConn is a connection between ranks of one host. Descriptors arrive in the order in
// which they were written, each no later than the bytes with which it was written.
type LocalConn interface {
	net.Conn
	// Trust notes that the handshake is over. Before, received descriptors are dropped.
	Trust()
	// WriteFile writes b, at least one byte, and passes the descriptor of file.
	WriteFile(b []byte, file *os.File) error
	// File returns the next received descriptor, or nil. The caller must close it.
	File() *os.File
	// NewRecv returns the receiving end of e for this rank, and a descriptor of
	// its memory for the peer, which the caller closes.
	NewRecv(rank int, e transport.Edge) (LocalRecv, *os.File, error)
	// NewSend returns the sending end of e for this rank.
	NewSend(rank int, e transport.Edge) LocalSend
}

// A LocalEdge can be broken (Fail) or told that the peer has finished (End), as a
// transport.Ring can.
type LocalEdge interface {
	Fail(err error)
	End(err error)
}

// A LocalSend is the sending end of an edge in shared memory.
type LocalSend interface {
	transport.SendEdge
	LocalEdge
	// Map gives the edge the receiver's memory, and with it the first credits. It closes
	// the file. A file that cannot be the memory of this edge is ErrProtocol.
	Map(file *os.File) error
}

// A LocalRecv is the receiving end of an edge in shared memory.
type LocalRecv interface {
	transport.RecvEdge
	LocalEdge
}

// Carrier implements transport.Carrier.
func (m *mesh) Carrier(peer int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.peers[peer]; p != nil && p.local != nil {
		return m.cfg.Local.Name()
	}
	return "tcp"
}

// reach connects to rank: by Local if it is on this host, else by TCP. It also returns the
// identity for the handshake.
func (m *mesh) reach(ctx context.Context, rank int) (net.Conn, *auth.Identity, error) {
	if m.cfg.Local != nil {
		if conn, err := m.cfg.Local.Dial(ctx, rank); err == nil {
			return conn, m.localIdentity(), nil
		}
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", m.cfg.Addrs[rank])
	return conn, m.identity, err
}

// localIdentity is this rank's identity for connections within the host, which have no TLS.
func (m *mesh) localIdentity() *auth.Identity {
	id := *m.identity
	id.TLS = nil
	return &id
}

// locals are the edges to a peer on this host. peer.mu guards all fields except conn.
type locals struct {
	conn    LocalConn
	send    map[uint32]*localSend
	recv    map[uint32]*localRecv
	offered map[uint32]transport.Edge // openings of the peer's senders before ours
	granted map[uint32]localGrant     // openings of the peer's receivers before ours
}

// A localGrant is the opening of a receiver.
type localGrant struct {
	theirs transport.Edge
	file   *os.File // the edge's memory
}

// localSend is a sending end that updates its rank's statistics.
type localSend struct {
	LocalSend
	mesh    *mesh
	size    transport.Edge
	granted bool // the receiver has opened its end; guarded by peer.mu
}

// localRecv is a receiving end.
type localRecv struct {
	LocalRecv
	size    transport.Edge
	offered bool // the sender has opened its end; guarded by peer.mu
}

// newLocals returns an empty locals for the connection c, or nil if c is not a LocalConn.
func newLocals(c net.Conn) *locals {
	conn, ok := c.(LocalConn)
	if !ok {
		return nil
	}
	conn.Trust()
	return &locals{
		conn: conn, send: make(map[uint32]*localSend), recv: make(map[uint32]*localRecv),
		offered: make(map[uint32]transport.Edge), granted: make(map[uint32]localGrant),
	}
}

// Post implements transport.SendEdge.
func (e *localSend) Post(n int) error {
	if err := e.LocalSend.Post(n); err != nil {
		return err
	}
	e.mesh.messages.Add(1)
	e.mesh.bytes.Add(int64(n))
	return nil
}

// openLocalSend is openSend to a peer on this host. The caller holds p.mu.
func (p *peer) openLocalSend(e transport.Edge) (transport.SendEdge, error) {
	id := uint32(e.ID)
	if p.local.send[id] != nil {
		return nil, p.fault("open", e.ID, errTwice)
	}
	edge := &localSend{LocalSend: p.local.conn.NewSend(p.mesh.cfg.Rank, e), mesh: p.mesh, size: e}
	p.local.send[id] = edge
	p.queue = append(p.queue, outgoing{frame: frame{kind: kindOpenSend, edge: id, length: openBytes}, payload: appendOpening(nil, e)})
	p.kick()
	grant, early := p.local.granted[id]
	if p.byeRead {
		edge.End(p.finished())
	}
	if !early {
		return edge, nil
	}
	delete(p.local.granted, id)
	edge.granted = true
	if err := edge.take(grant); err != nil {
		edge.Fail(err)
		return nil, p.fault("open", e.ID, err)
	}
	return edge, nil
}

// take maps the memory that the receiver has made for the edge.
func (e *localSend) take(grant localGrant) error {
	if grant.theirs.Capacity != e.size.Capacity || grant.theirs.Slots != e.size.Slots {
		return errors.Join(transport.Mismatch(e.size, grant.theirs), grant.file.Close())
	}
	return e.Map(grant.file)
}

// openLocalRecv is openRecv from a peer on this host. The caller holds p.mu.
func (p *peer) openLocalRecv(e transport.Edge) (transport.RecvEdge, error) {
	id := uint32(e.ID)
	if p.local.recv[id] != nil {
		return nil, p.fault("open", e.ID, errTwice)
	}
	recv, file, err := p.local.conn.NewRecv(p.mesh.cfg.Rank, e)
	if err != nil {
		return nil, p.fault("open", e.ID, err)
	}
	edge := &localRecv{LocalRecv: recv, size: e}
	p.local.recv[id] = edge
	p.queue = append(p.queue, outgoing{frame: frame{kind: kindOpenRecv, edge: id, length: openBytes}, payload: appendOpening(nil, e), file: file})
	p.kick()
	if p.byeRead {
		edge.End(p.finished())
	}
	theirs, early := p.local.offered[id]
	if !early {
		return edge, nil
	}
	delete(p.local.offered, id)
	if err := edge.accept(theirs); err != nil {
		edge.Fail(err)
		return nil, p.fault("open", e.ID, err)
	}
	return edge, nil
}

// accept compares the sender's opening, theirs, with our end. The caller holds peer.mu.
func (e *localRecv) accept(theirs transport.Edge) error {
	e.offered = true
	if theirs.Capacity != e.size.Capacity || theirs.Slots != e.size.Slots {
		return transport.Mismatch(e.size, theirs)
	}
	return nil
}

// receiveLocalOpening is receiveOpening from a peer on this host. The memory of a receiver
// arrives with its opening.
func (p *peer) receiveLocalOpening(f frame, theirs transport.Edge) error {
	twice := fmt.Errorf("%w: second %v of edge %d", transport.ErrProtocol, f.kind, f.edge)
	if f.kind == kindOpenRecv {
		file := p.local.conn.File()
		if file == nil {
			return fmt.Errorf("%w: %v of edge %d without its memory", transport.ErrProtocol, f.kind, f.edge)
		}
		grant := localGrant{theirs: theirs, file: file}
		p.mu.Lock()
		e := p.local.send[f.edge]
		if e == nil {
			_, again := p.local.granted[f.edge]
			if !again {
				p.local.granted[f.edge] = grant
			}
			p.mu.Unlock()
			if again {
				return errors.Join(twice, file.Close())
			}
			return nil
		}
		again := e.granted
		e.granted = true
		p.mu.Unlock()
		if again {
			return errors.Join(twice, file.Close())
		}
		// Without p.mu, because it wakes the goroutine that waits for credits.
		if err := e.take(grant); err != nil {
			e.Fail(err)
		}
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.local.recv[f.edge]
	if e == nil {
		if _, again := p.local.offered[f.edge]; again {
			return twice
		}
		p.local.offered[f.edge] = theirs
		return nil
	}
	if e.offered {
		return twice
	}
	if err := e.accept(theirs); err != nil {
		e.Fail(err)
	}
	return nil
}

// localEdges returns the open edges to a peer on this host.
func (p *peer) localEdges() (all []LocalEdge) {
	if p.local == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.local.send {
		all = append(all, e)
	}
	for _, e := range p.local.recv {
		all = append(all, e)
	}
	return all
}

// writeFile does what write does, for frames that pass a descriptor.
func (p *peer) writeFile() error {
	var b []byte
	for _, part := range p.writing {
		b = append(b, part...)
	}
	file := p.file
	p.file = nil
	return errors.Join(p.local.conn.WriteFile(b, file), file.Close())
}

// close closes descriptors of memory that no edge has mapped. The connection is already
// closed.
func (l *locals) close() {
	if l == nil {
		return
	}
	for _, g := range l.granted {
		_ = g.file.Close() // never used
	}
}
