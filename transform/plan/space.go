package plan

import "slices"

// An inequality is c + a·p ≥ 0, in which parameters have their values.
type inequality struct {
	C int
	A []int
}

// A Space is an iteration space in which parameters have their values: a convex set of integer points.
type Space struct {
	Depth int
	Ineq  []inequality
}

// newSpace evaluates the parameters in the inequalities of n, which checkParams has accepted. If a parameter has
// several values, the space contains those of all of them.
func newSpace(n *Nest, params []interval) *Space {
	s := &Space{Depth: len(n.Dims)}
	for _, f := range n.Space {
		_, most := f.values(params)
		q := inequality{C: most, A: make([]int, s.Depth)}
		copy(q.A, f.Iters)
		s.Ineq = append(s.Ineq, q)
	}
	return s
}

// necessary returns s without bounds of single coordinates, but for the first, that follow from the other inequalities. Lowering
// adds such bounds, since a box is narrowed from them.
func (s *Space) necessary() *Space {
	var rest, single []inequality
	for _, q := range s.Ineq {
		if k := slices.IndexFunc(q.A, func(a int) bool { return a != 0 }); k > 0 && !slices.ContainsFunc(q.A[k+1:], func(a int) bool { return a != 0 }) {
			single = append(single, q)
		} else {
			rest = append(rest, q)
		}
	}
	out := &Space{s.Depth, rest}
	lo, hi, ok := out.box()
	for _, q := range single {
		if !ok || !(&Space{s.Depth, []inequality{q}}).BoxInside(lo, hi) {
			out.Ineq = append(out.Ineq, q)
		}
	}
	return out
}

func (q *inequality) At(p []int) int {
	v := q.C
	for k, c := range q.A {
		v += c * p[k]
	}
	return v
}

// Span returns the range lo to hi, inclusive, of the last coordinate of the space's points in row q, within the given limits. It is empty
// if lo > hi. The last entry of q is ignored.
func (s *Space) Span(q []int, lo, hi int) (int, int) {
	last := s.Depth - 1
	for i := range s.Ineq {
		in := &s.Ineq[i]
		v := in.C
		for k := 0; k < last; k++ {
			v += in.A[k] * q[k]
		}
		lo, hi = narrow(v, in.A[last], lo, hi)
	}
	return lo, hi
}

// narrow narrows lo..hi to the x with v + c·x ≥ 0.
func narrow(v, c, lo, hi int) (int, int) {
	switch {
	case c == 0:
		if v < 0 {
			hi = lo - 1
		}
	case c == 1:
		lo = max(lo, -v)
	case c == -1:
		hi = min(hi, v)
	case c > 0:
		lo = max(lo, CeilDiv(-v, c))
	default:
		hi = min(hi, FloorDiv(v, -c))
	}
	return lo, hi
}

// Slopes writes the growth of each inequality from a row to the row at distance d; the last coordinate of d is ignored. See Row.
func (s *Space) Slopes(d []int, slopes []int) {
	for i := range s.Ineq {
		v := 0
		for k := 0; k < s.Depth-1; k++ {
			v += s.Ineq[i].A[k] * d[k]
		}
		slopes[i] = v
	}
}

// Row writes the values of the inequalities on row q, where the last coordinate is 0. A row is
// examined several times, at several distances; the values are computed once.
func (s *Space) Row(q []int, values []int) {
	for i := range s.Ineq {
		in := &s.Ineq[i]
		v := in.C
		for k := 0; k < s.Depth-1; k++ {
			v += in.A[k] * q[k]
		}
		values[i] = v
	}
}

// RowSpan returns Span of a row whose inequalities have the given values (see Row). If slopes is not nil, it returns Span of another
// row instead: the one at the distance for which Slopes returned slopes.
func (s *Space) RowSpan(values, slopes []int, lo, hi int) (int, int) {
	last := s.Depth - 1
	for i, v := range values {
		if slopes != nil {
			v += slopes[i]
		}
		lo, hi = narrow(v, s.Ineq[i].A[last], lo, hi)
	}
	return lo, hi
}

