//go:build !linux

package transport

import "runtime"

// yieldThread lets others run; the system has no call for it that is the same everywhere.
func yieldThread() { runtime.Gosched() }
