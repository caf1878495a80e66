package tcp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
)

// redialPause is the approximate time between two attempts to reach a peer.
const redialPause = 50 * time.Millisecond

// listen opens a door at listener.
func (m *mesh) listen(identity *auth.Identity, listener net.Listener) {
	var door *auth.Door
	door = auth.NewDoor(identity, listener, m.cfg.Logger.With("rank", m.cfg.Rank), func(v *auth.Visit) { m.admit(door, v) })
	m.doors = append(m.doors, door)
	m.tasks.Go(door.Serve)
}

// admit admits a process of this run if it is an expected peer; otherwise it tells the
// process why not. The door stays open as long as the transport, so that late and duplicate
// connections get an answer.
func (m *mesh) admit(door *auth.Door, v *auth.Visit) {
	err := check(m.identity.Self, v.Peer)
	if err == nil {
		err = m.reserve(v.Peer.Rank)
	}
	if err == nil {
		// Welcome precedes join, so that no frame overtakes it.
		s, failed := v.Welcome()
		if failed == nil {
			_ = s.Conn.SetDeadline(time.Time{})
			m.join(s)
			return
		}
		m.unreserve(v.Peer.Rank)
		err = failed
	}
	door.Refused("rank", v.Conn.RemoteAddr(), err)
	m.note(fmt.Errorf("%w: refused %v: %w", transport.ErrHandshake, v.Conn.RemoteAddr(), err))
	_ = v.Refuse(fmt.Sprintf("rank %d refused: %v", m.cfg.Rank, err)) // it may be gone
	_ = v.Conn.Close()
	var differs differenceError
	if errors.As(err, &differs) {
		m.fail(fmt.Errorf("%w: %w", transport.ErrHandshake, err))
	}
}

// dial tries to connect to rank until it succeeds, is refused, or ctx ends: the peer may
// not listen yet, or may have dropped the connection from a full door.
func (m *mesh) dial(ctx context.Context, rank int) {
	for {
		err := m.call(ctx, rank)
		if err == nil {
			return
		}
		err = fmt.Errorf("rank %d at %s: %w", rank, m.cfg.Addrs[rank], err)
		var differs differenceError
		if auth.Final(err) || errors.As(err, &differs) {
			m.fail(fmt.Errorf("%w: %w", transport.ErrHandshake, err))
			return
		}
		if ctx.Err() == nil {
			m.note(err)
		}
		select {
		case <-time.After(redialPause/2 + rand.N(redialPause)): // random, so that ranks do not retry simultaneously
		case <-ctx.Done():
			return
		}
	}
}

// call connects to rank once.
func (m *mesh) call(ctx context.Context, rank int) error {
	conn, identity, err := m.reach(ctx, rank)
	if err != nil {
		return err
	}
	_ = conn.SetDeadline(time.Now().Add(2 * m.cfg.Timeout))
	hurry := context.AfterFunc(ctx, func() { _ = conn.Close() })
	s, err := identity.Call(conn)
	if err == nil {
		err = check(m.identity.Self, s.Peer)
	}
	if err == nil && s.Peer.Rank != rank {
		err = differenceError(fmt.Sprintf("rank %d answered", s.Peer.Rank))
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
	m.join(s)
	return nil
}
