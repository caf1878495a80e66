package shm

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"loopc/runtime/transport"
)

// A waiter polls, then alternates polls and yields, then sleeps. The constants have the
// values of transport.Counter, for the same reasons.
const (
	maxSpinTime   = 10 * time.Microsecond
	firstPolls    = 1000
	pollsPerRound = 32
	minSpinRounds = 2
	maxSpinRounds = 64

	// longestSleep is the time after which a sleeper polls without being woken. This is
	// necessary only if a faulty peer changes the futex.
	longestSleep = 200 * time.Millisecond
)

// Operations of the futex system call. Without FUTEX_PRIVATE_FLAG they work between
// processes.
const (
	futexWait = 0
	futexWake = 1
)

// A waiter waits for a count that the peer advances, in the memory of an edge. One
// goroutine waits; any goroutine may call Fail or End.
type waiter struct {
	memory atomic.Pointer[shared] // nil until it is mapped
	ending transport.Ending
	most   int // bound for spinning, 0 if nothing else could run meanwhile
	spin   int // rounds to spin next time

	// count and asleep are the peer's count and our futex in the memory.
	count  func(*shared) *atomic.Uint64
	asleep func(*shared) *atomic.Uint32
}

// init makes w ready.
func (w *waiter) init() {
	if runtime.GOMAXPROCS(0) > 1 && runtime.NumCPU() > 1 {
		w.most, w.spin = maxSpinRounds, maxSpinRounds
	}
}

// Fail makes every operation return err from now on. Only the first call has an effect.
func (w *waiter) Fail(err error) {
	w.ending.Fail(err)
	w.rouse()
}

// End declares the count final: only a wait for more returns err.
func (w *waiter) End(err error) {
	w.ending.Finish(err)
	w.rouse()
}

// broken returns the error given to Fail, or nil.
func (w *waiter) broken() error { return w.ending.Failure() }

// rouse wakes the waiter, even if it is only about to sleep.
func (w *waiter) rouse() {
	if m := w.memory.Load(); m != nil {
		word := w.asleep(m)
		word.Store(0)
		wakeUp(word)
		runtime.KeepAlive(m)
	}
}

// wait waits until the count, last seen at base, is greater, and returns it. A count above
// base+limit is ErrProtocol. The other errors are those of Fail and End, and the cause of
// ctx's end.
func (w *waiter) wait(ctx context.Context, base, limit uint64) (uint64, error) {
	m := w.memory.Load()
	count := w.count(m)
	if n, done, err := w.poll(count, base, limit); done {
		return n, err
	}
	var begun time.Time
	polls := firstPolls
	for range w.spin {
		for range polls {
			if count.Load() != base {
				break
			}
		}
		if n, done, err := w.poll(count, base, limit); done {
			w.spin = min(2*w.spin, w.most)
			return n, err
		}
		if polls == firstPolls {
			begun, polls = time.Now(), pollsPerRound
		} else if time.Since(begun) > maxSpinTime {
			break
		}
		runtime.Gosched()
	}
	if begun.IsZero() {
		begun = time.Now()
	}
	n, err := w.sleep(ctx, m, base, limit)
	// If the event came soon after the sleep began, the waiter polls for longer next time.
	// Otherwise two ranks that wait for each other could sleep every time, because an
	// answer takes as long as a wake-up.
	if time.Since(begun) < 2*maxSpinTime {
		w.spin = w.most
	} else {
		w.spin = min(w.most, max(w.spin/2, minSpinRounds))
	}
	return n, err
}

// sleep is the second part of wait.
func (w *waiter) sleep(ctx context.Context, m *shared, base, limit uint64) (uint64, error) {
	defer runtime.KeepAlive(m)
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, w.rouse)()
	}
	count, word := w.count(m), w.asleep(m)
	for {
		word.Store(1)
		// This poll sees a store of the count, a stop, or the end of ctx that precedes the
		// setting of the word. A later one finds the word set and clears it, and the kernel
		// does not let a waiter sleep on a cleared word.
		n, done, err := w.poll(count, base, limit)
		if !done && ctx.Err() != nil {
			done, err = true, context.Cause(ctx)
		}
		if done {
			word.Store(0)
			return n, err
		}
		pause := syscall.NsecToTimespec(int64(longestSleep))
		// The result does not matter: the loop polls again.
		_, _, _ = syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, 1, uintptr(unsafe.Pointer(&pause)), 0, 0)
	}
}

// poll reports whether waiting is over, and the error. It reads the count once.
func (w *waiter) poll(count *atomic.Uint64, base, limit uint64) (n uint64, done bool, err error) {
	ended, failed := w.ending.Load() // before the count, so that counts before the end are seen
	if failed {
		return 0, true, ended
	}
	n = count.Load()
	switch {
	case n-base > limit: // also if the count has decreased
		err := fmt.Errorf("%w: the peer's count went from %d to %d, by at most %d expected", transport.ErrProtocol, base, n, limit)
		w.Fail(err)
		return 0, true, err
	case n != base:
		return n, true, nil
	}
	return 0, ended != nil, ended
}

// wake wakes the other side if it sleeps on word.
func wake(word *atomic.Uint32) {
	if word.Load() != 0 && word.Swap(0) != 0 {
		wakeUp(word)
	}
}

// wakeUp is the system call of wake.
func wakeUp(word *atomic.Uint32) {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1, 0, 0, 0) // cannot fail on a mapped word
}
