package main

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

// A schedAttr is struct sched_attr of the kernel, in its first version.
type schedAttr struct {
	size, policy            uint32
	flags                   uint64
	nice                    int32
	priority                uint32
	slice, deadline, period uint64
}

// setSchedAttr has the number of sched_setattr by architecture.
var setSchedAttr = map[string]uintptr{"amd64": 314, "arm64": 274}

// urgent gives all threads of this process, and what they start, the most weight, and
// slices of 0.1 ms, so that who wakes up need not wait for who computes. It is no
// failure where it is refused: times are less exact then. (Real-time scheduling would
// let a rank that starts hold up the others for 100 ms.)
func urgent() {
	a := schedAttr{nice: -20, slice: 100_000}
	a.size = uint32(unsafe.Sizeof(a))
	number, known := setSchedAttr[runtime.GOARCH]
	if !known {
		return
	}
	tasks, _ := os.ReadDir("/proc/self/task") // none: then it is refused
	for _, t := range tasks {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_, _, _ = syscall.Syscall(number, uintptr(id), uintptr(unsafe.Pointer(&a)), 0)
		}
	}
}
