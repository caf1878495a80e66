//go:build !linux

package trace

import "time"

// hostClock reads the wall clock, in nanoseconds.
func hostClock() int64 { return time.Now().UnixNano() }
