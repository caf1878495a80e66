package sched

import (
	"slices"
	"sync"

	"loopc/runtime/array"
	"loopc/runtime/halo"
)

// A stateMemory hands out views for states, and takes them back when nobody reads them any more: new
// memory from the system takes longer than copying a state. Several goroutines may use it at a time.
type stateMemory struct {
	mu    sync.Mutex
	free  []array.View
	users map[*array.View]int // by the address of a state's first view: the number of readers beyond the first one
}

// view returns a view with these corners, to be written by the given number of workers. Its old content is arbitrary:
// nobody reads a cell that was not set.
func (m *stateMemory) view(elem string, lo, hi []int, workers int) (array.View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, v := range m.free {
		same := v.Elem == elem && len(v.Lo) == len(lo)
		for x := 0; same && x < len(lo); x++ {
			same = v.Hi[x]-v.Lo[x] == hi[x]-lo[x]
		}
		if same {
			m.free = slices.Delete(m.free, k, k+1)
			v.Lo, v.Hi, v.Written = lo, hi, nil
			return v, nil
		}
	}
	return array.MakeLarge(elem, lo, hi, workers)
}

// share adds a reader of a state.
func (m *stateMemory) share(s halo.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users == nil {
		m.users = map[*array.View]int{}
	}
	m.users[&s[0]]++
}

// release removes a reader of a state. When the last reader is gone, the state's memory is free for other states. release keeps free memory
// for at most the given number of states.
func (m *stateMemory) release(s halo.State, states int) {
	if len(s) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users[&s[0]] > 0 {
		m.users[&s[0]]--
		return
	}
	delete(m.users, &s[0])
	for _, v := range s {
		if v.Cells() > 0 {
			m.free = append(m.free, v)
		}
	}
	if more := len(m.free) - states*len(s); more > 0 {
		m.free = slices.Delete(m.free, 0, more)
	}
}
