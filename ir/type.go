package ir

import (
	"fmt"
	"slices"
	"strings"

	"loopc/runtime/element"
)

// A Type is the type of an array cell, of an expression, or of a condition.
type Type uint8

// The types of the language. Bool is the type of conditions only.
const (
	Invalid Type = iota
	Float32
	Float64
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Bool
)

// types describes each Type. Invalid and Bool have only a name, because no cell has them.
var types = [...]*element.Type{
	Invalid: {Name: "invalid"},
	Float32: element.Of[float32](),
	Float64: element.Of[float64](),
	Int8:    element.Of[int8](),
	Int16:   element.Of[int16](),
	Int32:   element.Of[int32](),
	Int64:   element.Of[int64](),
	Uint8:   element.Of[uint8](),
	Uint16:  element.Of[uint16](),
	Bool:    {Name: "bool"},
}

// Types returns the types of array cells.
func Types() []Type { return cellTypes[:len(cellTypes):len(cellTypes)] }

var cellTypes = func() (all []Type) {
	for t := Invalid + 1; t < Bool; t++ {
		all = append(all, t)
	}
	return all
}()

// TypeNames returns the names of Types as a sentence lists them.
func TypeNames() string {
	var names []string
	for _, t := range Types() {
		names = append(names, t.String())
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// TypeNamed returns the array type of that name, or Invalid.
func TypeNamed(name string) Type {
	for _, t := range Types() {
		if t.String() == name {
			return t
		}
	}
	return Invalid
}

// Cell is what package element says of the type.
func (t Type) Cell() *element.Type { return types[t] }

// String returns the name that the language, and Go, give the type.
func (t Type) String() string { return types[t].Name }

// Size is the number of bytes of a value, 0 for Invalid and Bool.
func (t Type) Size() int { return types[t].Size }

// Float reports whether t is a floating-point type.
func (t Type) Float() bool { return types[t].Float }

// Integer reports whether t is an integer type.
func (t Type) Integer() bool { return types[t].Size > 0 && !types[t].Float }

// Silent reports whether a value of type t converts silently to type to: nothing is lost.
func (t Type) Silent(to Type) bool { return t == to || t.Size() > 0 && t.Cell().Widens(to.Cell()) }

// A Vec is an integer vector, one entry per loop, outermost first.
type Vec []int

// String returns the text of v as "(1, -1)".
func (v Vec) String() string {
	var b strings.Builder
	b.WriteByte('(')
	for k, x := range v {
		if k > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d", x)
	}
	b.WriteByte(')')
	return b.String()
}

// Sign returns the sign of v's first entry that is not zero: 1 if v is
// lexicographically positive, 0 if v is zero.
func (v Vec) Sign() int {
	for _, x := range v {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
	}
	return 0
}

// Affine is Const + Σ Params[k]·p_k + Σ Iters[k]·x_k, where p are the parameters of the
// nest and x are the iterators of the context: the loops for a subscript or a bound, the
// declared index names for an init expression. A slice may be nil or short: missing
// coefficients are zero.
type Affine struct {
	Const  int
	Params []int
	Iters  []int
}

// Param returns the coefficient of parameter k.
func (a Affine) Param(k int) int { return at(a.Params, k) }

// Iter returns the coefficient of iterator k.
func (a Affine) Iter(k int) int { return at(a.Iters, k) }

func at(v []int, k int) int {
	if k < len(v) {
		return v[k]
	}
	return 0
}

// PlusTimes returns a + c·b.
func (a Affine) PlusTimes(c int, b Affine) Affine {
	d := Affine{Const: a.Const + c*b.Const}
	for k := range max(len(a.Params), len(b.Params)) {
		d.Params = append(d.Params, a.Param(k)+c*b.Param(k))
	}
	for k := range max(len(a.Iters), len(b.Iters)) {
		d.Iters = append(d.Iters, a.Iter(k)+c*b.Iter(k))
	}
	return d
}

// HasIters reports whether any iterator has a coefficient other than zero.
func (a Affine) HasIters() bool {
	return slices.ContainsFunc(a.Iters, func(c int) bool { return c != 0 })
}

// OnlyLoop returns the loop on which a depends, -1 if it depends on none. ok is false if it depends on
// several, or has a coefficient other than 1 and -1.
func (a Affine) OnlyLoop() (loop int, ok bool) {
	loop = -1
	for k, c := range a.Iters {
		switch {
		case c == 0:
		case loop >= 0 || c != 1 && c != -1:
			return 0, false
		default:
			loop = k
		}
	}
	return loop, true
}

// Equal reports whether a and b have the same coefficients.
func (a Affine) Equal(b Affine) bool {
	equal := func(x, y []int) bool {
		for k := range max(len(x), len(y)) {
			if at(x, k) != at(y, k) {
				return false
			}
		}
		return true
	}
	return a.Const == b.Const && equal(a.Params, b.Params) && equal(a.Iters, b.Iters)
}

// Eval returns the value of a for the given parameters and iterators.
func (a Affine) Eval(params, iters []int) int {
	v := a.Const
	for k, c := range a.Params {
		if c != 0 {
			v += c * params[k]
		}
	}
	for k, c := range a.Iters {
		if c != 0 {
			v += c * iters[k]
		}
	}
	return v
}
