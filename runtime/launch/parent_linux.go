package launch

import (
	"os/exec"
	"syscall"
	"unsafe"
)

// EndsWithParent reports whether the kernel sends this process a signal when its parent ends. On
// systems other than Linux it does not.
func EndsWithParent() bool {
	var signal int32
	_, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&signal)), 0)
	return failed == 0 && signal != 0
}

// dieWithParent makes the kernel kill the process when the thread that starts it ends.
func dieWithParent(cmd *exec.Cmd) { onParentsEnd(cmd, syscall.SIGKILL) }

// EndWithParent makes the kernel send SIGTERM to the process when the thread that starts it
// ends. The caller must lock its goroutine to this thread. On systems other than Linux it
// does nothing.
func EndWithParent(cmd *exec.Cmd) { onParentsEnd(cmd, syscall.SIGTERM) }

func onParentsEnd(cmd *exec.Cmd, signal syscall.Signal) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = signal
}
