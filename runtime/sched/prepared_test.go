package sched_test

import (
	"context"
	"errors"
	"testing"

	"loopc/runtime/sched"
	"loopc/transform/plan"
)

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
	if err := p.Enter(ctx); !errors.Is(err, why) {
		t.Errorf("error %v, not %v", err, why)
	}
	p.Leave()
	if err := p.Enter(t.Context()); err != nil {
		t.Error(err)
	}
}
