package launch

import (
	"runtime"
	"testing"
)

// TestUseProcessors asks for processors: more than there are come and go, fewer take
// none away.
func TestUseProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, c := range []struct{ workers, others, want int }{{1, 0, 2}, {1, 1, 2}, {2, 0, 2}, {2, 1, 3}, {5, 0, 5}} {
		undo := UseProcessors(c.workers, c.others)
		if got := runtime.GOMAXPROCS(0); got != c.want {
			t.Errorf("%d processors for %d workers and %d others, want %d", got, c.workers, c.others, c.want)
		}
		undo()
		if got := runtime.GOMAXPROCS(0); got != 2 {
			t.Errorf("%d processors after %d workers and %d others, 2 before", got, c.workers, c.others)
		}
	}
}
