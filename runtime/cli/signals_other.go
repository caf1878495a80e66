//go:build !unix

package cli

import "os"

// keepSignals would ask a run for a checkpoint: here there are none.
var keepSignals []os.Signal
