package launch

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A worker's thread has the long slice while it computes, and is the goroutine's
// own.
func TestComputeThread(t *testing.T) {
	if sysGetAttr == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("the system call's number is not known here")
		}
		t.Skip("the system call's number is not known here")
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
