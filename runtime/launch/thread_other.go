//go:build !linux

package launch

import (
	"errors"
	"time"
)

// longSlice is of no use here.
const longSlice = 0

// currentCPU does not know.
func currentCPU() int { return -1 }

// moveThread cannot move anything here.
func moveThread(int, []byte) error { return errors.ErrUnsupported }

// setTimeSlice cannot ask for anything here.
func setTimeSlice(time.Duration) error { return errors.ErrUnsupported }
