package launch

import (
	"syscall"
	"unsafe"
)

// affinity returns the CPUs that this process may run on, nil if the kernel does
// not tell.
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
