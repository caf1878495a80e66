package npy

import (
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/element"
)

// alike are descrs, without byte order, of cells that are read as another type: a bool is 0 or 1, and
// a string of one byte is this byte.
var alike = map[string]*element.Type{"b1": element.Of[uint8](), "S1": element.Of[uint8]()}

// Fit makes ReadBox read the file as an array of the given type and shape. Cells of another type are
// converted if the type has all their values, and integers to integers of a narrower type: ReadBox then refuses a value that
// the type does not have. A file of one cell fits every array of one cell. Fit returns an error that names the file if the file does
// not hold such an array.
func (f *File) Fit(elem string, shape []int) error {
	one := func(shape []int) bool { return !slices.ContainsFunc(shape, func(e int) bool { return e != 1 }) }
	if one(shape) && one(f.Shape) {
		f.Shape = slices.Clone(shape)
	}
	to, from := element.Named(elem), element.Named(f.Elem)
	if to == nil || !from.Widens(to) && (from.Float || to.Float) {
		return fmt.Errorf("%s: expected cells of type %s, the file has %s: save .astype(%q) of the array", f.name, elem, f.Elem, elem)
	}
	f.as = elem
	return f.Want(f.Elem, shape)
}

// Converts reports whether ReadBox converts the cells of the file: see Fit.
func (f *File) Converts() bool { return f.as != "" && f.as != f.Elem }

// place copies n cells of the file to dst, and converts them if necessary. In b the cells begin at
// position first. In dst they go to positions at, at+stride and so on. It fails if the type of dst lacks one of their values.
func (f *File) place(dst *array.View, at, stride int, b []byte, first, n int) error {
	if !f.Converts() {
		array.Copy(dst.Data, at, stride, b, first, 1, n, f.Size)
		return nil
	}
	from, to := element.Named(f.Elem), element.Named(f.as)
	for k := range n {
		v := from.Value(b, first+k)
		switch {
		case to.Float && !from.Float:
			v.F = float64(v.I)
		case !to.Float && !to.Has(v.I):
			return fmt.Errorf("the %s %d is out of range of %s, the type of the array", f.Elem, v.I, f.as)
		}
		to.Set(dst.Data, at+k*stride, v)
	}
	return nil
}
