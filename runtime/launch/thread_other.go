//go:build !linux

package launch

import (
	"errors"
	"time"
)

// longSlice is of no use here.
const longSlice = 0

// setTimeSlice cannot ask for anything here.
func setTimeSlice(time.Duration) error { return errors.ErrUnsupported }
