package launch

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

var kept []byte

// collections returns how often allocate had garbage collected.
func collections(allocate func()) uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	allocate()
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

// alone is set in the process in which TestUncollected runs.
const alone = "LOOPC_TEST_UNCOLLECTED"

// TestUncollected allocates many times the memory in use. The garbage collector must not run while
// a run computes, unless the run takes far more memory than planned, and afterwards the settings
// must be as before. It runs in a process of its own: after collections of much garbage, those of other tests, Go begins the next
// one long before the limit.
func TestUncollected(t *testing.T) {
	if os.Getenv(alone) == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), alone+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	percent := debug.SetGCPercent(100)
	defer debug.SetGCPercent(percent)
	limit := debug.SetMemoryLimit(-1)
	many := func() {
		for range 64 {
			kept = make([]byte, 1<<20)
		}
	}
	undo := Uncollected(64 << 20)
	if n := collections(many); n > 0 {
		t.Errorf("garbage was collected %d times during a run", n)
	}
	first := debug.SetMemoryLimit(-1)
	for range 8 {
		many()
		runtime.GC()
		time.Sleep(20 * time.Millisecond) // the limit is set a little later
	}
	if is := debug.SetMemoryLimit(-1); is > first {
		t.Errorf("512 MiB of garbage have raised the limit from %d to %d MiB, although nothing stays", first>>20, is>>20)
	}
	if n := collections(func() {
		for range 16 {
			many()
		}
	}); n == 0 {
		t.Error("nothing is collected however much is allocated")
	}
	// What stays and was not planned is not collected again for each few bytes.
	var stays [][]byte
	for range 256 {
		stays = append(stays, make([]byte, 1<<20))
	}
	if n := collections(func() {
		for range 4 {
			many()
		}
	}); n > 10 {
		t.Errorf("256 MiB that stay have 256 MiB of garbage collected %d times", n)
	}
	runtime.KeepAlive(stays)
	undo()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("after a run the percentage is %d, not 100", got)
	}
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("after a run the limit is %d, not %d", got, limit)
	}
	runtime.GC() // what stayed
	if n := collections(many); n == 0 {
		t.Error("the test would find nothing: what it allocates is not collected without a run either")
	}
	Uncollected(math.MaxInt64)()
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("a need without bound leaves the limit %d, not %d", got, limit)
	}
}
