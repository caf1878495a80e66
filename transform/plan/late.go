package plan

import "slices"

// Late tells of each value whether some of its exterior cells hold results that are computed only while or after the row is computed. Such
// cells are filled again while the row is computed (late boundary refill). step is how many neighbors in a row may be computed between two
// refills: the shortest flow distance along a row, so that none of them reads a cell that another one changes. It is 0 if no value is late.
// If after is true, no value counts as late, but exterior cells, of which some hold results or the content of other cells, are filled
// together after the iterations of their level: they have their final content then, and only iterations of later levels read them.
func (n *Nest) Late() (values []bool, step int, after bool) {
	if n.fillsAfter() {
		return make([]bool, len(n.Values)), 0, true
	}
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
	return values, step, false
}

// fillsAfter is after of Late.
func (n *Nest) fillsAfter() bool {
	if n.InitialOnly() || len(n.Dims) < 2 {
		return false
	}
	for v := range n.Values {
		val := &n.Values[v]
		if slices.ContainsFunc(val.Need, func(d []int) bool { return d[0] < 1 }) || slices.ContainsFunc(val.Fallbacks, func(s Source) bool { return s.Dist[0] < 0 }) {
			return false
		}
	}
	return true
}
