package cli

import (
	"context"
	"fmt"
	"sync"

	"loopc/runtime/array"
	"loopc/runtime/sched"
)

// A rankStore reads the given arrays of a rank from the files of its job, and writes its
// results to others.
type rankStore struct {
	ctx  context.Context // ends fills
	job  *job
	plan *planned

	mu    sync.Mutex
	given map[int]*given // opened so far
}

// store returns the store of a rank.
func (j *job) store(ctx context.Context, p *planned) *rankStore {
	return &rankStore{ctx: ctx, job: j, plan: p, given: map[int]*given{}}
}

// of returns the store as a sched.Store.
func (s *rankStore) of() sched.Store {
	takes := func(arr int) bool { return s.result(arr) != nil || s.job.Keep.keeps() }
	return sched.Store{Fill: s.fill, Keep: s.keep, Pool: &array.Pool{}, Takes: takes}
}

// close closes the files.
func (s *rankStore) close() {
	for _, g := range s.given {
		closeGiven([]*given{g})
	}
}

// fill is Fill of sched.Store.
func (s *rankStore) fill(arr int, v *array.View) error {
	g, err := s.open(arr)
	if err != nil {
		return err
	}
	_, err = untilEnd(s.ctx, func() (struct{}, error) { return struct{}{}, g.read(v) })
	return err
}

// open returns the source of an array, and opens it only once.
func (s *rankStore) open(arr int) (*given, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.given[arr]; g != nil {
		return g, nil
	}
	for i := range s.job.Given {
		if a := &s.job.Given[i]; a.Array == arr {
			g, err := a.open(s.plan.prog.Nest, s.plan.params(), s.job.far)
			if err == nil {
				s.given[arr] = g
			}
			return g, err
		}
	}
	panic(fmt.Sprintf("BUG: array %d is not given", arr))
}

// keep is Keep of sched.Store.
func (s *rankStore) keep(arr int, v *array.View) error {
	to := s.result(arr)
	if to == nil { // the result is kept for checkpoints only
		return nil
	}
	return writeCells(s.plan, arr, to.Form, *to.File, s.job.far, v)
}

// result returns the file of a result, nil if it has none.
func (s *rankStore) result(arr int) *jobArray {
	for k := range s.job.Results {
		if r := &s.job.Results[k]; r.Array == arr {
			return r
		}
	}
	return nil
}
