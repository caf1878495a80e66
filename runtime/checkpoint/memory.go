package checkpoint

import (
	"maps"
	"slices"
	"sync"

	"loopc/runtime/array"
)

// A Memory keeps states in memory. Its zero value is ready; it is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	parts map[int][]Part // by State.Done
}

// Add adds the part of a rank. It copies the marked cells, or all cells of a view without marks, because the run may change them later.
func (m *Memory) Add(p *Part) {
	own := *p
	for _, blocks := range []*[]Block{&own.Values, &own.Results, &own.Given} {
		*blocks = slices.Clone(*blocks)
		for k := range *blocks {
			v := &(*blocks)[k].View
			from := *v
			v.Data = array.Bytes(len(from.Data))
			put := func(begin, end int) error {
				copy(v.Data[begin*v.Size:end*v.Size], from.Data[begin*v.Size:])
				return nil
			}
			if v.Written == nil {
				_ = put(0, v.Cells()) // never fails
			} else {
				_ = v.WrittenRuns(0, v.Cells(), put)
			}
		}
	}
	if own.Release = nil; p.Release != nil {
		p.Release()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.parts == nil {
		m.parts = map[int][]Part{}
	}
	m.parts[p.Done] = append(m.parts[p.Done], own)
}

// States returns the states, in the order of the run.
func (m *Memory) States() (all []*State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, done := range slices.Sorted(maps.Keys(m.parts)) {
		all = append(all, &State{Done: done, At: m.parts[done][0].At, Parts: m.parts[done]})
	}
	return all
}
