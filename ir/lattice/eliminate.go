package lattice

import "slices"

// eliminate removes column x from s by combining each lower bound of x with each upper
// bound; the column stays, with coefficients of zero. It reports whether the result is
// exact: every integer point of the result extends to an integer point of s.
//
// Let a pair of bounds be a·x + f ≥ 0 and -b·x + g ≥ 0. If a = 1 or b = 1, an integer x satisfies
// both whenever a·g + b·f ≥ 0. Otherwise the result may have points for which there is no x.
//
// If x occurs in an equality, only the equality is combined with the other rows.
func (s *System) eliminate(x int) (exact bool) {
	lowers, uppers := s.sides(x)
	sides := make([]Row, lowers+uppers)
	lower, upper := sides[:0:lowers], sides[lowers:lowers]
	rest := make([]Row, 0, len(s.rows)-lowers-uppers+min(lowers*uppers, maxRows))
	for _, r := range s.rows {
		switch {
		case r[x] > 0:
			lower = append(lower, r)
		case r[x] < 0:
			upper = append(upper, r)
		default:
			rest = append(rest, r)
		}
	}
	if len(lower) == 0 || len(upper) == 0 {
		// x can always be chosen if it is unbounded on one side.
		s.rows = rest
		return true
	}
	eqLower, eqUpper := equality(lower, upper)
	s.rows = rest
	exact = true
	combine := func(l, u Row) bool {
		exact = exact && (l[x] == 1 || u[x] == -1)
		r, ok := combined(l, u, x)
		if !ok {
			exact = false
			return true
		}
		if r = tightened(r); r != nil {
			s.insert(r)
		}
		if len(s.rows) > maxRows {
			exact = false
			return false
		}
		return !s.never
	}
	if eqLower != nil {
		for _, l := range lower {
			if !combine(l, eqUpper) {
				return exact
			}
		}
		for _, u := range upper {
			if !combine(eqLower, u) {
				return exact
			}
		}
		return exact
	}
	for _, l := range lower {
		for _, u := range upper {
			if !combine(l, u) {
				return exact
			}
		}
	}
	return exact
}

// equality returns a lower and an upper bound that are each other's negatives, or nil. Of several
// such pairs it returns the one with the least coefficients.
func equality(lower, upper []Row) (l, u Row) {
	for _, a := range lower {
		for _, b := range upper {
			if opposite(a, b) && a[len(a)-1] == -b[len(b)-1] && (l == nil || magnitudes(a) < magnitudes(l)) {
				l, u = a, b
			}
		}
	}
	return l, u
}

// magnitudes returns the sum of the absolute values of the coefficients, which
// saturates.
func magnitudes(r Row) uint64 {
	var sum uint64
	for _, a := range r[:len(r)-1] {
		sum = max(sum, sum+magnitude(a))
	}
	return sum
}

// combined returns the combination of a lower and an upper bound of x that eliminates x, or
// false if it overflows int64.
func combined(l, u Row, x int) (Row, bool) {
	a, b := l[x], u[x]
	g := GCD(a, b)
	if b == -b || g <= 0 { // b is the least int64
		return nil, false
	}
	a, b = a/g, -b/g
	r := make(Row, len(l))
	for k := range l {
		if k == x {
			continue
		}
		var ok bool
		if r[k], ok = mulAdd(l[k], b, u[k], a); !ok {
			return nil, false
		}
	}
	return r, true
}

// cheapest returns the marked column whose elimination makes the fewest rows, or -1 if no
// marked column has a coefficient.
func (s *System) cheapest(marked []bool) int {
	best, least := -1, 0
	for x, wanted := range marked {
		if !wanted {
			continue
		}
		lower, upper := s.sides(x)
		if lower+upper == 0 {
			continue
		}
		if growth := lower*upper - lower - upper; best < 0 || growth < least {
			best, least = x, growth
		}
	}
	return best
}

