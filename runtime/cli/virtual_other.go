//go:build !linux

package cli

import "time"

// rest sleeps for d, as exactly as the system can.
func rest(d time.Duration) { time.Sleep(d) }
