package launch

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"loopc/testdata/lacking"
)

// monitorOf returns the thread of the scheduler's monitor, whose policy is the usual one again
// when the test ends.
func monitorOf(t *testing.T) int {
	t.Helper()
	id := monitor()
	if id <= os.Getpid() {
		t.Fatalf("the monitor is thread %d of process %d", id, os.Getpid())
	}
	if err := setPolicy(id, schedOther); err != nil {
		lacking.Skipf(t, "the system lets no thread have another policy: %v", err)
	}
	t.Cleanup(func() { _ = setPolicy(id, schedOther) })
	return id
}

// TestLetMonitorWait: the monitor's thread gets another scheduling policy, and main's does not.
func TestLetMonitorWait(t *testing.T) {
	id := monitorOf(t)
	LetMonitorWait()
	if got := policyOf(id); got != schedBatch {
		t.Errorf("the monitor's policy is %d, want %d", got, schedBatch)
	}
	if got := policyOf(os.Getpid()); got != schedOther {
		t.Errorf("the policy of main's thread is %d, want %d", got, schedOther)
	}
}

// TestLetMonitorWaitChosen: a scheduling policy that the user has chosen stays.
func TestLetMonitorWaitChosen(t *testing.T) {
	const idle = 5
	id := monitorOf(t)
	if err := setPolicy(id, idle); err != nil {
		t.Fatal(err)
	}
	LetMonitorWait()
	if got := policyOf(id); got != idle {
		t.Errorf("the monitor's policy is %d, want %d", got, idle)
	}
}

// TestTakeInterrupts: a worker on a thread with the monitor's scheduling policy gets the policy of
// the main thread.
func TestTakeInterrupts(t *testing.T) {
	monitorOf(t)
	elsewhere(func() {
		if err := setPolicy(0, schedBatch); err != nil {
			t.Error(err)
			return
		}
		defer new(Seats).Take()()
		if got := policyOf(0); got != schedOther {
			t.Errorf("the worker's policy is %d, want %d", got, schedOther)
		}
	})
}

// elsewhere calls f on a thread that is not main's, and ends with f.
func elsewhere(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if syscall.Gettid() == os.Getpid() {
			elsewhere(f)
			runtime.UnlockOSThread()
			return
		}
		f()
	}()
	<-done
}
