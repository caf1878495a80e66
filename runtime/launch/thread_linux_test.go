package launch

import (
	"bytes"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"loopc/testdata/lacking"
)

// TestSeats: a worker that begins on a CPU that another worker has moves to a free one, and may run
// on all CPUs afterwards. If no CPU is free, it stays.
func TestSeats(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := affinity()
	var cpus []int
	for k := range 8 * len(before) {
		if before[k/8]>>(k%8)&1 == 1 {
			cpus = append(cpus, k)
		}
	}
	if currentCPU() < 0 || len(cpus) < 2 {
		lacking.Skip(t, "no two CPUs, or the kernel does not tell of them")
	}
	for _, free := range cpus {
		moved := false
		for range 20 { // the thread is not pinned: the system may move it at once
			s := Seats{taken: map[int]bool{}}
			for _, k := range cpus {
				s.taken[k] = k != free
			}
			release := s.Take()
			moved = moved || currentCPU() == free
			if after := affinity(); !bytes.Equal(after, before) {
				t.Fatalf("the thread may run on %x, before on %x", after, before)
			}
			if got := s.seat(free); got != -1 {
				t.Errorf("a seat on CPU %d where there is none", got)
			}
			if release(); s.taken[free] {
				t.Errorf("CPU %d is taken after release", free)
			}
		}
		if !moved {
			t.Errorf("the thread has never been on CPU %d", free)
		}
	}
}

// A worker's thread has the long slice while it computes, and is the goroutine's
// own.
func TestComputeThread(t *testing.T) {
	if sysGetAttr == 0 {
		lacking.Skip(t, "the system call's number is not known here")
	}
	slice := func() time.Duration {
		attr := schedAttr{}
		if _, _, errno := syscall.RawSyscall6(sysGetAttr, 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0, 0, 0); errno != 0 {
			t.Fatal(errno)
		}
		return time.Duration(attr.runtime)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := slice()
	if before == 0 {
		// Kernels before 6.12: nothing that an installation could mend.
		t.Skip("this kernel has no time slices to choose")
	}
	thread := syscall.Gettid()
	release := ComputeThread()
	runtime.Gosched()
	if got := slice(); got != longSlice || syscall.Gettid() != thread {
		t.Errorf("slice %v on thread %d, want %v on %d", got, syscall.Gettid(), longSlice, thread)
	}
	release()
	if got := slice(); got != before {
		t.Errorf("slice %v after release, %v before", got, before)
	}
}
