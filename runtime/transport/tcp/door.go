package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"loopc/runtime/transport"
)

const (
	handshakeTime = 5 * time.Second       // a handshake takes no longer
	redialPause   = 50 * time.Millisecond // between two attempts to reach a peer
)

// A door lets peers in and keeps strangers out. It stays open as long as the
// transport does, so that who comes late or twice is told why it may not enter.
type door struct {
	mesh      *mesh
	listeners []net.Listener
	most      int // connections that have not shown their hello yet

	mu      sync.Mutex
	waiting []net.Conn // oldest first
	closed  bool
}

// newDoor returns the door at listeners.
func newDoor(m *mesh, listeners []net.Listener) *door {
	return &door{mesh: m, listeners: listeners, most: m.cfg.Size + 16}
}

// serve accepts connections until listener, one of the door's, is closed.
func (d *door) serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			// Out of descriptors, most likely; the peers will try again.
			d.mesh.cfg.Logger.Warn("cannot accept a connection", "rank", d.mesh.cfg.Rank, "err", err)
			select {
			case <-time.After(redialPause):
				continue
			case <-d.mesh.quit:
				return
			}
		}
		if d.enter(conn) {
			d.mesh.tasks.Go(func() { d.admit(conn) })
		}
	}
}

// enter takes conn among those whose hello is awaited. If there are too many,
// the oldest has to go: a peer shows its hello at once, a stranger may never.
func (d *door) enter(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = conn.Close()
		return false
	}
	if len(d.waiting) >= d.most {
		_ = d.waiting[0].Close()
		d.waiting = slices.Delete(d.waiting, 0, 1)
	}
	d.waiting = append(d.waiting, conn)
	return true
}

// leave takes conn out again and says whether it may go on.
func (d *door) leave(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := slices.Index(d.waiting, conn)
	if k < 0 {
		return false
	}
	d.waiting = slices.Delete(d.waiting, k, k+1)
	return true
}

// shut closes the listeners and every connection that is not a peer's yet.
func (d *door) shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, l := range d.listeners {
		_ = l.Close() // it may have been closed by its owner
	}
	for _, conn := range d.waiting {
		_ = conn.Close()
	}
	d.waiting = nil
}

// admit holds the handshake with who has connected.
func (d *door) admit(conn net.Conn) {
	m := d.mesh
	_ = conn.SetDeadline(time.Now().Add(handshakeTime))
	h, err := readHello(conn)
	if !d.leave(conn) {
		return // closed by enter or shut
	}
	speaks := err == nil || errors.Is(err, errVersion)
	if err == nil {
		err = m.own.check(h)
	}
	if err == nil {
		err = m.reserve(h.rank)
	}
	if err == nil {
		// Before join, so that no frame overtakes it.
		if _, err = conn.Write(appendAnswer(nil, "", m.own)); err == nil {
			_ = conn.SetDeadline(time.Time{})
			m.join(h.rank, conn)
			return
		}
		m.unreserve(h.rank)
	}
	m.cfg.Logger.Warn("refused a connection", "rank", m.cfg.Rank, "from", conn.RemoteAddr().String(), "err", err)
	if speaks {
		m.note(fmt.Errorf("%w: refused %v: %w", transport.ErrHandshake, conn.RemoteAddr(), err))
		_, _ = conn.Write(appendAnswer(nil, fmt.Sprintf("rank %d refused: %v", m.cfg.Rank, err), m.own))
	}
	_ = conn.Close()
	var differs differenceError
	if errors.As(err, &differs) {
		m.fail(fmt.Errorf("%w: %w", transport.ErrHandshake, err))
	}
}

// dial connects to rank, again and again until it succeeds, is refused, or ctx
// ends: the peer may not have begun to listen.
func (m *mesh) dial(ctx context.Context, rank int) {
	for {
		err := m.call(ctx, rank)
		if err == nil {
			return
		}
		err = fmt.Errorf("rank %d at %s: %w", rank, m.cfg.Addrs[rank], err)
		var refusal refusalError
		var differs differenceError
		if errors.Is(err, errStranger) || errors.Is(err, errVersion) || errors.As(err, &refusal) || errors.As(err, &differs) {
			m.fail(fmt.Errorf("%w: %w", transport.ErrHandshake, err))
			return
		}
		if ctx.Err() == nil {
			m.note(err)
		}
		select {
		case <-time.After(redialPause):
		case <-ctx.Done():
			return
		}
	}
}

// call connects to rank once.
func (m *mesh) call(ctx context.Context, rank int) error {
	conn, err := m.reach(ctx, rank)
	if err != nil {
		return err
	}
	_ = conn.SetDeadline(time.Now().Add(handshakeTime))
	hurry := context.AfterFunc(ctx, func() { _ = conn.Close() })
	h, err := m.present(conn)
	if err == nil {
		err = m.own.check(h)
	}
	if err == nil && h.rank != rank {
		err = differenceError(fmt.Sprintf("rank %d answered", h.rank))
	}
	if !hurry() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = m.reserve(rank)
	}
	if err != nil {
		_ = conn.Close()
		return err
	}
	_ = conn.SetDeadline(time.Time{})
	m.join(rank, conn)
	return nil
}

// present sends our hello and returns the other side's.
func (m *mesh) present(conn net.Conn) (hello, error) {
	if _, err := conn.Write(m.own.append(nil)); err != nil {
		return hello{}, err
	}
	return readAnswer(conn)
}
