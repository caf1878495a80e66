package ir

import (
	"slices"

	"loopc/ir/diag"
)

// A Role says who supplies an array and who gets it back.
type Role uint8

// The roles of an array. An internal array may still give back a slice: see
// Array.Out.
const (
	Internal Role = iota
	In
	InOut
	Out
)

var roleNames = [...]string{"internal", "in", "inout", "out"}

// String returns the word of the language; "internal" for none.
func (r Role) String() string { return roleNames[r] }

// An Array is a declared array. Its bounds are inclusive and affine in the
// parameters.
type Array struct {
	Name   string
	Elem   Type
	Lo, Hi []Affine
	Role   Role
	Init   *Init // nil if there is none; always nil for In and InOut
	// Out is the slice of an internal array that is given back, one entry per
	// dimension: nil for "*", else the affine (in the parameters) index at which
	// the dimension is fixed and dropped from the result's shape. Nil if no
	// slice was asked for.
	Out []*Affine
	// Edges says, of both ends of each dimension, what reads beyond them mean;
	// nil if there are none.
	Edges [][2]Edge
	Span  diag.Span
	// OutSpan is where the slice was asked for.
	OutSpan diag.Span
}

// Returned reports whether cells of a are given back to the caller.
func (a *Array) Returned() bool { return a.Role == InOut || a.Role == Out || a.Out != nil }

// An Edge says what a read beyond a bound of an array reads instead.
type Edge uint8

// NoEdge: such a read is a mistake. Copied: the read gives the last cell, so that
// differences across the boundary vanish. Reflecting: the read gives the cell as far
// inside the last cell as the subscript is outside; the last cell itself is not
// repeated. Periodic: the dimension starts again after its end.
const (
	NoEdge Edge = iota
	Copied
	Reflecting
	Periodic
)

var edgeNames = [...]string{"*", "copied", "reflecting", "periodic"}

// String returns the word of the language.
func (e Edge) String() string { return edgeNames[e] }

// EdgeNamed returns the Edge of that name; false if there is none.
func EdgeNamed(name string) (Edge, bool) {
	k := slices.Index(edgeNames[:], name)
	return Edge(max(k, 0)), k > 0
}

// Cell returns the index along dimension d, with bounds lo..hi, of the cell that a read
// with subscript x finds. The index lies beyond the bounds if the array has no boundary
// there, or if the read reaches farther beyond the bounds than the array is long.
func (a *Array) Cell(d, x, lo, hi int) int {
	if a.Edges == nil {
		return x
	}
	switch e := a.Edges[d]; {
	case x < lo:
		switch e[0] {
		case Copied:
			return lo
		case Reflecting:
			return 2*lo - x
		case Periodic:
			return x + hi - lo + 1
		}
	case x > hi:
		switch e[1] {
		case Copied:
			return hi
		case Reflecting:
			return 2*hi - x
		case Periodic:
			return x - (hi - lo + 1)
		}
	}
	return x
}

// An Init gives every cell of an array its value before the nest runs. In its
// expression, iterator k is the index along dimension k of the array.
type Init struct {
	Names []string
	Expr  Expr
	Span  diag.Span
}
