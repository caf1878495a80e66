package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// A request is what a rank asks on its service line; a reply answers it. One is
// under way at a time.
type request struct {
	Op     string  `json:"op"`
	Member *Member `json:"member,omitempty"` // for opEnlist
	File   int     `json:"file,omitempty"`
	Offset int64   `json:"offset,omitempty"`
	Length int     `json:"length,omitempty"`
	Data   []byte  `json:"data,omitempty"`
	Text   string  `json:"text,omitempty"`
}

// What can be asked.
const (
	opEnlist = "enlist" // here I am: what am I to do?
	opClock  = "clock"  // what time is it at the rendezvous?
	opSize   = "size"   // how long is a file?
	opRead   = "read"   // a part of it
	opWrite  = "write"  // write Data at Offset
	opFail   = "fail"   // I cannot do my job: Text
	opReady  = "ready"  // I have got so far: have all?
)

// A reply answers a request.
type reply struct {
	Error string          `json:"error,omitempty"`
	Brief json.RawMessage `json:"brief,omitempty"`
	Rank  int             `json:"rank,omitempty"` // with Brief
	Nanos int64           `json:"nanos,omitempty"`
	Size  int64           `json:"size,omitempty"`
	Data  []byte          `json:"data,omitempty"`
}

// maxChunk is the most bytes of a file in one request or reply, which are longer
// by a third as text.
const maxChunk = 512 << 10

// A Service is a rank's line to what the rendezvous has for it: its job, the
// time, and files that it cannot see by itself. Several goroutines may use it.
type Service struct {
	mu   sync.Mutex
	line *line
	here net.Addr // this end
}

// OpenService reaches the rendezvous of info.
func OpenService(ctx context.Context, info Info) (*Service, error) {
	session, err := call(ctx, info, [32]byte{})
	if err != nil {
		return nil, fmt.Errorf("launch: rank %d cannot reach the others at %s: %w", info.Rank, info.Root, err)
	}
	s := &Service{line: newLine(session, info.Patience), here: session.Conn.LocalAddr()}
	if err := s.line.write(message{Type: toRootService}); err != nil {
		return nil, errors.Join(fmt.Errorf("launch: rank %d: %w", info.Rank, err), session.Conn.Close())
	}
	return s, nil
}

// ask sends a request and waits for the reply. The end of ctx ends the line.
func (s *Service) ask(ctx context.Context, q request) (reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hurry := context.AfterFunc(ctx, func() { _ = s.line.conn.Close() })
	defer hurry()
	err := s.line.write(q)
	var r reply
	if err == nil {
		err = s.line.decode(&r)
	}
	switch {
	case ctx.Err() != nil:
		return reply{}, context.Cause(ctx)
	case err != nil:
		return reply{}, fmt.Errorf("%w: %w", ErrLauncherGone, err)
	case r.Error != "":
		return reply{}, &CanceledError{Reason: oneLine(r.Error)}
	}
	return r, nil
}

// Enlist tells the rendezvous about this process and waits until it has a job for
// it, and a rank. A *CanceledError says why there is none.
func (s *Service) Enlist(ctx context.Context, m Member) (rank int, brief json.RawMessage, err error) {
	r, err := s.ask(ctx, request{Op: opEnlist, Member: &m})
	return r.Rank, r.Brief, err
}

// Fail tells the rendezvous why this process cannot join the others.
func (s *Service) Fail(err error) {
	// A rendezvous that is gone needs to know no more.
	_, _ = s.ask(context.Background(), request{Op: opFail, Text: oneLine(err.Error())})
}

// Ready waits until every rank that has enlisted calls it, once in a run. A
// *CanceledError says that the run has failed.
func (s *Service) Ready(ctx context.Context) error {
	_, err := s.ask(ctx, request{Op: opReady})
	return err
}

// Here is the address of this host by which the rendezvous is reached, without a
// port: where this rank can listen for the others.
func (s *Service) Here() string {
	host, _, err := net.SplitHostPort(s.here.String())
	if err != nil {
		panic("BUG: a TCP address without a port")
	}
	return host
}

// Clock returns what the clock of the rendezvous says, in nanoseconds.
func (s *Service) Clock() (int64, error) {
	r, err := s.ask(context.Background(), request{Op: opClock})
	return r.Nanos, err
}

// Size returns the length of a file in bytes.
func (s *Service) Size(file int) (int64, error) {
	r, err := s.ask(context.Background(), request{Op: opSize, File: file})
	return r.Size, err
}

// ReadAt reads a part of a file; like io.ReaderAt.
func (s *Service) ReadAt(file int, b []byte, offset int64) (n int, err error) {
	for n < len(b) {
		r, err := s.ask(context.Background(), request{Op: opRead, File: file, Offset: offset + int64(n), Length: min(maxChunk, len(b)-n)})
		if err != nil {
			return n, err
		}
		if len(r.Data) == 0 {
			return n, io.EOF
		}
		n += copy(b[n:], r.Data)
	}
	return n, nil
}

// WriteAt writes a part of a file; like io.WriterAt.
func (s *Service) WriteAt(file int, b []byte, offset int64) (n int, err error) {
	for n < len(b) {
		part := b[n:min(len(b), n+maxChunk)]
		if _, err := s.ask(context.Background(), request{Op: opWrite, File: file, Offset: offset + int64(n), Data: part}); err != nil {
			return n, err
		}
		n += len(part)
	}
	return n, nil
}

// Close ends the line.
func (s *Service) Close() error { return s.line.conn.Close() }
