//go:build !linux

package tcp

import (
	"net"
	"time"
)

// retryWithin returns false: these systems have no such option.
func retryWithin(net.Conn, time.Duration) bool { return false }
