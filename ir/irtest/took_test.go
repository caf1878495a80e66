package irtest

import (
	"runtime"
	"testing"
	"time"
)

// TestTook requires that computing counts, and that waiting does not where it can be
// told apart.
func TestTook(t *testing.T) {
	const span = 100 * time.Millisecond
	if took := Took(func() { time.Sleep(span) }); runtime.GOOS != "windows" && took > span/2 {
		t.Errorf("sleeping for %v took %v", span, took)
	}
	computed := Took(func() {
		for begun := processTime(); processTime()-begun < span; {
		}
	})
	if computed < span*9/10 { // other threads of this process compute a little
		t.Errorf("computing for %v took %v", span, computed)
	}
}
