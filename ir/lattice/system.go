// Package lattice decides questions about the integer points of polyhedra: does one exist,
// what is the projection of the set on some coordinates, does one inequality
// follow from others.
//
// The method is Fourier-Motzkin elimination with integer tightening: each inequality is
// divided by the greatest common divisor of its coefficients and its constant rounded down,
// which cuts off no integer point. All arithmetic is exact. Answers are conservative:
// "empty" and "implied" are proofs, their negations are not. A combination of inequalities
// that would overflow int64, or exceed the limit on their number, is left out. This makes
// the set larger, so the proofs stay valid.
package lattice

import (
	"slices"
	"strconv"
	"strings"
)

// maxRows bounds the inequalities that one elimination may leave. The systems of dependence
// analysis have a few dozen.
const maxRows = 300

// A Row is the inequality Row[0]·x₀ + … + Row[n-1]·x₍ₙ₋₁₎ + Row[n] ≥ 0 over n
// columns.
type Row []int64

// A System is a conjunction of rows over a fixed number of columns, which the
// caller lays out. The zero System is not usable, see New.
type System struct {
	columns int
	rows    []Row
	// never: the system is known to have no integer point.
	never bool
}

// New returns the system with the given number of columns and no inequalities.
func New(columns int) *System { return &System{columns: columns} }

// Columns returns the number of columns.
func (s *System) Columns() int { return s.columns }

// Rows returns the inequalities. The caller must not change them.
func (s *System) Rows() []Row { return s.rows }

// Clone returns a copy to which rows can be added without changing s.
func (s *System) Clone() *System {
	return &System{columns: s.columns, rows: slices.Clone(s.rows), never: s.never}
}

// Add adds the inequality row ≥ 0, tightened to the integers. The row has one
// entry more than there are columns; it is not kept.
func (s *System) Add(row Row) {
	if len(row) != s.columns+1 {
		panic("BUG: row of " + strconv.Itoa(len(row)) + " entries in a system of " + strconv.Itoa(s.columns) + " columns")
	}
	if s.never {
		return
	}
	if r := tightened(row); r != nil {
		s.insert(r)
	}
}

// AddZero adds the equality row = 0.
func (s *System) AddZero(row Row) {
	s.Add(row)
	if neg, ok := negated(row); ok {
		s.Add(neg)
	}
}

// negated returns -row, and false if an entry has no negative.
func negated(row Row) (Row, bool) {
	neg := make(Row, len(row))
	for k, x := range row {
		var ok bool
		if neg[k], ok = mul(x, -1); !ok {
			return nil, false
		}
	}
	return neg, true
}

// Complement returns the row that holds at the integer points where row does not: row ≤ -1.
// It returns nil on overflow.
func Complement(row Row) Row {
	neg, ok := negated(row)
	if !ok {
		return nil
	}
	last := len(neg) - 1
	if neg[last], ok = add(neg[last], -1); !ok {
		return nil
	}
	return neg
}

// Without returns the points of s at which row does not hold. It panics if row has no complement.
func (s *System) Without(row Row) *System {
	part := s.Clone()
	part.Add(Complement(row))
	return part
}

// tightened returns row divided by the gcd of its coefficients, with the constant rounded
// down. It returns nil for a row that always holds.
func tightened(row Row) Row {
	last := len(row) - 1
	var g int64
	for _, a := range row[:last] {
		if g = GCD(g, a); g == 1 {
			break
		}
	}
	switch {
	case g == 0 && row[last] >= 0:
		return nil
	case g <= 1: // g < 0 only if a coefficient is the least int64: keep the row
		return slices.Clone(row)
	}
	r := make(Row, len(row))
	for k, a := range row[:last] {
		r[k] = a / g
	}
	r[last] = FloorDiv(row[last], g)
	return r
}

// insert adds a tightened row, unless a row with the same coefficients is at
// least as strong, and notices contradictions between two rows.
func (s *System) insert(row Row) {
	last := s.columns
	constant := true
	for _, a := range row[:last] {
		constant = constant && a == 0
	}
	if constant {
		// tightened drops constant rows that hold, so this one does not.
		s.never = true
		return
	}
	for k, r := range s.rows {
		if slices.Equal(r[:last], row[:last]) {
			if row[last] < r[last] {
				s.rows[k] = row
			}
			// The stronger row may contradict an opposite row.
			row = s.rows[k]
			s.never = s.never || s.contradicted(row)
			return
		}
	}
	s.rows = append(s.rows, row)
	s.never = s.never || s.contradicted(row)
}

// contradicted reports whether some row has the opposite coefficients and contradicts row:
// a·x ≥ -c and a·x ≤ c' with c + c' < 0.
func (s *System) contradicted(row Row) bool {
	for _, r := range s.rows {
		if opposite(r, row) {
			if sum, ok := add(r[s.columns], row[s.columns]); ok && sum < 0 {
				return true
			}
		}
	}
	return false
}

// opposite reports whether the coefficients of two rows are each other's
// negatives.
func opposite(r, t Row) bool {
	for k, a := range r[:len(r)-1] {
		if a != -t[k] {
			return false
		}
	}
	return true
}

// String returns the text of s with columns x0, x1, …: for tests and failures.
func (s *System) String() string {
	if s.never {
		return "false"
	}
	var b strings.Builder
	for k, r := range s.rows {
		if k > 0 {
			b.WriteString(", ")
		}
		for c, a := range r[:s.columns] {
			if a != 0 {
				b.WriteString(strconv.FormatInt(a, 10) + "x" + strconv.Itoa(c) + " + ")
			}
		}
		b.WriteString(strconv.FormatInt(r[s.columns], 10) + " >= 0")
	}
	return b.String()
}
