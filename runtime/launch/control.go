package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"loopc/runtime/transport/auth"
)

// progressPause is the least time between two reports of progress; reports in between are
// dropped.
const progressPause = 100 * time.Millisecond

// ErrLauncherGone is the cause with which a rank's context ends when the control
// channel breaks.
var ErrLauncherGone = errors.New("the process that leads the run is gone")

// A CanceledError is the cause with which a rank's context ends when the launcher cancels
// the run.
type CanceledError struct {
	Reason string // one line
}

// Error implements error.
func (e *CanceledError) Error() string { return "canceled: " + e.Reason }

// Control is a rank's end of the control channel.
type Control struct {
	line    *line
	addrs   []string
	ctx     context.Context
	cancel  context.CancelCauseFunc
	proceed chan struct{}   // closed when the launcher lets ranks commit
	outcome json.RawMessage // of the run, valid after proceed is closed
	ended   chan struct{}   // closed when the reader ends

	asked Asks // of rank 0

	mu       sync.Mutex
	reported time.Time // time of the last report of progress
}

// Join registers this rank, which listens at listenAddr for the others, and waits until all
// ranks have registered. If listenAddr has no host, the launcher fills in the address from
// which this rank connects. digest identifies program and plan; ranks with different
// digests are refused.
//
// The caller must close the Control.
func Join(ctx context.Context, info Info, listenAddr string, digest [32]byte) (*Control, error) {
	c, err := join(ctx, info, listenAddr, digest)
	if err != nil {
		return nil, fmt.Errorf("launch: rank %d cannot join the others at %s: %w", info.Rank, info.Root, err)
	}
	return c, nil
}

// join is Join without wrapping its errors.
func join(ctx context.Context, info Info, listenAddr string, digest [32]byte) (*Control, error) {
	session, err := call(ctx, info, digest)
	if err != nil {
		return nil, err
	}
	conn := session.Conn
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	l := newLine(session, info.Patience)
	err = l.write(message{Type: toRootHello, Addrs: []string{listenAddr}})
	l.guard() // the launcher sends heartbeats from now on
	var m message
	for m.Type = beat; err == nil && m.Type == beat; { // other ranks may register much later
		m, err = l.read()
	}
	switch {
	case err != nil:
	case m.Type == toRankRefuse:
		err = fmt.Errorf("refused: %s", oneLine(m.Text))
	case m.Type == toRankCancel:
		err = &CanceledError{Reason: oneLine(m.Text)}
	case m.Type != toRankStart || len(m.Addrs) != info.Size:
		err = errors.New("the other side is not a launcher of this run")
	}
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	c := &Control{line: l, addrs: m.Addrs, proceed: make(chan struct{}), ended: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	go c.listen()
	go c.beat()
	return c, nil
}

// call connects to the rendezvous and performs the handshake.
func call(ctx context.Context, info Info, digest [32]byte) (*auth.Session, error) {
	identity := auth.Identity{
		Service: service, Secret: info.Secret, TLS: info.TLS,
		Self: auth.Party{Role: auth.Rank, Rank: info.Rank, Size: info.Size, Digest: digest},
	}
	wait := patience(info.Patience)
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: wait.wait(), Interval: wait.wait(), Count: 2}}
	for begun := time.Now(); ; {
		conn, err := dialer.DialContext(ctx, "tcp", info.Root)
		if err != nil {
			if ctx.Err() != nil || time.Since(begun) >= info.Meeting {
				return nil, err
			}
			select { // the rendezvous may open later
			case <-time.After(meetPause):
			case <-ctx.Done():
			}
			continue
		}
		_ = conn.SetDeadline(time.Now().Add(wait.silence()))
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		s, err := identity.Call(conn)
		if !stop() {
			err = context.Cause(ctx)
		}
		if err == nil {
			_ = conn.SetDeadline(time.Time{})
			return s, nil
		}
		_ = conn.Close()
		if ctx.Err() != nil || auth.Final(err) || time.Since(begun) > wait.retry() {
			return nil, err
		}
		time.Sleep(rand.N(100 * time.Millisecond)) // not all at once
	}
}

