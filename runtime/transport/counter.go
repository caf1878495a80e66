package transport

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// A waiter polls, then alternates polls and yields, then parks. maxSpinRounds takes about maxSpinTime, which is twice the cost of waking a
// parked goroutine: longer spinning only takes the CPU from others [note waiting]. minSpinRounds applies if spinning has not helped
// recently.
//
// A goroutine that is locked to its thread hands its processor (P) to another thread when it yields. This is slow, so the first polls do
// not yield, and both time and rounds are limited. Time alone would be no limit in tests that have stopped the clock.
const (
	maxSpinTime   = 10 * time.Microsecond
	firstPolls    = 1000
	pollsPerRound = 32
	minSpinRounds = 2
	maxSpinRounds = 64
)

// A patient waiter polls for much longer before it parks, and yields its CPU to other threads in between: see Counter.Patient. The limit of
// rounds is for tests that have stopped the clock; otherwise patience is reached first.
const (
	patience      = time.Millisecond
	patientRounds = 10000
)

// A Counter counts events of one goroutine for which another goroutine waits: posted faces, credits, acknowledgements. It never decreases.
// One goroutine advances it and one waits; neither allocates.
//
// The waiter spins a bounded number of times and then parks. A goroutine that wakes a parked waiter yields right afterwards. Otherwise the
// waiter stays in the scheduler's runnext slot until another P steals it, tens of microseconds later [note waiting].
type Counter struct {
	_      [64]byte // the counters of one ring must not share a cache line
	n      atomic.Uint64
	parked atomic.Bool
	_      [48]byte
	// The waiter reads it in each poll; it is written at most once.
	ending Ending
	wake   chan struct{} // a token whenever the other side has set parked to false
	most   int           // bound for spinning, 0 if nothing else could run meanwhile
	spin   int           // rounds to spin next time; owned by the waiter
	// patient is set before the first Wait.
	patient bool
	_       [23]byte
}

// NewCounter returns a counter at n.
func NewCounter(n uint64) *Counter {
	c := new(Counter)
	c.init(n)
	return c
}

// init makes c ready to count from n.
func (c *Counter) init(n uint64) {
	c.n.Store(n)
	c.wake = make(chan struct{}, 1)
	if runtime.GOMAXPROCS(0) > 1 && runtime.NumCPU() > 1 {
		c.most, c.spin = maxSpinRounds, maxSpinRounds
	}
}

// Patient makes the waiter poll for up to a millisecond before it spins and parks. It is
// for a worker that waits for another worker and has nothing else to do.
//
// Waking a parked waiter costs the advancing goroutine time, and it then yields to the waiter: the two exchange their CPUs, and neither
// finds its data in the L1 and L2 caches. A tile that follows a slower one would do this every few rows [note waiting]. With more workers
// than GOMAXPROCS, a polling waiter could keep the other worker from running, so such workers are not patient.
func (c *Counter) Patient(workers int) {
	c.patient = c.most > 0 && workers <= runtime.GOMAXPROCS(0)
}

// Load returns the count.
func (c *Counter) Load() uint64 { return c.n.Load() }

// Advance adds k to the count and wakes the waiter.
func (c *Counter) Advance(k uint64) {
	c.n.Add(k)
	c.signal()
}

// Fail stops the counter: from now on Wait returns err, whatever the count. Only the first call has an effect.
func (c *Counter) Fail(err error) {
	c.ending.Fail(err)
	c.signal()
}

// End declares the count final: Wait for a larger count returns err, Wait for a count already reached still succeeds. Fail overrides End.
func (c *Counter) End(err error) {
	c.ending.Finish(err)
	c.signal()
}

// Err returns the error given to Fail, or nil.
func (c *Counter) Err() error { return c.ending.Failure() }

// signal wakes the waiter if it is parked, and yields to it.
func (c *Counter) signal() {
	if c.parked.Load() && c.parked.CompareAndSwap(true, false) {
		c.wake <- struct{}{}
		runtime.Gosched()
	}
}

// Wait waits until the count is at least want. Otherwise it returns the error of Fail or End, or the cause of ctx's end.
func (c *Counter) Wait(ctx context.Context, want uint64) error {
	if done, err := c.poll(want); done {
		return err
	}
	if c.patient {
		if done, err := c.pollPatiently(want); done {
			return err
		}
	}
	var begun time.Time
	polls := firstPolls
	for range c.spin {
		for range polls {
			if c.n.Load() >= want {
				break
			}
		}
		if done, err := c.poll(want); done {
			c.spin = min(2*c.spin, c.most)
			return err
		}
		if polls == firstPolls {
			begun, polls = time.Now(), pollsPerRound
		} else if time.Since(begun) > maxSpinTime {
			break
		}
		runtime.Gosched()
	}
	c.spin = min(c.most, max(c.spin/2, minSpinRounds))
	for {
		c.parked.Store(true)
		// This poll sees stores that precede the other side's load of parked; later stores find parked set and wake this waiter.
		if done, err := c.poll(want); done {
			c.unpark()
			return err
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
			c.unpark()
			return context.Cause(ctx)
		}
		if done, err := c.poll(want); done {
			return err
		}
	}
}

// pollPatiently polls until the wait is over or patience ends. It yields to threads, not to goroutines: Go's scheduler would wake an idle P
// to look for goroutines, which might move this goroutine to another CPU.
func (c *Counter) pollPatiently(want uint64) (done bool, err error) {
	begun := time.Now()
	for range patientRounds {
		for range pollsPerRound {
			if c.n.Load() >= want {
				break
			}
		}
		if done, err = c.poll(want); done || time.Since(begun) > patience {
			return done, err
		}
		yieldThread()
	}
	return false, nil
}

// poll reports whether waiting for want is over, and the error.
func (c *Counter) poll(want uint64) (done bool, err error) {
	err, failed := c.ending.Load() // before the count, so that counts before the end are seen
	switch {
	case failed:
		return true, err
	case c.n.Load() >= want:
		return true, nil
	}
	return err != nil, err
}

// unpark withdraws the announcement that the waiter is parked. If the other side was
// faster, unpark consumes its token, so that none is left over.
func (c *Counter) unpark() {
	if !c.parked.CompareAndSwap(true, false) {
		<-c.wake
	}
}
