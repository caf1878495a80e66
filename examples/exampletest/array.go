package exampletest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// A Number is the type of a cell in the examples.
type Number interface {
	float32 | float64 | int32 | uint8
}

// descr is the name that a .npy file has for a type of cells.
func descr[T Number]() string {
	t, kind := reflect.TypeFor[T](), "i"
	switch {
	case t.Kind() == reflect.Uint8:
		return "|u1"
	case t.Kind() >= reflect.Float32:
		kind = "f"
	}
	return fmt.Sprintf("<%s%d", kind, t.Size())
}

// dict returns the header text of a .npy file for an array of the given shape, exactly as NumPy
// writes it; loopc must write the same.
func dict[T Number](shape []int) string {
	var b strings.Builder
	for _, e := range shape {
		fmt.Fprintf(&b, "%d, ", e)
	}
	sizes := strings.TrimSuffix(b.String(), ", ")
	if len(shape) == 1 {
		sizes += ","
	}
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr[T](), sizes)
}

// Write writes cells, an array of the given shape in C order, to the named file.
func Write[T Number](l *Loopc, name string, shape []int, cells []T) {
	l.t.Helper()
	text := dict[T](shape)
	// Six bytes of magic, two of version, two of length; the cells begin at a multiple of 64.
	for (10+len(text)+1)%64 != 0 {
		text += " "
	}
	text += "\n"
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(text)))
	b = append(b, text...)
	b, err := binary.Append(b, binary.LittleEndian, cells)
	if err == nil {
		err = os.WriteFile(filepath.Join(l.dir, name), b, 0o666)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// Read returns the cells of the named file in C order. The test fails unless the file has an
// array of the given shape with cells of type T.
func Read[T Number](l *Loopc, name string, shape ...int) []T {
	l.t.Helper()
	b, err := os.ReadFile(filepath.Join(l.dir, name))
	if err != nil {
		l.t.Fatal(err)
	}
	if len(b) < 10 || string(b[:8]) != "\x93NUMPY\x01\x00" {
		l.t.Fatalf("%s is not a .npy file of version 1", name)
	}
	rest := b[10:]
	length := int(binary.LittleEndian.Uint16(b[8:]))
	if length > len(rest) {
		l.t.Fatalf("%s ends within its header", name)
	}
	if got, want := strings.TrimSpace(string(rest[:length])), dict[T](shape); got != want {
		l.t.Fatalf("%s has the header %s, want %s", name, got, want)
	}
	n := 1
	for _, e := range shape {
		n *= e
	}
	cells := make([]T, n)
	if size := binary.Size(cells); len(rest)-length != size {
		l.t.Fatalf("%s has %d bytes of cells, want %d", name, len(rest)-length, size)
	}
	if err := binary.Read(bytes.NewReader(rest[length:]), binary.LittleEndian, cells); err != nil {
		l.t.Fatal(err)
	}
	return cells
}

// SameBits fails the test if got, an array that loopc has computed, differs from want in any
// bit; all NaNs are equal.
func SameBits[T Number](l *Loopc, what string, shape []int, got, want []T) {
	l.t.Helper()
	if len(got) != len(want) {
		l.t.Fatalf("%s: %d cells, want %d", what, len(got), len(want))
	}
	wrong := 0
	for k := range want {
		if same(got[k], want[k]) {
			continue
		}
		if wrong++; wrong > 3 {
			continue
		}
		index, at := make([]int, len(shape)), k
		for d := len(shape) - 1; d >= 0; d-- {
			index[d] = at % shape[d]
			at /= shape[d]
		}
		l.t.Errorf("%s: cell %v is %v, want %v", what, index, got[k], want[k])
	}
	if wrong > 0 {
		l.t.Fatalf("%s: %d of %d cells differ", what, wrong, len(want))
	}
}

// same reports whether two numbers have the same bits or are both NaN.
func same[T Number](a, b T) bool {
	if a != a || b != b {
		return a != a && b != b
	}
	// A conversion to float64 keeps every value, and the sign of zero.
	return math.Float64bits(float64(a)) == math.Float64bits(float64(b))
}
