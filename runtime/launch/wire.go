package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
)

// beatTime lies between two beats. silenceTime is how long a line between hosts
// may be silent: then the other side, or its host, is taken for gone. On one host
// the system says so itself.
const (
	beatTime    = time.Second
	silenceTime = 15 * time.Second
)

const (
	wireVersion    = 2
	maxLineBytes   = 1 << 20 // of a line after registration
	maxHelloBytes  = 4096    // of the line that registers a rank
	maxReasonBytes = 1024    // of a failure's or cancellation's text
	registerTime   = 5 * time.Second
	writeTime      = 5 * time.Second
)

// A hello is the first line of a rank.
type hello struct {
	Loopc  int    `json:"loopc"` // wireVersion
	Job    string `json:"job"`
	Rank   int    `json:"rank"`
	Size   int    `json:"size"`
	Addr   string `json:"addr"`   // where the rank listens
	Digest string `json:"digest"` // of program and plan, in hexadecimal

	// Service opens a line for requests, see Service; Addr and Digest are empty.
	Service bool `json:"service,omitempty"`
}

// The kinds of messages that follow.
const (
	toRankStart    = "start"    // all ranks have registered; Addrs
	toRankRefuse   = "refuse"   // the registration is not accepted; Text
	toRankCancel   = "cancel"   // end; Text is the reason
	toRankProceed  = "proceed"  // every rank has delivered its result: commit it
	toRootProgress = "progress" // Done of Total points
	toRootResult   = "result"   // Result
	toRootFailure  = "failure"  // Text, Secondary
	beat           = "beat"     // in both directions: nothing but that this side lives
)

// A message is a line after the hello.
type message struct {
	Type      string          `json:"type"`
	Addrs     []string        `json:"addrs,omitempty"`
	Text      string          `json:"text,omitempty"`
	Secondary bool            `json:"secondary,omitempty"` // the failure follows from another rank's
	Done      int64           `json:"done,omitempty"`
	Total     int64           `json:"total,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
}

// A line is a connection that carries JSON lines in both directions. Any
// goroutine may write.
type line struct {
	conn    net.Conn
	in      *bufio.Scanner
	silence time.Duration // after which the other side is taken for gone; 0: never

	mu sync.Mutex // held to write
}

// newLine returns conn as a line. What r has buffered belongs to it.
func newLine(conn net.Conn, r *bufio.Reader) *line {
	l := &line{conn: conn, in: bufio.NewScanner(r)}
	l.in.Buffer(nil, maxLineBytes)
	return l
}

// write sends v as one line.
func (l *line) write(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) >= maxLineBytes {
		return fmt.Errorf("launch: message of %d bytes, at most %d can be sent", len(b), maxLineBytes)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	_, err = l.conn.Write(append(b, '\n'))
	return err
}

// guard makes silence of the other side an error, if that is on another host.
func (l *line) guard() {
	here, _, err := net.SplitHostPort(l.conn.LocalAddr().String())
	there, _, err2 := net.SplitHostPort(l.conn.RemoteAddr().String())
	if err == nil && err2 == nil && here != there {
		l.silence = silenceTime
	}
}

// errSilent says that the other side has said nothing for too long.
var errSilent = fmt.Errorf("silent for %v", silenceTime)

// errLineEnded says that the other side has closed the line.
var errLineEnded = errors.New("connection closed")

// read returns the next message.
func (l *line) read() (m message, err error) { return m, l.decode(&m) }

// decode reads the next line into v.
func (l *line) decode(v any) error {
	if l.silence > 0 {
		if err := l.conn.SetReadDeadline(time.Now().Add(l.silence)); err != nil {
			return err
		}
	}
	if !l.in.Scan() {
		err := l.in.Err()
		switch {
		case err == nil:
			return errLineEnded
		case l.silence > 0 && errors.Is(err, os.ErrDeadlineExceeded):
			return errSilent
		}
		return err
	}
	if err := json.Unmarshal(l.in.Bytes(), v); err != nil {
		return fmt.Errorf("malformed message: %w", err)
	}
	return nil
}

// oneLine makes text fit for a line of a log: no control characters, bounded.
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

// ErrInterrupted is the cause with which the context of a process ends that is told
// to end by a signal. A launcher that is not ours sends it to every rank when one
// of them has failed.
var ErrInterrupted = errors.New("interrupted")

// secondary says whether err follows from what happened elsewhere: a peer that
// is gone, or a cancellation.
func secondary(err error) bool {
	var gone interface{ PeerGone() bool }
	var canceled *CanceledError
	return errors.As(err, &gone) && gone.PeerGone() ||
		errors.As(err, &canceled) || errors.Is(err, context.Canceled) || errors.Is(err, ErrInterrupted) || errors.Is(err, ErrLauncherGone)
}
