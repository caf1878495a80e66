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

// A request is sent by a rank on its service connection, and answered by a reply. Requests
// are not pipelined.
type request struct {
	Op     string  `json:"op"`
	Member *Member `json:"member,omitempty"` // for opEnlist
	File   int     `json:"file,omitempty"`
	Offset int64   `json:"offset,omitempty"`
	Length int     `json:"length,omitempty"`
	Data   []byte  `json:"data,omitempty"`
	Text   string  `json:"text,omitempty"`
}

// The operations of requests.
const (
	opEnlist = "enlist" // register this process and wait for its job
	opClock  = "clock"  // the time of the rendezvous
	opSize   = "size"   // the length of a file
	opRead   = "read"   // a part of a file
	opWrite  = "write"  // write Data at Offset
	opFail   = "fail"   // this process cannot do its job, for the reason Text
	opReady  = "ready"  // wait until all ranks have sent this
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

// maxChunk bounds the bytes of a file in one message, where base64 makes them a third
// longer.
const maxChunk = 512 << 10

// A Service is a rank's connection to the rendezvous for requests: its job, the time, and
// files that it cannot access directly. It is safe for concurrent use.
type Service struct {
	mu   sync.Mutex
	line *line
	here net.Addr // this end
}

// OpenService connects to the rendezvous of info.
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

// ask sends a request and waits for the reply. If ctx ends, the connection is closed.
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

// Enlist tells the rendezvous about this process and waits for a rank and a job. A
// *CanceledError says why there is none.
func (s *Service) Enlist(ctx context.Context, m Member) (rank int, brief json.RawMessage, err error) {
	r, err := s.ask(ctx, request{Op: opEnlist, Member: &m})
	return r.Rank, r.Brief, err
}

// Fail tells the rendezvous why this process cannot join the others.
func (s *Service) Fail(err error) {
	// The error is ignored: the rendezvous may be gone.
	_, _ = s.ask(context.Background(), request{Op: opFail, Text: oneLine(err.Error())})
}

// Ready is a barrier for all enlisted ranks, once in a run. A *CanceledError says that the
// run has failed.
func (s *Service) Ready(ctx context.Context) error {
	_, err := s.ask(ctx, request{Op: opReady})
	return err
}

// Here is this host's address on the connection to the rendezvous, without the port. This
// rank can listen there for other ranks.
func (s *Service) Here() string {
	host, _, err := net.SplitHostPort(s.here.String())
	if err != nil {
		panic("BUG: a TCP address without a port")
	}
	return host
}

// Clock returns the time of the rendezvous, in nanoseconds.
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

// Close closes the connection.
func (s *Service) Close() error { return s.line.conn.Close() }
