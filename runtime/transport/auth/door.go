package auth

import (
	"errors"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"loopc/runtime/transport"
)

const (
	// doorSlots bounds the unauthenticated connections of one process.
	doorSlots = 64
	// doorTasks bounds the goroutines that serve such connections, connections that were
	// just dropped, and calls of admit.
	doorTasks = 2 * doorSlots
	// doorTime is the limit for the authentication of a connection.
	doorTime = 2 * time.Second
	// doorGrace is how long a connection is safe from being dropped for a newer one. A
	// process of the run needs a fraction of this time.
	doorGrace = 10 * time.Millisecond
	// acceptPause is the time between two attempts to accept a connection.
	acceptPause = 50 * time.Millisecond
)

// A Door lets the processes of a run in and keeps strangers out. It holds at most 64
// unauthenticated connections, each for at most 2 s. If there are more, it drops the
// oldest: a process of the run identifies itself at once, and connects again if it was
// dropped, while a stranger may stay silent forever. So strangers cost a bounded number of
// descriptors and goroutines, and little memory.
type Door struct {
	identity *Identity
	listener net.Listener
	admit    func(*Visit)
	refusals *refusals
	tasks    sync.WaitGroup
	busy     chan struct{} // a token for each running task
	quit     chan struct{} // closed by Shut
	freed    chan struct{} // a token when a connection has left

	mu     sync.Mutex
	guests []guest // oldest first
	closed bool
}

// A guest is an unauthenticated connection.
type guest struct {
	conn  net.Conn
	since time.Time
}

// NewDoor returns the door at listener. Serve calls admit for every authenticated
// connection, each in its own goroutine. admit gives the verdict and owns the connection
// from then on. The connection has a deadline, which admit must remove. Refusals are
// logged, but repeated refusals of one kind only now and then.
func NewDoor(identity *Identity, listener net.Listener, logger *slog.Logger, admit func(*Visit)) *Door {
	return &Door{
		identity: identity, listener: listener, admit: admit, refusals: newRefusals(logger),
		busy: make(chan struct{}, doorTasks), quit: make(chan struct{}), freed: make(chan struct{}, 1),
	}
}

// Serve accepts connections until Shut is called or the listener is closed. It returns when
// all unauthenticated connections have ended and all calls of admit have returned.
func (d *Door) Serve() {
	defer d.tasks.Wait()
	defer d.refusals.flush()
	for {
		conn, err := d.listener.Accept()
		if err == nil {
			if d.enter(conn) {
				select {
				case d.busy <- struct{}{}: // each ends within doorTime
				case <-d.quit: // conn is closed
					return
				}
				d.tasks.Go(func() {
					defer func() { <-d.busy }()
					d.answer(conn)
				})
			}
			continue
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
		// Most likely out of descriptors; processes of the run will connect again.
		d.refusals.note("accept", "", err)
		select {
		case <-time.After(acceptPause):
		case <-d.quit:
			return
		}
	}
}

// enter gives conn a place at the door, if necessary the place of the oldest connection. It returns
// false if the door closes before.
func (d *Door) enter(conn net.Conn) bool {
	_ = conn.SetDeadline(time.Now().Add(doorTime))
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.guests) >= doorSlots && !d.closed {
		oldest := d.guests[0]
		patience := doorGrace - time.Since(oldest.since)
		if patience <= 0 {
			_ = oldest.conn.Close()
			d.guests = slices.Delete(d.guests, 0, 1)
			d.refusals.note("crowd", oldest.conn.RemoteAddr().String(), errors.New("said nothing while others waited"))
			continue
		}
		d.mu.Unlock()
		select {
		case <-d.freed:
		case <-time.After(patience):
		case <-d.quit:
		}
		d.mu.Lock()
	}
	if d.closed {
		_ = conn.Close()
		return false
	}
	d.guests = append(d.guests, guest{conn, time.Now()})
	return true
}

// leave releases the place of conn and reports whether conn still had one.
func (d *Door) leave(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := slices.IndexFunc(d.guests, func(g guest) bool { return g.conn == conn })
	if k < 0 {
		return false
	}
	d.guests = slices.Delete(d.guests, k, k+1)
	select {
	case d.freed <- struct{}{}:
	default:
	}
	return true
}

// answer performs the handshake with a connection at the door.
func (d *Door) answer(conn net.Conn) {
	visit, err := d.identity.Answer(conn)
	switch here := d.leave(conn); {
	case !here: // closed by enter, which has logged it, or by Shut
		_ = conn.Close()
	case err != nil:
		_ = conn.Close()
		d.refusals.note(kindOf(err), conn.RemoteAddr().String(), err)
	default:
		d.admit(visit)
	}
}

// Shut closes the listener and every connection at the door.
func (d *Door) Shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.closed = true
	close(d.quit)
	_ = d.listener.Close() // it may be closed already
	for _, g := range d.guests {
		_ = g.conn.Close()
	}
	d.guests = nil
}

// Refused logs that an authenticated process was refused. kind is one of a few kinds of
// reasons.
func (d *Door) Refused(kind string, from net.Addr, err error) {
	d.refusals.note(kind, from.String(), err)
}

// kindOf returns the kind of reason for which a handshake failed.
func kindOf(err error) string {
	switch {
	case errors.Is(err, ErrStranger):
		return "stranger"
	case errors.Is(err, ErrVersion):
		return "version"
	case errors.Is(err, ErrTLS):
		return "tls"
	case errors.Is(err, ErrCertificate):
		return "certificate"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "silent"
	case cut(err):
		return "closed"
	}
	return "other"
}

// refusalPause is the least time between two lines about refusals of a kind.
const refusalPause = 10 * time.Second

// refusals logs refusals: for each kind one line at once, and then now and then a line with
// the number of refusals in between.
type refusals struct {
	logger *slog.Logger
	mu     sync.Mutex
	kinds  map[string]*refused
}

// refused is the state of one kind of refusals.
type refused struct {
	logged time.Time
	more   int // refusals since then
}

// newRefusals returns an empty log; a nil logger means no log.
func newRefusals(logger *slog.Logger) *refusals {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &refusals{logger: logger, kinds: map[string]*refused{}}
}

// note logs or counts a refusal.
func (r *refusals) note(kind, from string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.kinds[kind]
	if k == nil {
		k = &refused{}
		r.kinds[kind] = k
	}
	if time.Since(k.logged) < refusalPause {
		k.more++
		return
	}
	attrs := []any{"kind", kind, "from", from, "err", transport.OneLine(err.Error(), maxReasonBytes)}
	if k.more > 0 {
		attrs = append(attrs, "more", k.more)
	}
	k.logged, k.more = time.Now(), 0
	r.logger.Warn("refused a connection", attrs...)
}

// flush logs how many refusals of each kind were not logged.
func (r *refusals) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, kind := range slices.Sorted(maps.Keys(r.kinds)) {
		if k := r.kinds[kind]; k.more > 0 {
			r.logger.Warn("refused more connections", "kind", kind, "more", k.more)
			k.more = 0
		}
	}
}
