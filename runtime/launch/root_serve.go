package launch

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"loopc/runtime/transport/auth"
)

// register serves an authenticated process, from its first message on.
func (r *Root) register(v *auth.Visit) {
	r.mu.Lock()
	r.waiting = append(r.waiting, v.Conn)
	closed := r.closed
	r.mu.Unlock()
	var l *line
	err := net.ErrClosed
	if !closed {
		l, err = r.hear(v)
	}
	if err != nil {
		r.door.Refused("registration", v.Conn.RemoteAddr(), err)
		if r.forget(v.Conn) && l != nil {
			_ = l.write(message{Type: toRankRefuse, Text: oneLine(err.Error())}) // it may be gone
		}
		_ = v.Conn.Close()
		return
	}
	if r.forget(v.Conn) {
		r.tasks.Go(func() { r.attend(v.Peer, l) }) // a service connection, not a rank
		return
	}
	l.guard()
	r.tasks.Go(func() { r.serve(v.Peer.Rank, l) })
}

// beat sends heartbeats to the ranks.
func (r *Root) beat() {
	tick := time.NewTicker(patience(r.cfg.Patience).beat())
	defer tick.Stop()
	for {
		select {
		case <-r.quit:
			return
		case <-tick.C:
			r.mu.Lock()
			r.tell(message{Type: beat})
			r.mu.Unlock()
		}
	}
}

// hear reads the first message: the address of a rank, which it admits, or the request for
// a service connection. If hear returns an error with a connection, the caller sends the
// error to the process.
func (r *Root) hear(v *auth.Visit) (*line, error) {
	if v.Peer.Role != auth.Rank {
		return nil, errors.New("not a rank")
	}
	s, err := v.Welcome()
	if err != nil {
		return nil, err
	}
	// The short deadline of the door is for strangers. An authenticated process does not
	// connect again, and may have to wait for a CPU.
	_ = s.Conn.SetDeadline(time.Now().Add(patience(r.cfg.Patience).silence()))
	l := newLine(s, r.cfg.Patience)
	m, err := l.read()
	if err != nil {
		return nil, err
	}
	if m.Type == toRootService {
		_ = s.Conn.SetDeadline(time.Time{})
		return l, nil
	}
	if m.Type != toRootHello || len(m.Addrs) != 1 {
		return l, errors.New("does not say where it listens")
	}
	addr, err := reachable(m.Addrs[0], s.Conn)
	if err != nil {
		return l, err
	}
	_ = s.Conn.SetDeadline(time.Time{}) // before admit, which may send
	return l, r.admit(v.Peer, addr, l)
}

// forget removes conn from waiting, and reports whether it was there.
func (r *Root) forget(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.waiting)
	r.waiting = slices.DeleteFunc(r.waiting, func(c net.Conn) bool { return c == conn })
	return len(r.waiting) < before
}

// reachable returns addr, with an unspecified host replaced by the host at the other end of
// conn.
func reachable(addr string, conn net.Conn) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("address of the rank: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if host, _, err = net.SplitHostPort(conn.RemoteAddr().String()); err != nil {
			return "", fmt.Errorf("address of the rank: %w", err)
		}
	}
	return net.JoinHostPort(host, port), nil
}

// admit registers a rank that listens at addr. The last rank to register starts the run. A
// rank with another digest or size fails the run.
func (r *Root) admit(p auth.Party, addr string, l *line) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := slices.Index(r.waiting, l.conn)
	if k < 0 {
		return net.ErrClosed
	}
	var err error
	digest := hex.EncodeToString(p.Digest[:])
	switch {
	case p.Size != r.cfg.Size:
		err = fmt.Errorf("rank %d counts %d ranks, the launcher %d", p.Rank, p.Size, r.cfg.Size)
	case r.members[p.Rank] != nil:
		return fmt.Errorf("rank %d has registered already", p.Rank)
	case r.digest != "" && r.digest != digest:
		err = fmt.Errorf("rank %d runs another program or plan than the ranks before it", p.Rank)
	}
	if err != nil {
		r.fail(p.Rank, err.Error(), reported)
		return err
	}
	r.waiting = slices.Delete(r.waiting, k, k+1)
	r.members[p.Rank], r.addrs[p.Rank], r.digest = l, addr, digest
	r.joined++
	switch {
	case r.canceled != nil:
		_ = l.write(*r.canceled) // the run is already canceled
	case r.joined == r.cfg.Size:
		r.tell(message{Type: toRankStart, Addrs: r.addrs})
		r.passAsked()
	}
	return nil
}

// serve handles a rank's messages until its connection ends.
func (r *Root) serve(rank int, l *line) {
	defer l.conn.Close()
	for {
		m, err := l.read()
		if err != nil {
			var silent errSilent
			r.mu.Lock()
			if !r.ended[rank] || errors.As(err, &silent) { // a rank that is stopped does not end
				r.fail(rank, r.lostText(rank, err), lost)
			}
			r.departed++
			r.look()
			r.mu.Unlock()
			return
		}
		switch m.Type {
		case toRootProgress:
			if r.cfg.Progress != nil {
				r.reporting.Lock()
				r.cfg.Progress(rank, m.Done, m.Total)
				r.reporting.Unlock()
			}
		case toRootStats:
			if r.cfg.Stats != nil {
				r.reporting.Lock()
				r.cfg.Stats(rank, m.Result)
				r.reporting.Unlock()
			}
		case toRootPart:
			if r.cfg.Part != nil {
				r.cfg.Part(rank, m.Result)
			}
		case toRootResult:
			r.deliver(rank, m.Result)
		case toRootFailure:
			w := reported
			if m.Secondary {
				w = following
			}
			r.mu.Lock()
			r.spoke[rank] = true
			r.fail(rank, oneLine(m.Text), w)
			r.mu.Unlock()
		}
	}
}

// deliver stores the result of rank.
func (r *Root) deliver(rank int, result json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.results[rank] != nil || len(result) == 0 {
		return
	}
	r.results[rank] = result
	if r.delivered++; r.delivered == r.cfg.Size {
		close(r.complete)
	}
}
