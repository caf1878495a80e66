//go:build !linux

package bench

import (
	"os/exec"
	"runtime"
)

// processors returns numbers for the processors of this machine.
func processors() []int {
	list := make([]int, runtime.NumCPU())
	for k := range list {
		list[k] = k
	}
	return list
}

// startOn starts the command; which processors it runs on is the system's choice
// here.
func startOn(cmd *exec.Cmd, _ []int) error { return cmd.Start() }
