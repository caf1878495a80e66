// Package element says what the cells of arrays are: the types of the language.
//
// The table types is the only definition: the frontend, the interpreter, the runtime and the files of NumPy ask it for a type's name, size
// and range. To add a type, add a row to the table and a term to Float or Integer.
//
// # Invariants
//
// The name of a type is the same in the language, in Go and in plan.Array. Integers wrap. A float64 holds each value of any type but int64,
// and an int64 each value of an integer type: a type such as uint64 is refused when a program starts.
package element

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// Float is the Go types of floats.
type Float interface{ float32 | float64 }

// Integer is the Go types of integers.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16
}

// Number is the Go types of cells.
type Number interface{ Float | Integer }

// A Type is a type of cells. All integers from Lo to Hi are values of the type. They are all values of
// an integer type; a float type has further ones.
type Type struct {
	Name   string
	Size   int // bytes
	Float  bool
	Lo, Hi int64

	value   func(memory []byte, k int) Value
	set     func(memory []byte, k int, v Value)
	toLanes func(to string) Converter
	// fromLanes is nil for floats.
	fromLanes func(from string) Converter
}

// A Value is a number of some type: F of a float type, I of an integer type.
type Value struct {
	F float64
	I int64
}

// types has a row for each type, in the order in which messages list them.
var types = []Type{
	float[float32](24), float[float64](53),
	integer[int8](), integer[int16](), integer[int32](), integer[int64](),
	integer[uint8](), integer[uint16](),
}

// float is the row of a float type whose numbers have the given number of significant bits.
func float[T Float](bits int) Type {
	t := row[T]()
	t.Float, t.Lo, t.Hi = true, -1<<bits, 1<<bits
	t.value = func(memory []byte, k int) Value { return Value{F: float64(cells[T](memory)[k])} }
	t.set = func(memory []byte, k int, v Value) { cells[T](memory)[k] = T(v.F) }
	return t
}

// integer is the row of an integer type.
func integer[T Integer]() Type {
	t := row[T]()
	t.Lo, t.Hi = limits(t.Size, T(0)-1 < 0)
	t.fromLanes = fromLanes[T]
	t.value = func(memory []byte, k int) Value { return Value{I: int64(cells[T](memory)[k])} }
	t.set = func(memory []byte, k int, v Value) { cells[T](memory)[k] = T(v.I) }
	return t
}

// limits returns the least and the greatest integer of size bytes. It refuses types whose integers an int64
// cannot hold, because the interpreter, the analysis and the runtime hold every integer in an int64.
func limits(size int, signed bool) (lo, hi int64) {
	hi = 1<<(8*size-1) - 1
	switch {
	case signed:
		return -hi - 1, hi
	case size >= 8:
		panic(fmt.Sprintf("BUG: an int64 cannot hold unsigned integers of %d bytes", size))
	}
	return 0, 2*hi + 1
}

func row[T Number]() Type {
	return Type{Name: fmt.Sprintf("%T", T(0)), Size: int(unsafe.Sizeof(T(0))), toLanes: toLanes[T]}
}

// cells returns the cells of type T that lie in memory.
func cells[T Number](memory []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/int(unsafe.Sizeof(T(0))))
}

// All returns the types.
func All() []*Type {
	all := make([]*Type, len(types))
	for k := range types {
		all[k] = &types[k]
	}
	return all
}

// Named returns the type of that name, nil if there is none.
func Named(name string) *Type {
	for k := range types {
		if types[k].Name == name {
			return &types[k]
		}
	}
	return nil
}

// Of returns the type whose cells are those of Go's T.
func Of[T Number]() *Type { return Named(fmt.Sprintf("%T", T(0))) }

// Value returns cell k of cells, which are aligned.
func (t *Type) Value(cells []byte, k int) Value { return t.value(cells, k) }

// Set gives cell k of cells the value v, rounded or wrapped to the type.
func (t *Type) Set(cells []byte, k int, v Value) { t.set(cells, k, v) }

// Lowest returns the value that no value is below.
func (t *Type) Lowest() Value {
	if t.Float {
		return Value{F: math.Inf(-1)}
	}
	return Value{I: t.Lo}
}

// Highest returns the value that no value is above.
func (t *Type) Highest() Value {
	if t.Float {
		return Value{F: math.Inf(1)}
	}
	return Value{I: t.Hi}
}

// Wrapped returns x modulo the size of an integer type.
func (t *Type) Wrapped(x int64) int64 {
	if unused := 64 - 8*t.Size; t.Lo < 0 {
		return x << unused >> unused
	}
	return x & t.Hi
}

// Has reports whether the integer x is a value.
func (t *Type) Has(x int64) bool { return t.Lo <= x && x <= t.Hi }

// Widens reports whether every value of t is a value of type to.
func (t *Type) Widens(to *Type) bool {
	return to.Lo <= t.Lo && t.Hi <= to.Hi && (to.Float || !t.Float)
}

// Text returns the text of v with as many digits as distinguish the values of the type.
func (t *Type) Text(v Value) string {
	if t.Float {
		return strconv.FormatFloat(v.F, 'g', -1, 8*t.Size)
	}
	return strconv.FormatInt(v.I, 10)
}

// NumPy returns NumPy's name of the type, a letter and a size, such as f8.
func (t *Type) NumPy() string {
	kind := "i"
	switch {
	case t.Float:
		kind = "f"
	case t.Lo == 0:
		kind = "u"
	}
	return kind + strconv.Itoa(t.Size)
}
