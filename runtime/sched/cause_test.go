package sched

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"loopc/runtime/arith"
	"loopc/runtime/transport"
)

// TestCause gives the errors of ranks in order of arrival. The reported error must be the one that
// explains the failure.
func TestCause(t *testing.T) {
	bug := &Bug{Rank: 2, Tile: 1, What: "upside down"}
	zero := fmt.Errorf("rank 1: step 9: %w", &arith.Error{What: "integer division by zero", At: "a.loop:4", Loops: "t", Iteration: []int{7}})
	disk := errors.New("the disk is full")
	gone := &transport.Error{Op: "arrived", Rank: 0, Peer: 1, Edge: -1, Step: 3, Err: transport.Gone(transport.NewGiveUp(1, zero))}
	goneToo := &transport.Error{Op: "acquire", Rank: 2, Peer: 1, Edge: -1, Step: 4, Err: transport.ErrGone}
	enough := errors.New("enough")
	for _, c := range []struct {
		name  string
		ended error // the cause of the end of the caller's context
		errs  []error
		want  error
	}{
		{"nothing", nil, nil, nil},
		{"the victim first", nil, []error{gone, context.Canceled, zero}, zero},
		{"a bug after all", nil, []error{gone, zero, disk, bug}, bug},
		{"arithmetic after another", nil, []error{disk, gone, zero}, zero},
		{"another after the victims", nil, []error{goneToo, gone, disk}, disk},
		{"only victims", nil, []error{goneToo, gone}, goneToo},
		{"canceled and gone", nil, []error{context.DeadlineExceeded, gone}, gone},
		{"of equals the first", nil, []error{disk, enough}, disk},
		{"the caller ends it", context.Canceled, []error{gone, context.Canceled, disk}, context.Canceled},
		{"the caller says why", enough, []error{gone, disk}, enough},
		{"a bug while the caller ends it", enough, []error{gone, bug}, bug},
		{"the caller ends it late", enough, nil, enough},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if c.ended != nil {
			cancel(c.ended)
		}
		var f failures
		for _, err := range c.errs {
			f.add(err)
		}
		if got := f.cause(ctx); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		cancel(nil)
	}
}
