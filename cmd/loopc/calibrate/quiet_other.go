//go:build !linux

package calibrate

import (
	"runtime"
	"time"
)

// cpuTime is not known here.
func cpuTime() (worked time.Duration, known bool) { return 0, false }

// cpuModel names the kind of CPU.
func cpuModel() string { return runtime.GOARCH }

// othersRun returns false: it is not known on this system whether others use the CPUs.
func othersRun() bool { return false }
