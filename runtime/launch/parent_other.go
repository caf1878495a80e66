//go:build !linux

package launch

import "os/exec"

// dieWithParent does nothing where the kernel offers nothing: the rank sees its
// control channel break.
func dieWithParent(*exec.Cmd) {}

// EndWithParent does nothing here.
func EndWithParent(*exec.Cmd) {}
