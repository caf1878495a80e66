package plan

import "slices"

// Late reports whether some exterior cells of value v hold results that are computed after the
// cell's own row has its turn: such cells are filled again while a row is computed.
func (n *Nest) Late(v int) bool {
	return slices.ContainsFunc(n.Values[v].Fallbacks, func(s Source) bool {
		return slices.Compare(s.Dist, make([]int, len(s.Dist))) < 0
	})
}

// LateStep returns how many neighbors in a row are computed between such fills, so many that none
// of them needs another: the shortest flow distance along a row. It is 0 if no value is late.
func (n *Nest) LateStep() int {
	step, late := 1<<62, false
	for v := range n.Values {
		late = late || n.Late(v)
		for _, d := range n.Values[v].Flow {
			if last := len(d) - 1; slices.Max(append([]int{0}, d[:last]...)) == 0 {
				step = min(step, d[last])
			}
		}
	}
	if !late {
		return 0
	}
	return step
}
