package sched

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// fillUnwritten gives the cells that no iteration writes their initial content, in results that
// ranks have written in place. In an inout array they have it already.
//
// Errors: an *arith.Error of the init's expression; a *Bug; the cause of ctx's end.
func (y *layout) fillUnwritten(ctx context.Context, fields kernel.Fields) error {
	parts := runtime.GOMAXPROCS(0)
	errs := make([]error, len(y.nests)*len(y.whole.Arrays)*parts)
	var all sync.WaitGroup
	for k, prog := range y.nests {
		for a := range y.whole.Arrays {
			if !y.final(k, a) || prog.Nest.Arrays[a].Initial != plan.Computed {
				continue
			}
			fields, err := complete(prog.Nest, fields)
			if err != nil {
				return err
			}
			rows := halo.UnwrittenRows(&fields.Result[a])
			for part := range parts {
				all.Go(func() {
					errs[(k*len(y.whole.Arrays)+a)*parts+part] = fillRows(ctx, prog, y.plans[k], fields, a, rows*part/parts, rows*(part+1)/parts)
				})
			}
		}
	}
	all.Wait()
	// Report the best error, and of equally good ones the first in the order of the cells.
	var best error
	for _, err := range errs {
		if explains(err) < explains(best) {
			best = err
		}
	}
	return best
}

// complete returns fields of a nest in which arrays that the caller does not have are views
// without cells, and with reductions: a kernel looks at all of them.
func complete(nest *plan.Nest, fields kernel.Fields) (kernel.Fields, error) {
	fields.Given, fields.Result, fields.Reduced = slices.Clone(fields.Given), slices.Clone(fields.Result), newReduced(nest)
	for a := range nest.Arrays {
		none, err := noCells(&nest.Arrays[a])
		if err != nil {
			return fields, err
		}
		for _, v := range []*array.View{&fields.Given[a], &fields.Result[a]} {
			if v.Stride == nil {
				*v = none
			}
		}
	}
	return fields, nil
}

// fillRows fills the unwritten cells of array arr in the rows from begin on and before end.
func fillRows(ctx context.Context, prog *Program, p *plan.Plan, fields kernel.Fields, arr, begin, end int) (err error) {
	defer func() { err = recovered(prog, recover(), err) }()
	loops, fields := prog.loops(p.Params, fields)
	return halo.NewUnwritten(p, loops, fields, arr).Fill(ctx, begin, end)
}

// recovered returns what a panic outside tiles stands for, such as one of an init's expression; err if there was none.
func recovered(prog *Program, caught any, err error) error {
	switch caught := caught.(type) {
	case nil:
		return err
	case *arith.Error:
		return caught
	default:
		return failed(prog, -1, -1, caught)
	}
}
