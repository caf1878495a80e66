package plan

import "slices"

// Late tells of each value whether some of its exterior cells hold results that are computed only
// while or after the cell's row is computed. Such cells are filled again while the row is computed
// (late boundary refill). step is how many neighbors in a row may be computed between two refills:
// the shortest flow distance along a row, so that none of them reads a cell that another one
// changes. It is 0 if no value is late.
func (n *Nest) Late() (values []bool, step int) {
	step = 1 << 62
	for v := range n.Values {
		values = append(values, slices.ContainsFunc(n.Values[v].Fallbacks, func(s Source) bool {
			return slices.Compare(s.Dist, make([]int, len(s.Dist))) < 0
		}))
		for _, d := range n.Values[v].Flow {
			if last := len(d) - 1; slices.Max(append([]int{0}, d[:last]...)) == 0 {
				step = min(step, d[last])
			}
		}
	}
	if !slices.Contains(values, true) {
		step = 0
	}
	return values, step
}
