package sched_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// TestEnded: to errors.Is, the error of a run is the cause of the end of its context, and what the context's Err says; another
// error stays as it is.
func TestEnded(t *testing.T) {
	why, other := errors.New("the client is gone"), errors.New("the disk is full")
	ctx, end := context.WithCancelCause(t.Context())
	if err := sched.Ended(ctx, why); err != why {
		t.Errorf("before the end: %v", err)
	}
	end(why)
	late, stop := context.WithTimeoutCause(t.Context(), 0, why)
	defer stop()
	for ctx, is := range map[context.Context]error{ctx: context.Canceled, late: context.DeadlineExceeded} {
		if err := sched.Ended(ctx, fmt.Errorf("rank 1: %w", why)); !errors.Is(err, why) || !errors.Is(err, is) || err.Error() != "rank 1: "+why.Error() {
			t.Errorf("the cause: %v", err)
		}
		if err := sched.Ended(ctx, other); err != other {
			t.Errorf("another error: %v", err)
		}
		if err := sched.Ended(ctx, is); err != is {
			t.Errorf("the error itself: %v", err)
		}
		if err := sched.Ended(ctx, nil); err != nil {
			t.Errorf("no error: %v", err)
		}
	}
	planned, err := sched.Planned(&sched.Program{Nest: new(plan.Nest)}, []*plan.Plan{{Ranks: 2}}, sched.Watch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := planned.Run(ctx); !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
		t.Errorf("a run: %v", err)
	}
}

// TestEnter waits for a goroutine that is between Enter and Leave only as long as the context allows.
func TestEnter(t *testing.T) {
	p, err := sched.Planned(&sched.Program{Nest: new(plan.Nest)}, nil, sched.Watch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("nobody waits any more")
	ctx, end := context.WithCancelCause(t.Context())
	if err := p.Enter(ctx); err != nil {
		t.Fatal(err)
	}
	end(why)
	if err := p.Enter(ctx); !errors.Is(err, why) || !errors.Is(err, context.Canceled) || err.Error() != why.Error() {
		t.Errorf("error %v, not %v", err, why)
	}
	p.Leave()
	if err := p.Enter(t.Context()); err != nil {
		t.Error(err)
	}
}
