//go:build unix

package launch

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps from the command what a terminal sends to all processes of this one's
// group: this process decides when the command ends.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
}
