//go:build !windows

package launch_test

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// alive says whether a process exists and is not a zombie: whoever inherits the
// orphans of a killed launcher may not care for them.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil && bytes.Contains(stat, []byte(") Z ")) {
		return false
	}
	return syscall.Kill(pid, 0) == nil
}
