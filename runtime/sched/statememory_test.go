package sched

import (
	"testing"

	"loopc/runtime/halo"
)

// TestStateMemory: the memory of a state that nobody reads any more serves for the next state of the
// same size, and no more free memory is kept than release allows.
func TestStateMemory(t *testing.T) {
	var m stateMemory
	state := func(lo, hi int) halo.State {
		v, err := m.view("float64", []int{lo}, []int{hi}, 2)
		if err != nil {
			t.Fatal(err)
		}
		return halo.State{v}
	}
	same := func(a, b halo.State) bool { return &a[0].Data[0] == &b[0].Data[0] }
	a := state(1, 9)
	m.share(a)
	m.release(a, 1)
	if b := state(1, 9); same(a, b) {
		t.Fatal("memory that somebody reads was given out")
	}
	m.release(a, 1)
	if b := state(1, 8); same(a, b) {
		t.Fatal("the memory has another size")
	}
	b := state(5, 13)
	if !same(a, b) || b[0].Lo[0] != 5 || b[0].Hi[0] != 13 {
		t.Errorf("the memory was not used again, or its view is %v to %v", b[0].Lo, b[0].Hi)
	}
	c := state(1, 9)
	m.release(b, 1)
	m.release(c, 1)
	if len(m.free) != 1 || len(m.users) != 0 {
		t.Errorf("%d views are kept, and %d are in use", len(m.free), len(m.users))
	}
}
