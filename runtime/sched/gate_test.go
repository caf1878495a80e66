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

// cutIn is a canceled context that calls a function when it is asked for Done.
type cutIn struct {
	context.Context
	do func()
}

func (c cutIn) Done() <-chan struct{} {
	c.do()
	return c.Context.Done()
}

// TestGateOvertaken: who gives up at the moment at which the gate becomes free, and is overtaken by another one, does not wait for that one.
func TestGateOvertaken(t *testing.T) {
	g := newGate()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g.all.Add(1) // one is inside, and leaves when the second is about to wait: it has not yet let that one in
	ended := make(chan error)
	left := make(chan bool)
	go func() { ended <- g.enter(cutIn{ctx, func() { g.all.Add(-1); close(left) }}) }()
	<-left
	time.Sleep(10 * time.Millisecond)
	g.all.Add(1) // a third comes, is let in, and stays inside
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("one that gives up waits for another that came later")
	}
	g.all.Add(-1)
	if n := g.all.Load(); n != 0 || len(g.next) != 0 {
		t.Errorf("at the end %d are counted, and %d are let in", n, len(g.next))
	}
}
