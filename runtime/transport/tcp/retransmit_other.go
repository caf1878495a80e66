//go:build !linux

package tcp

import (
	"net"
	"time"
)

// retryWithin reports that the system does as it likes.
func retryWithin(net.Conn, time.Duration) bool { return false }
