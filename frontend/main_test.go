package frontend

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestMain spares the tests of this package, which compile tens of thousands of small programs, most of the
// garbage collector's work: the profile of memory, which the collector brings up to date each time, and four of five collections.
func TestMain(m *testing.M) {
	runtime.MemProfileRate = 0
	debug.SetGCPercent(500)
	os.Exit(m.Run())
}
