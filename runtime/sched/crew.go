package sched

import (
	"context"
	"sync/atomic"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/transport"
)

// A crew is the goroutines of a rank's workers. The first is the caller's; the others wait between runs of nests. They keep their threads
// and the memory of their blocks, because setting these up takes longer than running a small nest.
type crew struct {
	thread  func() (release func()) // see Watch.Thread; nil: none
	release func()                  // of the caller's thread
	others  []*hand
	parks   bool                   // a hand gets many items at once, so it need not poll for long, which would take CPU time
	memory  *array.Pool            // of the rank; nil: memory is allocated anew
	pools   map[[2]int]*array.Pool // by nest and worker, for nests that run again
	before  []*halo.Worker         // of the window before, if they share a block
	stays   bool                   // the current window goes on in this block, so no pool may give its memory away
}

// A hand is a goroutine of a crew other than the caller's.
type hand struct {
	work       func()             // nil: the goroutine ends
	told, done *transport.Counter // count the calls of work that were asked for, and those that have ended
	times      uint64             // calls asked for so far
	begun      atomic.Uint64      // of these calls, how many have begun or were taken back
	waited     uint64             // calls whose end wait has awaited
}

// do calls f for every k below n, each in a goroutine of its own; f(0) runs in the caller's.
func (c *crew) do(n int, f func(k int)) {
	work := make([]func(), n)
	for k := range work {
		work[k] = func() { f(k) }
	}
	c.run(work)
}

// run calls all functions, each in a goroutine of its own, the first in the caller's.
func (c *crew) run(work []func()) { c.call(work, false) }

// share does what run does, where no function needs another one: the caller's goroutine also calls those that have not begun when its own
// ends. The system may take longer to run another thread than a small work takes.
func (c *crew) share(work []func()) { c.call(work, true) }

// call does what share does if shared, else what run does.
func (c *crew) call(work []func(), shared bool) {
	n := len(work)
	if n == 0 {
		return
	}
	if c.thread != nil && c.release == nil {
		c.release = c.thread()
	}
	for len(c.others) < n-1 {
		c.hire(n)
	}
	for k, h := range c.others[:n-1] {
		h.tell(work[k+1])
	}
	work[0]()
	for k, h := range c.others[:n-1] {
		if shared && h.begun.CompareAndSwap(h.times-1, h.times) {
			work[k+1]()
		} else {
			h.wait()
		}
	}
}

// hire adds a goroutine to a crew that will have n.
func (c *crew) hire(n int) {
	h := &hand{told: transport.NewCounter(0), done: transport.NewCounter(0)}
	if !c.parks {
		h.told.Patient(n)
		h.done.Patient(n)
	}
	c.others = append(c.others, h)
	thread := c.thread // a goroutine that begins late must not look at what the crew has by then
	go func() {
		defer h.done.End(context.Canceled) // after the thread is released
		if thread != nil {
			defer thread()()
		}
		for times := uint64(1); h.told.Wait(context.Background(), times) == nil; times++ {
			if !h.begun.CompareAndSwap(times-1, times) {
				continue // taken back
			}
			if h.work == nil {
				break
			}
			h.work()
			h.done.Advance(1)
		}
	}()
}

// tell makes the goroutine call work, or end if work is nil.
func (h *hand) tell(work func()) {
	h.work = work
	h.times++
	h.told.Advance(1)
}

// wait waits until the goroutine has called work.
func (h *hand) wait() {
	h.waited++
	if err := h.done.Wait(context.Background(), h.waited); err != nil && h.work != nil {
		panic("BUG: sched: a worker has ended: " + err.Error())
	}
}

// end ends the goroutines. It waits until they have released their threads; those that have none end by themselves.
func (c *crew) end() {
	for _, h := range c.others {
		h.tell(nil)
	}
	for _, h := range c.others {
		if c.thread != nil {
			h.wait()
		}
	}
	c.others = nil
	if c.release != nil {
		c.release()
		c.release = nil
	}
}

// pool returns the pool of worker k of a nest, all of its memory free. If nest is negative, because the
// nest does not run again, it returns the rank's pool.
func (c *crew) pool(nest, k int) *array.Pool {
	if nest < 0 {
		return c.memory
	}
	key := [2]int{nest, k}
	if c.pools == nil {
		c.pools = map[[2]int]*array.Pool{}
	}
	if c.pools[key] == nil {
		c.pools[key] = c.memory.Within()
	}
	if !c.stays {
		c.pools[key].Again()
	}
	return c.pools[key]
}
