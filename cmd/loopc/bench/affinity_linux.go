package bench

import (
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"
)

// A cpuMask is the kernel's cpu_set_t.
type cpuMask [16]uint64

// affinity returns the processors on which this thread may run.
func affinity() (mask cpuMask, err error) {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	if errno != 0 {
		return mask, errno
	}
	return mask, nil
}

// setAffinity changes the processors on which this thread, and the processes that it
// starts, may run.
func setAffinity(mask *cpuMask) error {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(*mask), uintptr(unsafe.Pointer(mask)))
	if errno != 0 {
		return errno
	}
	return nil
}

// processors returns the processors that this process may use.
func processors() []int {
	mask, err := affinity()
	var list []int
	for k := range len(mask) * 64 {
		if err == nil && mask[k/64]>>(k%64)&1 == 1 {
			list = append(list, k)
		}
	}
	return list
}

// startOn starts the command on the given processors alone.
func startOn(cmd *exec.Cmd, cpus []int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := affinity()
	if err != nil {
		return err
	}
	var mask cpuMask
	for _, k := range cpus {
		mask[k/64] |= 1 << (k % 64)
	}
	if err := setAffinity(&mask); err != nil {
		return err
	}
	err = cmd.Start()
	if undo := setAffinity(&before); err == nil {
		err = undo
	}
	return err
}
