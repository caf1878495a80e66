package plan

import "slices"

// Late reports which values are late: some of their exterior cells hold results that do not exist before the row that reads them is begun.
// Such cells are filled again while the row is computed (late boundary refill). step is the number of iterations between two refills: the
// shortest flow distance along a row, so that no iteration reads a result computed since the last refill. It is 0 if no value is late. If
// after is true, no value is late, although exterior cells hold results or the content of other cells. All exterior cells of a level are
// then filled after its iterations: their content is final, and only iterations of later levels read it.
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

// fillsAfter computes what Late returns as after.
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
