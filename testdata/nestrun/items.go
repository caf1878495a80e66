package nestrun

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// divided runs the loops of a program as they are written, whose items several ranks share as if each were a process.
func divided(loops *sched.Program, params []int, ranks int, fields kernel.Fields) error {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	plans, err := loops.PlanSteps(params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		return plan.New(nest, params, plan.Options{Ranks: ranks, CPUs: 1})
	})
	if err != nil {
		return nil // too small for so many ranks
	}
	prog := loops.AsWritten(plans, ranks%2+1, 1)
	transports, err := inproc.Mesh(ranks, sched.PlansDigest(prog, plans))
	if err != nil {
		return err
	}
	parts, sums, errs := make([]*sched.Rank, ranks), make([]sched.Summary, ranks), make([]error, ranks)
	var all sync.WaitGroup
	for k, tr := range transports {
		all.Go(func() {
			if parts[k], errs[k] = sched.NewRank(ctx, prog, plans, k, sched.WholeStore(fields), sched.Watch{}); errs[k] == nil {
				sums[k], errs[k] = parts[k].Run(ctx, tr, sched.Watch{})
			}
			if errs[k] != nil {
				stop(errs[k])
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for k, part := range parts {
		if err := part.Deliver(); err != nil {
			return fmt.Errorf("rank %d: %w", k, err)
		}
	}
	sum, err := sched.Merge(sums)
	sum.GiveReduced(fields)
	return err
}
