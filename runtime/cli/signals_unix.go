//go:build unix

package cli

import (
	"os"
	"syscall"
)

// keepSignals ask a run for a checkpoint.
var keepSignals = []os.Signal{syscall.SIGUSR1}
