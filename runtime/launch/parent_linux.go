package launch

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill the process when the thread that starts it
// ends, whatever it was doing.
func dieWithParent(cmd *exec.Cmd) { onParentsEnd(cmd, syscall.SIGKILL) }

// EndWithParent has the kernel tell the process to end when the thread that starts
// it ends: the caller locks its goroutine to that. Elsewhere than on Linux it does
// nothing.
func EndWithParent(cmd *exec.Cmd) { onParentsEnd(cmd, syscall.SIGTERM) }

func onParentsEnd(cmd *exec.Cmd, signal syscall.Signal) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = signal
}
