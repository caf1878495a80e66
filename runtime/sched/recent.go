package sched

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
)

// recent has what PrepareRecent has prepared, by all that it depends on: programs and plans, which no run changes.
var recent struct {
	sync.Mutex
	of map[string]*Prepared
}

// PrepareRecent does what Prepare does. If it has done so before, it plans nothing: planning takes longer than a small run.
// Programs of one Nest may differ in their float parameters only.
func PrepareRecent(ctx context.Context, prog *Program, params []int, o Options, mesh Mesh) (*Prepared, error) {
	const most = 32 // when as many are kept, all are forgotten
	if o.Machine != nil || o.Warn != nil || o.Watch.needsTiles() {
		return Prepare(ctx, prog, params, o, mesh)
	}
	if err := prog.checkFloats(); err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%p %v %v %d %s", prog.Nest, params, o.Options, runtime.GOMAXPROCS(0), os.Getenv(KernelVariable))
	recent.Lock()
	p := recent.of[key]
	recent.Unlock()
	if p != nil {
		return Planned(p.prog.With(prog.floats...), p.plans, o.Watch, mesh)
	}
	p, err := Prepare(ctx, prog, params, o, mesh)
	if err == nil {
		recent.Lock()
		defer recent.Unlock()
		if recent.of == nil || len(recent.of) >= most {
			recent.of = map[string]*Prepared{}
		}
		recent.of[key] = &Prepared{prog: p.prog, plans: p.plans}
	}
	return p, err
}
