package transport

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"loopc/testdata/lacking"
)

// A patient waiter still polls long after others have parked, is there at once when the
// count grows, and parks in the end.
func TestPatient(t *testing.T) {
	if runtime.NumCPU() < 2 {
		lacking.Skip(t, "nobody polls on a single CPU")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	// waits reports whether the waiter of a counter has parked after a while, before the
	// counter grows.
	waits := func(patient bool, while time.Duration) (parked bool) {
		c := NewCounter(0)
		if patient {
			c.Patient(2)
		}
		var waiting atomic.Bool
		done := make(chan error)
		go func() {
			waiting.Store(true)
			done <- c.Wait(t.Context(), 1)
		}()
		for !waiting.Load() {
			runtime.Gosched()
		}
		for began := time.Now(); time.Since(began) < while; {
			runtime.Gosched()
		}
		parked = c.parked.Load()
		c.Advance(1)
		if err := <-done; err != nil {
			t.Error(err)
		}
		return parked
	}
	// The machine may be busy with something else.
	eventually := func(want, patient bool, while time.Duration) bool {
		for range 20 {
			if waits(patient, while) == want {
				return true
			}
		}
		return false
	}
	if !eventually(true, false, patience/4) {
		t.Error("a waiter that is not patient never parks")
	}
	if !eventually(false, true, patience/4) {
		t.Error("a patient waiter parks at once")
	}
	if !eventually(true, true, 10*patience) {
		t.Error("a patient waiter never parks")
	}
}

// Where the clock stands still a patient waiter parks as well, and it hears of an end.
func TestPatientWithoutClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCounter(0)
		c.Patient(2)
		enough := errors.New("enough")
		done := make(chan error, 1)
		go func() { done <- c.Wait(t.Context(), 1) }()
		synctest.Wait()
		c.Fail(enough)
		if err := <-done; !errors.Is(err, enough) {
			t.Errorf("waiting ended with %v", err)
		}
	})
}
