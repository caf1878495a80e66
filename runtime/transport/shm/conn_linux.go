package shm

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"

	"loopc/runtime/transport"
	"loopc/runtime/transport/tcp"
)

// mostWaiting bounds the received descriptors that no frame has claimed. Each descriptor
// arrives with its frame, and one read receives fewer frames than this.
const mostWaiting = 1000

// A conn is a connection to a rank of this host that passes the descriptors of
// edges' memory together with frames.
type conn struct {
	*net.UnixConn
	control []byte // of received messages; nil before Trust: the kernel drops descriptors

	mu      sync.Mutex
	waiting []*os.File // received, in order
	closed  bool
}

var _ tcp.LocalConn = (*conn)(nil)

// Trust implements tcp.LocalConn.
func (c *conn) Trust() { c.control = make([]byte, syscall.CmsgSpace(253*4)) }

// Read implements net.Conn and stores the received descriptors.
func (c *conn) Read(b []byte) (int, error) {
	if c.control == nil {
		return c.UnixConn.Read(b)
	}
	n, control, flags, _, err := c.ReadMsgUnix(b, c.control)
	if errors.Is(err, io.EOF) {
		return n, io.EOF
	}
	if err == nil && control > 0 {
		err = c.keep(c.control[:control])
	}
	if err == nil && flags&syscall.MSG_CTRUNC != 0 {
		err = errors.New("shm: no more descriptors can be received")
	}
	return max(0, n), err // n is -1 if the peer has reset the connection
}

// keep stores the descriptors from control messages.
func (c *conn) keep(control []byte) error {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return fmt.Errorf("%w: %w", transport.ErrProtocol, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range messages {
		fds, err := syscall.ParseUnixRights(&m)
		if err != nil {
			continue // not descriptors
		}
		for _, fd := range fds {
			file := os.NewFile(uintptr(fd), "memory of a peer")
			if c.closed || len(c.waiting) >= mostWaiting {
				err = errors.Join(err, file.Close())
				continue
			}
			c.waiting = append(c.waiting, file)
		}
		if err != nil {
			return err
		}
	}
	if len(c.waiting) >= mostWaiting {
		return fmt.Errorf("%w: %d descriptors without a frame", transport.ErrProtocol, len(c.waiting))
	}
	return nil
}

// File implements tcp.LocalConn.
func (c *conn) File() *os.File {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		return nil
	}
	file := c.waiting[0]
	c.waiting = c.waiting[1:]
	return file
}

// WriteFile implements tcp.LocalConn.
func (c *conn) WriteFile(b []byte, file *os.File) error {
	n, _, err := c.WriteMsgUnix(b, syscall.UnixRights(int(file.Fd())), nil)
	if err == nil && n < len(b) {
		_, err = c.Write(b[n:])
	}
	return err
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.mu.Lock()
	c.closed = true
	for _, f := range c.waiting {
		_ = f.Close() // unused
	}
	c.waiting = nil
	c.mu.Unlock()
	return c.UnixConn.Close()
}

// NewRecv implements tcp.LocalConn.
func (c *conn) NewRecv(rank int, e transport.Edge) (tcp.LocalRecv, *os.File, error) {
	s, file, err := create(e.Capacity, e.Slots)
	if err != nil {
		return nil, nil, err
	}
	return newRecv(rank, e, s), file, nil
}

// NewSend implements tcp.LocalConn.
func (c *conn) NewSend(rank int, e transport.Edge) tcp.LocalSend { return newSend(rank, e) }
