// Package lacking ends tests where the machine lacks what they need: a tool, a file system, a
// processor. A user's test is skipped; in CI, where CI=true and all of that is to be there, it fails, so
// that nothing stays untested unseen. What no machine has, such as assembly under the race detector,
// is skipped by the tests themselves.
package lacking

import (
	"fmt"
	"os"
	"testing"
)

// Skip ends a test, and says what is lacking.
func Skip(t testing.TB, what ...any) {
	t.Helper()
	if inCI() {
		t.Fatal(what...)
	}
	t.Skip(what...)
}

// Skipf is Skip with a format.
func Skipf(t testing.TB, format string, args ...any) {
	t.Helper()
	Skip(t, fmt.Sprintf(format, args...))
}

// Note does what Skip does, for a part of a test: the rest goes on.
func Note(t testing.TB, what ...any) {
	t.Helper()
	if inCI() {
		t.Error(what...)
		return
	}
	t.Log(what...)
}

func inCI() bool { return os.Getenv("CI") == "true" }
