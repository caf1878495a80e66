package checkpoint

import (
	"maps"
	"slices"
	"sync"
)

// A Memory keeps states in memory. Its zero value is ready; it is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	parts map[int][]Part // by the number of levels that are done
}

// Add adds the part of a rank.
func (m *Memory) Add(p *Part) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.parts == nil {
		m.parts = map[int][]Part{}
	}
	m.parts[p.Done] = append(m.parts[p.Done], *p)
}

// States returns the states, in the order of levels.
func (m *Memory) States() (all []*State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, done := range slices.Sorted(maps.Keys(m.parts)) {
		all = append(all, &State{Done: done, Parts: m.parts[done]})
	}
	return all
}