// Leaving returns the inequalities that p+d can violate for points p of the space. A point p of
// the space lies in Leaving(d) exactly if p+d lies in the space.
func (s *Space) Leaving(d []int) *Space {
	out := &Space{Depth: s.Depth}
	for i := range s.Ineq {
		slope := 0
		for k, c := range s.Ineq[i].A {
			slope += c * d[k]
		}
		if slope < 0 {
			out.Ineq = append(out.Ineq, inequality{C: s.Ineq[i].C + slope, A: s.Ineq[i].A})
		}
	}
	return out
}

// BoxInside reports whether the entire box lies in the space.
func (s *Space) BoxInside(lo, hi []int) bool {
	for i := range s.Ineq {
		in := &s.Ineq[i]
		v := in.C
		for k, c := range in.A {
			if c > 0 {
				v += c * lo[k]
			} else {
				v += c * hi[k]
			}
		}
		if v < 0 {
			return false
		}
	}
	return true
}

// unbounded stands for infinity in boxes; sums of a few of them do not overflow.
const unbounded = 1 << 52

// Shrink narrows the box lo..hi, in place, toward the points of the space in it, and reports false if it can show that there are none.
// The result may still be somewhat too large, and may contain no integer point; all ranks compute the same result.
func (s *Space) Shrink(lo, hi []int) bool {
	for k := range lo {
		if lo[k] > hi[k] {
			return false // a tile beyond the levels of a short window
		}
	}
	for pass := 0; pass < s.Depth+2; pass++ {
		changed := false
		for i := range s.Ineq {
			in := &s.Ineq[i]
			// The greatest and the least value of c + a·p over the box. The greatest does not
			// change when a side is narrowed: it is taken at the other end.
			most, least := in.C, in.C
			for k, c := range in.A {
				x, y := c*lo[k], c*hi[k]
				if c < 0 {
					x, y = y, x
				}
				least, most = least+x, most+y
			}
			if most < 0 {
				return false
			}
			if least >= 0 {
				continue // it holds in the entire box
			}
			for k, c := range in.A {
				if c == 0 {
					continue
				}
				if c > 0 {
					if bound := hi[k] + CeilDiv(-most, c); bound > lo[k] {
						lo[k], changed = bound, true
					}
				} else {
					if bound := lo[k] + FloorDiv(most, -c); bound < hi[k] {
						hi[k], changed = bound, true
					}
				}
				if lo[k] > hi[k] {
					return false
				}
			}
		}
		if !changed {
			return true
		}
	}
	return true
}

// box returns the bounding box of the space; ok is false if it is empty.
func (s *Space) box() (lo, hi []int, ok bool) {
	lo, hi = make([]int, s.Depth), make([]int, s.Depth)
	for k := range lo {
		lo[k], hi[k] = -unbounded, unbounded
	}
	ok = s.Shrink(lo, hi) && !s.contradictory()
	return lo, hi, ok
}

// contradictory reports whether two opposite inequalities exclude one another. If they are skewed, Shrink would need many steps to show
// that, and it takes only a few.
func (s *Space) contradictory() bool {
	for i, q := range s.Ineq {
		for _, r := range s.Ineq[:i] {
			opposite := q.C+r.C < 0
			for k := range q.A {
				opposite = opposite && q.A[k] == -r.A[k]
			}
			if opposite {
				return true
			}
		}
	}
	return false
}

// FloorDiv returns ⌊a/b⌋ for b > 0. Go's / truncates toward zero instead.
func FloorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// CeilDiv returns ⌈a/b⌉ for b > 0.
func CeilDiv(a, b int) int { return -FloorDiv(-a, b) }

// even returns the length of equal pieces of n, none longer than most.
func even(n, most int) int { return CeilDiv(n, CeilDiv(n, most)) }

// sortedDistinct returns the distinct ones of the given vectors, in lexicographic order.
func sortedDistinct(all [][]int) [][]int {
	out := slices.Clone(all)
	slices.SortFunc(out, slices.Compare[[]int])
	return slices.CompactFunc(out, slices.Equal[[]int])
}
