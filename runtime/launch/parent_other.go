//go:build !linux

package launch

import "os/exec"

// dieWithParent does nothing here: the rank notices that its control channel breaks.
func dieWithParent(*exec.Cmd) {}

// EndsWithParent is false here.
func EndsWithParent() bool { return false }

// EndWithParent does nothing here.
func EndWithParent(*exec.Cmd) {}
