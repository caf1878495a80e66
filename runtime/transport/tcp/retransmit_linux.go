package tcp

import (
	"net"
	"syscall"
	"time"
)

// tcpRTOMax is the option TCP_RTO_MAX_MS of Linux 6.15 and later: the greatest interval
// between two retransmissions of unacknowledged data, from 1 s to 120 s. Without it the
// interval doubles with each attempt.
const tcpRTOMax = 44

// retryWithin bounds the retransmission interval of conn, and reports whether the system
// supports this.
func retryWithin(conn net.Conn, most time.Duration) bool {
	if c, ok := conn.(interface{ NetConn() net.Conn }); ok { // a TLS connection
		conn = c.NetConn()
	}
	c, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	var refused error
	err = raw.Control(func(fd uintptr) {
		refused = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpRTOMax, int(most.Milliseconds()))
	})
	return err == nil && refused == nil
}
