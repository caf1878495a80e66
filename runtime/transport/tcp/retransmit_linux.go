package tcp

import (
	"net"
	"syscall"
	"time"
)

// tcpRTOMax is the option TCP_RTO_MAX_MS of Linux 6.15 and later: the longest time between
// two attempts of the system to send what was not acknowledged, from 1 s to 120 s. Without
// it that time doubles with each attempt.
const tcpRTOMax = 44

// retryWithin has the system try again within the time, as long as what was sent over conn
// does not arrive, and reports whether it does.
func retryWithin(conn net.Conn, most time.Duration) bool {
	if c, ok := conn.(interface{ NetConn() net.Conn }); ok { // of TLS
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
