package plan

import "slices"

// Late reports whether some exterior cells of value v hold results that are computed only while
// or after the cell's row is computed. Such cells are filled again while the row is computed
// (late boundary refill).
func (n *Nest) Late(v int) bool {
	return slices.ContainsFunc(n.Values[v].Fallbacks, func(s Source) bool {
		return slices.Compare(s.Dist, make([]int, len(s.Dist))) < 0
	})
}

// LateStep returns how many neighbors in a row may be computed between two refills: the
// shortest flow distance along a row, so that none of them reads a cell that another one
// changes. It is 0 if no value is late.
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
