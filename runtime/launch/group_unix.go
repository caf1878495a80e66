//go:build unix

package launch

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the command into its own process group, so that it does not receive the
// terminal's signals: this process decides when the command ends.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
}
