package ir

import (
	"loopc/ir/diag"
	"loopc/runtime/boundary"
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
	Init   *Init // nil without init; always nil for In and InOut
	// Out is the slice of an internal array that is given back, one entry per dimension:
	// nil for "*", else the affine (in the parameters) index at which the dimension is
	// fixed and dropped from the result's shape. Nil without an out statement.
	Out []*Affine
	// Boundary says, for either end of each dimension, what reads beyond it mean; nil without a
	// boundary.
	Boundary []boundary.Ends
	// Item is set for an internal array of a program that only items of one batch need. Each item has its own index along
	// dimension Item - 1. 0: any other array.
	Item int
	// Unseen is set for an array of a nest that the caller of the program neither gives nor receives, whatever its role in the nest.
	Unseen bool
	Span   diag.Span
	// OutSpan is the position of the out statement.
	OutSpan diag.Span
}

// Returned reports whether cells of a are given back to the caller.
func (a *Array) Returned() bool { return a.Role == InOut || a.Role == Out || a.Out != nil }

// MayLackCells reports whether bounds of which the upper one is far below the lower one are no error: a then has no cells, and
// nobody misses them.
func (a *Array) MayLackCells() bool { return a.Unseen || a.Role == Internal && !a.Returned() }

// Cell returns the index, along dimension d with bounds lo..hi, of the cell that a read with
// subscript x means. The index lies beyond the bounds if the array has no boundary at that end, or if
// x lies farther beyond the bounds than the array is long.
func (a *Array) Cell(d, x, lo, hi int) int {
	if a.Boundary == nil {
		return x
	}
	return a.Boundary[d].Cell(x, lo, hi)
}

// An Init gives every cell of an array its value before the nest runs. In its
// expression, iterator k is the index along dimension k of the array.
type Init struct {
	Names []string
	Expr  Expr
	Span  diag.Span
}

// Ignored returns the subscripts on which the init does not depend.
func (in *Init) Ignored() (out []int) {
	used := make([]bool, len(in.Names))
	Walk(in.Expr, func(e Expr) {
		switch e := e.(type) {
		case *IterRef:
			used[e.Iter] = true
		case *Read:
			for _, sub := range e.Subs {
				for k, c := range sub.Iters {
					used[k] = used[k] || c != 0
				}
			}
		}
	})
	for k := range used {
		if !used[k] {
			out = append(out, k)
		}
	}
	return out
}
