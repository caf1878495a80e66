package eval

import (
	"fmt"
	"math"

	"loopc/ir"
	"loopc/runtime/element"
	_ "loopc/runtime/wideint"
)

// An Array is a dense array in C order: the last index runs fastest. Lo and Hi
// are the inclusive bounds of the indices, one per dimension; a dimension with
// Hi = Lo-1 is empty. The cells are in Floats or in Ints, values of type Elem; the other slice
// is nil.
type Array struct {
	Elem   ir.Type
	Lo, Hi []int
	Floats []float64
	Ints   []int64
}

// maxCells bounds the size of the interpreter's arrays.
const maxCells = 1 << 31

// NewArray returns an array of zeros with the given inclusive bounds. It returns
// an error if an extent is negative or the array has more than 2^31 cells.
func NewArray(elem ir.Type, lo, hi []int) (*Array, error) {
	a := &Array{Elem: elem, Lo: lo, Hi: hi}
	for k := range lo {
		if hi[k] < lo[k]-1 {
			return nil, fmt.Errorf("dimension %d is %d..%d: negative extent", k+1, lo[k], hi[k])
		}
	}
	size := 1
	for k := range lo {
		extent := hi[k] - lo[k] + 1
		if extent < 0 || (extent > 0 && size > maxCells/extent) {
			return nil, fmt.Errorf("more than %d cells", maxCells)
		}
		size *= extent
	}
	switch {
	case elem.Float():
		a.Floats = make([]float64, size)
	case elem.Integer():
		a.Ints = make([]int64, size)
	default:
		panic("BUG: array of " + elem.String())
	}
	return a, nil
}

// Len returns the number of cells within the bounds.
func (a *Array) Len() int {
	size := 1
	for k := range a.Lo {
		size *= a.Hi[k] - a.Lo[k] + 1
	}
	return size
}

// stored returns the number of cells in the slice of a's type.
func (a *Array) stored() int { return len(a.Floats) + len(a.Ints) }

// Offset returns where a cell lies in the slice, and false if an index is
// outside the bounds.
func (a *Array) Offset(cell []int) (int, bool) {
	at := 0
	for k, x := range cell {
		if x < a.Lo[k] || x > a.Hi[k] {
			return 0, false
		}
		at = at*(a.Hi[k]-a.Lo[k]+1) + x - a.Lo[k]
	}
	return at, true
}

// Cell returns the indices of the cell at an offset: the inverse of Offset.
func (a *Array) Cell(offset int) []int {
	cell := make([]int, len(a.Lo))
	for k := len(cell) - 1; k >= 0; k-- {
		extent := a.Hi[k] - a.Lo[k] + 1
		cell[k] = a.Lo[k] + offset%extent
		offset /= extent
	}
	return cell
}

// Clone returns a copy that shares no cells with a.
func (a *Array) Clone() *Array {
	return &Array{
		Elem:   a.Elem,
		Lo:     append([]int(nil), a.Lo...),
		Hi:     append([]int(nil), a.Hi...),
		Floats: append([]float64(nil), a.Floats...),
		Ints:   append([]int64(nil), a.Ints...),
	}
}

// at returns the value of the cell at an offset.
func (a *Array) at(offset int) value {
	if a.Elem.Float() {
		return value{f: a.Floats[offset]}
	}
	return value{i: a.Ints[offset]}
}

// set gives the cell at an offset a value of a's type.
func (a *Array) set(offset int, v value) {
	if a.Elem.Float() {
		a.Floats[offset] = v.f
	} else {
		a.Ints[offset] = v.i
	}
}

// Bytes returns the cells as bytes, as they are in the memory of Go and NumPy.
func (a *Array) Bytes() []byte {
	cell := a.Elem.Cell()
	out := make([]byte, a.stored()*cell.Size)
	for k := range a.stored() {
		v := a.at(k)
		cell.Set(out, k, element.Value{F: v.f, I: v.i})
	}
	return out
}

// Text returns the text of the cell at an offset, floats with enough digits to distinguish all values.
func (a *Array) Text(offset int) string {
	switch v := a.at(offset); a.Elem {
	case ir.Float32:
		return fmt.Sprintf("%v (%#08x)", float32(v.f), math.Float32bits(float32(v.f)))
	case ir.Float64:
		return fmt.Sprintf("%v (%#016x)", v.f, math.Float64bits(v.f))
	default:
		return fmt.Sprint(v.i)
	}
}

// Diff compares two arrays bit for bit, except that all NaNs are equal. It returns true if
// the arrays are equal, else false and the first different cell in C order, which is nil if
// types or bounds differ.
func Diff(a, b *Array) (cell []int, ok bool) {
	if a.Elem != b.Elem || len(a.Lo) != len(b.Lo) || a.stored() != b.stored() {
		return nil, false
	}
	for k := range a.Lo {
		if a.Lo[k] != b.Lo[k] || a.Hi[k] != b.Hi[k] {
			return nil, false
		}
	}
	for k := range a.stored() {
		if !sameBits(a.Elem, a.at(k), b.at(k)) {
			return a.Cell(k), false
		}
	}
	return nil, true
}

// sameBits compares two values of type t. Widening preserves all distinctions between
// float32 values, except NaN payloads, which do not count.
func sameBits(t ir.Type, x, y value) bool {
	if !t.Float() {
		return x.i == y.i
	}
	if math.IsNaN(x.f) || math.IsNaN(y.f) {
		return math.IsNaN(x.f) && math.IsNaN(y.f)
	}
	return math.Float64bits(x.f) == math.Float64bits(y.f)
}
