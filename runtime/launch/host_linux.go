package launch

import (
	"syscall"
	"unsafe"
)

// setAffinity binds this thread to the CPUs of a mask, in the format of affinity.
func setAffinity(mask []byte) error {
	var words [maxMaskBytes / unsafe.Sizeof(uintptr(0))]uintptr // the kernel's unit
	for k, b := range mask {
		words[k/int(unsafe.Sizeof(uintptr(0)))] |= uintptr(b) << (8 * (k % int(unsafe.Sizeof(uintptr(0)))))
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(words), uintptr(unsafe.Pointer(&words)))
	if errno != 0 {
		return errno
	}
	return nil
}

// affinity returns the CPUs that this process may run on, or nil if the kernel does not
// say.
func affinity() []byte {
	var mask [maxMaskBytes]byte
	n, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, uintptr(len(mask)), uintptr(unsafe.Pointer(&mask)))
	if errno != 0 {
		return nil
	}
	words := (*[maxMaskBytes / unsafe.Sizeof(uintptr(0))]uintptr)(unsafe.Pointer(&mask)) // the kernel's unit
	var out []byte
	for k := range int(n) / int(unsafe.Sizeof(uintptr(0))) {
		for b := range int(unsafe.Sizeof(uintptr(0))) {
			out = append(out, byte(words[k]>>(8*b)))
		}
	}
	for len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return out
}
