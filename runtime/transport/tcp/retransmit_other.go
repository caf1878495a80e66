//go:build !linux

package tcp

import (
	"net"
	"time"
)

// retryWithin returns false: not supported here.
func retryWithin(net.Conn, time.Duration) bool { return false }