// listen handles the launcher's messages until the connection ends.
func (c *Control) listen() {
	defer close(c.ended)
	committed := false
	for {
		m, err := c.line.read()
		if err != nil {
			c.cancel(fmt.Errorf("%w: %w", ErrLauncherGone, err))
			return
		}
		switch m.Type {
		case toRankCancel:
			c.cancel(&CanceledError{Reason: oneLine(m.Text)})
		case toRankKeep:
			c.asked.Ask(m.Text == askedEnd)
		case toRankSettled:
			c.asked.Settle(int(m.Done))
		case toRankProceed:
			if !committed {
				committed = true
				c.outcome = m.Result
				close(c.proceed)
			}
		}
	}
}

// beat sends heartbeats to the launcher.
func (c *Control) beat() {
	tick := time.NewTicker(c.line.patience.beat())
	defer tick.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-tick.C:
			_ = c.line.write(message{Type: beat}) // listen notices a broken connection
		}
	}
}

// Releases ends the requests of s when the launcher is gone; otherwise they would wait for
// it.
func (c *Control) Releases(s *Service) {
	context.AfterFunc(c.ctx, func() {
		if errors.Is(context.Cause(c.ctx), ErrLauncherGone) {
			_ = s.Close() // it may be closed already
		}
	})
}

// Asked is what the launcher has told this rank of checkpoints; it tells only rank 0.
func (c *Control) Asked() *Asks { return &c.asked }

// Addrs returns where each rank listens, by rank.
func (c *Control) Addrs() []string { return c.addrs }

// Context returns a context that ends with the context of Join, when the launcher cancels
// the run (a *CanceledError), or when the launcher dies (ErrLauncherGone).
func (c *Control) Context() context.Context { return c.ctx }

// Progress reports that done of total points are computed. It may be called often: most
// reports are dropped.
func (c *Control) Progress(done, total int64) error {
	c.mu.Lock()
	now := time.Now()
	due := done == total || now.Sub(c.reported) >= progressPause
	if due {
		c.reported = now
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	return c.say("progress", message{Type: toRootProgress, Done: done, Total: total})
}

// Stats reports this rank's statistics so far, as JSON of at most 1 MiB.
func (c *Control) Stats(v any) error {
	return c.sayValue("stats", toRootStats, v)
}

// Part reports that this rank has written its part of a checkpoint, which v describes, as JSON of at
// most 1 MiB.
func (c *Control) Part(v any) error {
	return c.sayValue("part of a checkpoint", toRootPart, v)
}

// Result delivers this rank's result, as JSON of at most 1 MiB. The rank then waits with
// Proceed until it may commit its outputs.
func (c *Control) Result(v any) error {
	return c.sayValue("result", toRootResult, v)
}

// sayValue sends a value as JSON. what names it in errors.
func (c *Control) sayValue(what, messageType string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("launch: %s: %w", what, err)
	}
	return c.say(what, message{Type: messageType, Result: b})
}

// Fail reports that this rank has failed with err.
func (c *Control) Fail(err error) error {
	return c.say("failure", message{Type: toRootFailure, Text: oneLine(err.Error()), Secondary: secondary(err)})
}

// say sends m.
func (c *Control) say(what string, m message) error {
	if err := c.line.write(m); err != nil {
		return fmt.Errorf("launch: cannot send %s: %w", what, err)
	}
	return nil
}

// Proceed waits until every rank has delivered its result, so that outputs may
// get their final names.
func (c *Control) Proceed(ctx context.Context) error {
	select {
	case <-c.proceed:
		return nil
	default:
	}
	select {
	case <-c.proceed:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Outcome is the launcher's JSON about the run, or nil. It is valid after Proceed has
// returned without an error.
func (c *Control) Outcome() json.RawMessage {
	select {
	case <-c.proceed:
		return c.outcome
	default:
		return nil
	}
}

// Close ends the control channel; Context ends with it.
func (c *Control) Close() error {
	c.cancel(net.ErrClosed)
	err := c.line.conn.Close()
	<-c.ended
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("launch: %w", err)
	}
	return nil
}
