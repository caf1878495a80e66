package nestrun

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// again runs the loops of a program as they are written several times. It returns an error unless every run counts what the first does.
func again(loops *sched.Program, plans []*plan.Plan, job Job) error {
	fields, err := fieldsOf(loops.Nest, job)
	if err != nil {
		return err
	}
	runner, err := sched.Planned(loops, plans, sched.Watch{}, inproc.Mesh)
	if err != nil {
		return err
	}
	runner.Bind(fields)
	var first sched.Summary
	for k := range 3 {
		sum, err := runner.Run(context.Background())
		if err != nil {
			return err
		}
		if k == 0 {
			first = sum
			first.Runs, first.Repeats = slices.Clone(sum.Runs), slices.Clone(sum.Repeats)
		}
		if sum.Points != first.Points || !slices.Equal(sum.Runs, first.Runs) || !slices.Equal(sum.Repeats, first.Repeats) {
			return fmt.Errorf("run %d has %d iterations, runs %v and repeats %v; the first has %d, %v and %v", k+1, sum.Points, sum.Runs, sum.Repeats, first.Points, first.Runs, first.Repeats)
		}
	}
	return nil
}
