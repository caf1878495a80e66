//go:build !linux

package launch

import (
	"errors"
	"time"
)

// longSlice has no effect here.
const longSlice = 0

// currentCPU returns -1: unknown.
func currentCPU() int { return -1 }

// moveThread is not supported here.
func moveThread(int, []byte) error { return errors.ErrUnsupported }

// setTimeSlice is not supported here.
func setTimeSlice(time.Duration) error { return errors.ErrUnsupported }
