package frontend

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has fewer collections: tests compile thousands of files, and there is little to keep.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
