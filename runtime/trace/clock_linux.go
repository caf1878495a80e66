package trace

import (
	"syscall"
	"time"
	"unsafe"
)

// hostClock reads CLOCK_MONOTONIC, in nanoseconds.
func hostClock() int64 {
	const clockMonotonic = 1
	var ts syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		return time.Now().UnixNano() // the call fails in every process or in none
	}
	return ts.Nano()
}
