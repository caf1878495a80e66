//go:build !linux

package transport

import "runtime"

// yieldThread yields to other goroutines, because no portable call yields to other threads.
func yieldThread() { runtime.Gosched() }
