package transport

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// A waiter polls, then polls and yields in turn, then parks. maxSpinRounds takes about
// maxSpinTime, which is twice the cost of waking a parked goroutine: spinning for longer
// only takes the CPU from others [note waiting]. minSpinRounds applies where spinning
// has not helped lately.
//
// A goroutine that is locked to its thread hands its processor to another thread when it
// yields. That is slower than all of the above, so the first polls do not yield, and the
// time is limited as well as the rounds. The time alone is no limit where a test has
// stopped the clock.
const (
	maxSpinTime   = 10 * time.Microsecond
	firstPolls    = 1000
	pollsPerRound = 32
	minSpinRounds = 2
	maxSpinRounds = 64
)

// A patient waiter polls for much longer before it parks, and lets other threads have
// its CPU in between: see Counter.Patient. The limit to the rounds is for tests that
// have stopped the clock; otherwise patience is reached first.
const (
	patience      = time.Millisecond
	patientRounds = 10000
)

// A Counter counts what one goroutine has done and another waits for: faces
// posted, credits, acknowledgements. It only grows. One goroutine advances it
// and one waits, each without allocating.
//
// The waiter spins a bounded number of times and then parks. Who advances the
// counter under a parked waiter yields its processor right after the wake-up:
// otherwise the waiter sits in the scheduler's runnext slot until another
// processor dares to steal it, tens of microseconds later [note waiting].
type Counter struct {
	_      [64]byte // the counters of one ring must not share a cache line
	n      atomic.Uint64
	parked atomic.Bool
	_      [48]byte
	// Read by the waiter each time, written once at most.
	stop atomic.Pointer[stop]
	wake chan struct{} // a token for each time that parked went from true to false by the other side
	most int           // rounds to spin at most, 0 if nobody else could run meanwhile
	spin int           // rounds to spin next time; the waiter's
	// patient is set before anybody waits.
	patient bool
	_       [23]byte
}

// A stop is the reason why a counter grows no further.
type stop struct {
	err  error
	hard bool // even what was counted before is refused
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

// Patient has the waiter poll for up to a millisecond before it spins and parks like
// others. It is for a waiter that computes, has nothing else to do, and waits for
// another goroutine that computes.
//
// Waking a parked waiter takes time of the goroutine that advances the counter, which
// then yields to the waiter: the two exchange their processors, and neither finds its
// data in the first and second cache. A tile that follows a slower one would do this
// every few rows [note waiting]. With more workers than Go has processors, a waiter that
// polls could keep the worker that it waits for from running, so those workers are not
// patient.
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

// Fail stops the counter: waiting returns err from now on, whatever the count.
// Only the first call counts.
func (c *Counter) Fail(err error) { c.end(&stop{err: err, hard: true}) }

// End says that the count will not grow: waiting for more returns err, waiting
// for what has been counted still succeeds. Fail overrides End.
func (c *Counter) End(err error) { c.end(&stop{err: err}) }

func (c *Counter) end(s *stop) {
	for {
		old := c.stop.Load()
		if old != nil && (old.hard || !s.hard) {
			return
		}
		if c.stop.CompareAndSwap(old, s) {
			break
		}
	}
	c.signal()
}

// Err returns the error given to Fail, or nil.
func (c *Counter) Err() error {
	if s := c.stop.Load(); s != nil && s.hard {
		return s.err
	}
	return nil
}

// signal wakes the waiter if it is parked, and yields to it.
func (c *Counter) signal() {
	if c.parked.Load() && c.parked.CompareAndSwap(true, false) {
		c.wake <- struct{}{}
		runtime.Gosched()
	}
}

// Wait waits until the count is at least want. It returns the error of Fail or
// End, or the cause of ctx's end.
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
		// Whatever is stored before the other side looks at parked is seen
		// here, whatever comes after finds parked set.
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

// pollPatiently is poll until the wait is over or patience ends. It yields to threads,
// not to goroutines: Go's scheduler would wake an idle processor to look for goroutines,
// and that might move this one to another CPU.
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

// poll says whether waiting for want is over, and how.
func (c *Counter) poll(want uint64) (done bool, err error) {
	s := c.stop.Load()
	if s != nil && s.hard {
		return true, s.err
	}
	if c.n.Load() >= want {
		return true, nil
	}
	if s == nil {
		return false, nil
	}
	// The count may have grown for the last time between the two loads above.
	if c.n.Load() >= want {
		return true, nil
	}
	return true, s.err
}

// unpark takes back the announcement that the waiter is parked. If the other
// side was faster, its token is taken instead, so that none is left over.
func (c *Counter) unpark() {
	if !c.parked.CompareAndSwap(true, false) {
		<-c.wake
	}
}
