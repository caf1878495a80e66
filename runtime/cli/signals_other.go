//go:build !unix

package cli

import "os"

// keepSignals would ask a run for a checkpoint: these systems have none.
var keepSignals []os.Signal
