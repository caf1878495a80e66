package launch

import (
	"errors"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// longSlice is the time slice for workers, far above the system's default.
const longSlice = 20 * time.Millisecond

// schedAttr is the kernel's struct sched_attr, first version.
type schedAttr struct {
	size, policy              uint32
	flags                     uint64
	nice                      int32
	priority                  uint32
	runtime, deadline, period uint64 // nanoseconds
}

// Numbers of system calls that are not in package syscall.
var (
	sysGetCPU  = map[string]uintptr{"amd64": 309, "arm64": 168}[runtime.GOARCH]
	sysSetAttr = map[string]uintptr{"amd64": 314, "arm64": 274}[runtime.GOARCH]
	sysGetAttr = map[string]uintptr{"amd64": 315, "arm64": 275}[runtime.GOARCH]
)

// currentCPU returns the CPU of this thread, or -1 if the kernel does not say.
func currentCPU() int {
	var cpu uint32
	if sysGetCPU == 0 {
		return -1
	}
	if _, _, errno := syscall.RawSyscall(sysGetCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return -1
	}
	return int(cpu)
}

// moveThread moves this thread to cpu, and then lets it run on all CPUs of mask.
func moveThread(cpu int, mask []byte) error {
	one := make([]byte, len(mask))
	one[cpu/8] = 1 << (cpu % 8)
	for _, m := range [][]byte{one, mask} {
		if err := setAffinity(m); err != nil {
			return err
		}
	}
	return nil
}

// setTimeSlice asks for a time slice for this thread; zero is the default. Its scheduling
// policy stays the same.
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
