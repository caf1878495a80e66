package irtest

import (
	"os"
	"runtime/debug"
	"strconv"
)

// collectPercent is GOGC: how much is allocated between two collections, in percent of the memory in use.
const collectPercent = 400

// Tests compile thousands of nests and keep little of them, so their processes, and those that they start,
// collect garbage rarely, unless the environment says how often.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectPercent)
		os.Setenv("GOGC", strconv.Itoa(collectPercent))
	}
}
