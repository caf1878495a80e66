package sched

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
)

// sequentialHere stands for emitted code: the file of it is this one.
func sequentialHere([]int, kernel.Fields) error { return nil }

// emittedCall stands for emitted code that calls a function.
//
//go:noinline
func emittedCall(f func()) { f() }

// TestPanic panics in emitted code, in the runtime that it calls, and in a function of a user's, for which that of a library stands:
// only this one is not a bug of ours.
func TestPanic(t *testing.T) {
	prog := &Program{Sequential: sequentialHere}
	for what, c := range map[string]struct {
		do  func()
		own bool
	}{
		"emitted": {func() { panic("here") }, false},
		"runtime": {func() { (*array.View)(nil).Origin() }, false},
		"user's":  {func() { _ = slices.Insert([]string{}, len(t.Name()), "") }, true},
	} {
		func() {
			defer func() {
				caught := recover()
				if caught == nil {
					t.Errorf("%s: no panic", what)
					return
				}
				err := failed(prog, 3, 7, caught)
				var own *Panic
				var bug *Bug
				if errors.As(err, &own) != c.own || errors.As(err, &bug) == c.own {
					t.Errorf("%s: %T %v", what, err, err)
				}
				if value, ok := caught.(error); c.own && (!ok || !errors.Is(err, value) || !strings.HasPrefix(err.Error(), "slices.Insert[...] (slices.go:") || len(own.Stack) == 0) {
					t.Errorf("%s: %v", what, err)
				}
				if err := failed(&Program{}, -1, -1, caught); !errors.As(err, &bug) {
					t.Errorf("%s, of unknown code: %v", what, err)
				}
			}()
			emittedCall(c.do)
		}()
	}
}

// TestCouplePanic panics in code between levels: that is an error of the run, because no caller can recover it.
func TestCouplePanic(t *testing.T) {
	cause := errors.New("no more")
	c := &coupler{Coupling: &Coupling{Call: func(*Between) error { panic(cause) }}}
	var own *Panic
	if err := c.guardedCall(nil); !errors.Is(err, cause) || !errors.As(err, &own) || !strings.Contains(err.Error(), "panicked: no more") {
		t.Errorf("%T %v", err, err)
	}
}
