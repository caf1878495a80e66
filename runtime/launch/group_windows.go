package launch

import "os/exec"

// ownGroup does nothing here.
func ownGroup(*exec.Cmd) {}
