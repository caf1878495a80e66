package launch

import (
	"errors"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// longSlice is the time slice of a worker, far above the 3 ms of everybody.
const longSlice = 20 * time.Millisecond

// schedAttr is the kernel's struct sched_attr, first version.
type schedAttr struct {
	size, policy              uint32
	flags                     uint64
	nice                      int32
	priority                  uint32
	runtime, deadline, period uint64 // nanoseconds
}

// The numbers of two system calls that package syscall does not have.
var (
	sysSetAttr = map[string]uintptr{"amd64": 314, "arm64": 274}[runtime.GOARCH]
	sysGetAttr = map[string]uintptr{"amd64": 315, "arm64": 275}[runtime.GOARCH]
)

// setTimeSlice asks for a time slice for this thread; zero is the default. The
// rest of how it is scheduled stays as it is.
func setTimeSlice(slice time.Duration) error {
	if sysSetAttr == 0 {
		return errors.ErrUnsupported
	}
	var attr schedAttr
	size := unsafe.Sizeof(attr)
	if _, _, errno := syscall.RawSyscall6(sysGetAttr, 0, uintptr(unsafe.Pointer(&attr)), size, 0, 0, 0); errno != 0 {
		return errno
	}
	attr.runtime = uint64(slice)
	if _, _, errno := syscall.RawSyscall(sysSetAttr, 0, uintptr(unsafe.Pointer(&attr)), 0); errno != 0 {
		return errno
	}
	return nil
}