// sides counts the lower and the upper bounds of column x.
func (s *System) sides(x int) (lower, upper int) {
	for _, r := range s.rows {
		switch {
		case r[x] > 0:
			lower++
		case r[x] < 0:
			upper++
		}
	}
	return lower, upper
}

// Empty reports whether s has provably no integer point. False proves nothing if an
// elimination was not exact.
func (s *System) Empty() bool {
	t := s.Clone()
	marked := make([]bool, s.columns)
	for k := range marked {
		marked[k] = true
	}
	t.eliminateAll(marked)
	return t.never
}

// eliminateAll eliminates the marked columns, the cheapest first.
func (s *System) eliminateAll(marked []bool) (exact bool) {
	exact = true
	for !s.never {
		x := s.cheapest(marked)
		if x < 0 {
			break
		}
		exact = s.eliminate(x) && exact
	}
	return exact || s.never
}

// Project returns the projection of s on the kept columns; the other columns have coefficients
// of zero in the result. exact reports that each integer point of the result is the projection
// of an integer point of s. Otherwise the result may have further points.
func (s *System) Project(keep func(column int) bool) (projection *System, exact bool) {
	t := s.Clone()
	marked := make([]bool, s.columns)
	for k := range marked {
		marked[k] = !keep(k)
	}
	exact = t.eliminateAll(marked)
	return t, exact
}

// Never reports whether a contradiction was found while s was built. It costs nothing, but finds
// fewer empty systems than Empty.
func (s *System) Never() bool { return s.never }

// Implies reports whether row ≥ 0 provably holds at every integer point of s.
func (s *System) Implies(row Row) bool {
	not := Complement(row)
	if not == nil {
		return false
	}
	t := s.Clone()
	t.Add(not)
	return t.Empty()
}

// Minimal returns s without rows that other rows imply, in a canonical order: by the last
// nonzero column, then by the entries.
func (s *System) Minimal() *System {
	t := s.Clone()
	if t.never {
		return t
	}
	slices.SortFunc(t.rows, compareRows)
	for k := len(t.rows) - 1; k >= 0; k-- {
		others := &System{columns: t.columns, rows: slices.Delete(slices.Clone(t.rows), k, k+1)}
		if others.Implies(t.rows[k]) {
			t = others
		}
	}
	return t
}

// compareRows orders rows for Minimal.
func compareRows(r, t Row) int {
	for k := len(r) - 2; k >= 0; k-- {
		if (r[k] != 0) != (t[k] != 0) {
			if r[k] != 0 {
				return 1
			}
			return -1
		}
		if r[k] != 0 {
			break
		}
	}
	return slices.Compare(r, t)
}

// Bounds returns the tightest provable bounds of column x over the integer points of s;
// hasLo and hasHi say whether they exist. An empty system has no bounds, or lo > hi.
func (s *System) Bounds(x int) (lo, hi int64, hasLo, hasHi bool) {
	t, _ := s.Project(func(column int) bool { return column == x })
	for _, r := range t.rows {
		switch c := r[s.columns]; {
		case r[x] > 0: // r·x ≥ -c; tightened: r is 1
			if !hasLo || -c > lo {
				lo, hasLo = -c, true
			}
		case r[x] < 0:
			if !hasHi || c < hi {
				hi, hasHi = c, true
			}
		}
	}
	return lo, hi, hasLo, hasHi
}

// Point returns an integer point of s; nil if it finds none, though s may have one. From the first column on, it sets each
// column to the value nearest to wish that the bounds of the column allow.
func (s *System) Point(wish []int64) []int64 {
	t := s.Clone()
	at := make([]int64, s.columns)
	for x := range at {
		lo, hi, hasLo, hasHi := t.Bounds(x)
		at[x] = wish[x]
		if hasHi {
			at[x] = min(at[x], hi)
		}
		if hasLo {
			at[x] = max(at[x], lo)
		}
		row := make(Row, s.columns+1)
		row[x], row[s.columns] = 1, -at[x]
		t.AddZero(row)
		if t.never {
			return nil
		}
	}
	if t.Empty() {
		return nil
	}
	return at
}
