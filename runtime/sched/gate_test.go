package sched

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestGate: never are two goroutines inside, however many of those that wait give up, and in the end the gate is free.
func TestGate(t *testing.T) {
	g := newGate()
	var inside, taken, given atomic.Int64
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(k)))
			for range 2000 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(20))*time.Microsecond)
				if err := g.enter(ctx); err != nil {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
					}
					given.Add(1)
				} else {
					if n := inside.Add(1); n != 1 {
						t.Errorf("%d are inside", n)
					}
					if rng.IntN(2) == 0 {
						runtime.Gosched()
					}
					taken.Add(1)
					inside.Add(-1)
					g.leave()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if taken.Load() == 0 || given.Load() == 0 {
		t.Errorf("%d entered, and %d gave up: the test tests nothing", taken.Load(), given.Load())
	}
	if n := g.all.Load(); n != 0 || len(g.next) != 0 {
		t.Errorf("at the end %d are counted, and %d are let in", n, len(g.next))
	}
}
