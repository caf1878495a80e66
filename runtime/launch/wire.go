package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"loopc/runtime/transport/auth"
)

const (
	service        = "rendezvous" // see auth.Identity
	maxLineBytes   = 1 << 20
	maxReasonBytes = 1024 // of a failure's or cancellation's text
)

// The kinds of messages.
const (
	toRootHello    = "hello"    // a rank's first message: Addrs has its address
	toRootService  = "service"  // the first message on a service connection, see Service
	toRankStart    = "start"    // all ranks have registered; Addrs
	toRankRefuse   = "refuse"   // the registration is refused; Text is the reason
	toRankCancel   = "cancel"   // the run is canceled; Text is the reason
	toRankKeep     = "keep"     // write a checkpoint; Text is "end" if the run is to end then
	toRankSettled  = "settled"  // the checkpoint after Done levels is complete, or there is none
	toRankProceed  = "proceed"  // every rank has delivered its result: commit outputs
	toRootProgress = "progress" // Done of Total points
	toRootStats    = "stats"    // Result has the statistics so far
	toRootPart     = "part"     // Result describes the rank's part of a checkpoint
	toRootResult   = "result"   // Result
	toRootFailure  = "failure"  // Text, Secondary
	beat           = "beat"     // heartbeat, in both directions
)

// A message is one line of a control channel.
type message struct {
	Type      string          `json:"type"`
	Addrs     []string        `json:"addrs,omitempty"`
	Text      string          `json:"text,omitempty"`
	Secondary bool            `json:"secondary,omitempty"` // the failure is a consequence of another rank's
	Done      int64           `json:"done,omitempty"`
	Total     int64           `json:"total,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
}

// A line is a connection for messages in both directions, after the handshake of package
// auth. Each message is a line of text: JSON, a space, and the MAC of the JSON in
// hexadecimal. write is safe for concurrent use.
type line struct {
	conn     net.Conn
	in       *bufio.Scanner
	checks   *auth.Tagger
	patience patience
	guarded  bool // silence of the other side is an error

	mu    sync.Mutex // held while writing
	signs *auth.Tagger
}

// macBytes is the length of space and MAC after the JSON.
const macBytes = 1 + 2*auth.TagBytes

// newLine returns the connection of s as a line.
func newLine(s *auth.Session, wait time.Duration) *line {
	l := &line{conn: s.Conn, checks: s.Receive, signs: s.Send, patience: patience(wait)}
	l.in = bufio.NewScanner(hearing{l})
	l.in.Buffer(nil, maxLineBytes)
	return l
}

// write sends v as one line.
func (l *line) write(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b)+macBytes >= maxLineBytes {
		return fmt.Errorf("launch: message of %d bytes, at most %d can be sent", len(b), maxLineBytes)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(l.patience.silence())); err != nil {
		return err
	}
	tag := l.signs.Append(nil, b)
	_, err = l.conn.Write(append(hex.AppendEncode(append(b, ' '), tag), '\n'))
	return err
}

// guard makes silence of the other side an error.
func (l *line) guard() { l.guarded = true }

// A hearing reads from the connection of a line.
type hearing struct{ *line }

// silentParts is the number of parts into which hearing.Read divides a silence.
const silentParts = 6

// Read implements io.Reader. If the line is guarded, it waits no longer than the other side may be
// silent. A part of this time does not count if this process was stopped in it, or the machine
// slept: the other side may have been stopped, too.
func (h hearing) Read(b []byte) (n int, err error) {
	if !h.guarded {
		return h.conn.Read(b)
	}
	part := h.patience.silence() / silentParts
	for quiet := 0; quiet < silentParts; quiet++ {
		begun := time.Now()
		if err := h.conn.SetReadDeadline(begun.Add(part)); err != nil {
			return 0, err
		}
		n, err = h.conn.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if time.Since(begun) > 2*part {
			quiet = -1
		}
	}
	return 0, errSilent(h.patience.silence())
}

// An errSilent says for how long the other side has been silent.
type errSilent time.Duration

// Error implements error.
func (e errSilent) Error() string { return fmt.Sprintf("silent for %v", time.Duration(e)) }

// errLineEnded: the other side has closed the connection.
var errLineEnded = errors.New("connection closed")

// read returns the next message.
func (l *line) read() (m message, err error) {
	err = l.decode(&m)
	return m, err
}

// decode reads the next line into v.
func (l *line) decode(v any) error {
	if !l.in.Scan() {
		if err := l.in.Err(); err != nil {
			return err
		}
		return errLineEnded
	}
	text, mac, _ := cutLast(l.in.Bytes(), ' ')
	tag, err := hex.DecodeString(string(mac))
	if err != nil || !l.checks.Check(tag, text) {
		return errors.New("a message was altered, repeated or left out on the way: wrong MAC")
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("malformed message: %w", err)
	}
	return nil
}

// cutLast slices b around the last sep.
func cutLast(b []byte, sep byte) (before, after []byte, found bool) {
	if k := bytes.LastIndexByte(b, sep); k >= 0 {
		return b[:k], b[k+1:], true
	}
	return b, nil, false
}

// oneLine sanitizes text for a line of a log: no control characters, limited length.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > maxReasonBytes {
		text = strings.ToValidUTF8(text[:maxReasonBytes], "")
	}
	return text
}

// ErrInterrupted is the cause with which a process's context ends after a signal. Other
// launchers send a signal to every rank when one rank has failed.
var ErrInterrupted = errors.New("interrupted")

// secondary reports whether err is a consequence of another process's failure: a peer that
// is gone, or a cancellation.
func secondary(err error) bool {
	var gone interface{ PeerGone() bool }
	var canceled *CanceledError
	return errors.As(err, &gone) && gone.PeerGone() ||
		errors.As(err, &canceled) || errors.Is(err, context.Canceled) || errors.Is(err, ErrInterrupted) || errors.Is(err, ErrLauncherGone)
}
