package sched

import (
	"runtime"
	"sync"

	"loopc/runtime/arith"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// Rest gives the cells of the results that no iteration writes their initial
// content. An inout array that is its own result has it already.
//
// Errors: an *arith.Error of the expression that is the content; a *Bug.
func Rest(prog *Program, p *plan.Plan, fields kernel.Fields) error {
	parts := runtime.GOMAXPROCS(0)
	errs := make([]error, len(p.Nest.Arrays)*parts)
	var all sync.WaitGroup
	for k := range p.Nest.Arrays {
		if a := &p.Nest.Arrays[k]; !a.Returned() || a.Role == plan.InOut {
			continue
		}
		rows := halo.RestRows(&fields.Result[k])
		for part := range parts {
			all.Go(func() {
				errs[k*parts+part] = restRows(prog, p, fields, k, rows*part/parts, rows*(part+1)/parts)
			})
		}
	}
	all.Wait()
	// Of several, the best and then the first in the order of the cells.
	var best error
	for _, err := range errs {
		if weigh(err) < weigh(best) {
			best = err
		}
	}
	return best
}

// restRows does the part of Rest for some rows of array arr.
func restRows(prog *Program, p *plan.Plan, fields kernel.Fields, arr, begin, end int) (err error) {
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case *arith.Error:
			err = caught
		default:
			err = newBug(-1, -1, caught)
		}
	}()
	halo.Rest(p, prog.Kernel.Kernel(p.Params, fields), fields, arr, begin, end)
	return nil
}
