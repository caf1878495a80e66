//go:build !linux

package launch

import "os/exec"

// dieWithParent does nothing: on these systems, a rank notices that its control channel breaks.
func dieWithParent(*exec.Cmd) {}

// EndsWithParent is false: on these systems, a process outlives its parent.
func EndsWithParent() bool { return false }

// EndWithParent does nothing, see EndsWithParent.
func EndWithParent(*exec.Cmd) {}
