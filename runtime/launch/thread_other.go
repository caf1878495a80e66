//go:build !linux

package launch

import (
	"errors"
	"time"
)

// longSlice has no effect on these systems.
const longSlice = 0

// currentCPU returns -1: unknown.
func currentCPU() int { return -1 }

// moveThread is supported on Linux only.
func moveThread(int, []byte) error { return errors.ErrUnsupported }

// setTimeSlice is supported on Linux only.
func setTimeSlice(time.Duration) error { return errors.ErrUnsupported }
