package element_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"loopc/runtime/element"
)

// goldens are what Go and NumPy say of the types.
var goldens = map[string]struct {
	size  int
	float bool
	lo    int64
	hi    int64
	numpy string
}{
	"float32": {4, true, -1 << 24, 1 << 24, "f4"},
	"float64": {8, true, -1 << 53, 1 << 53, "f8"},
	"int8":    {1, false, math.MinInt8, math.MaxInt8, "i1"},
	"int16":   {2, false, math.MinInt16, math.MaxInt16, "i2"},
	"int32":   {4, false, math.MinInt32, math.MaxInt32, "i4"},
	"int64":   {8, false, math.MinInt64, math.MaxInt64, "i8"},
	"uint8":   {1, false, 0, math.MaxUint8, "u1"},
	"uint16":  {2, false, 0, math.MaxUint16, "u2"},
}

func TestTable(t *testing.T) {
	if len(element.All()) != len(goldens) {
		t.Errorf("%d types, and %d are known here", len(element.All()), len(goldens))
	}
	for _, e := range element.All() {
		want := goldens[e.Name]
		if e.Size != want.size || e.Float != want.float || e.Lo != want.lo || e.Hi != want.hi || e.NumPy() != want.numpy {
			t.Errorf("%s: %+v", e.Name, e)
		}
		if element.Named(e.Name) != e {
			t.Errorf("%s is not found by its name", e.Name)
		}
	}
	if element.Named("bool") != nil || element.Of[uint8]() != element.Named("uint8") || element.Of[float64]().Name != "float64" {
		t.Error("wrong types are found")
	}
}

// TestCells writes values into cells and reads them again, with their neighbors.
func TestCells(t *testing.T) {
	for _, e := range element.All() {
		cells := make([]byte, 8*3)[:3*e.Size]
		for _, x := range []int64{0, 1, -1, e.Lo, e.Hi, e.Hi + 1, e.Lo - 1, 12345678901} {
			e.Set(cells, 0, element.Value{I: 7, F: 7})
			e.Set(cells, 2, element.Value{I: 9, F: 9})
			e.Set(cells, 1, element.Value{I: x, F: float64(x)})
			got, want := e.Value(cells, 1), element.Value{I: wrapped(x, e.Size, e.Lo < 0)}
			switch {
			case e.Float && e.Size == 4:
				want = element.Value{F: float64(float32(x))}
			case e.Float:
				want = element.Value{F: float64(x)}
			case e.Wrapped(x) != want.I:
				t.Errorf("%s: %d wraps to %d, want %d", e.Name, x, e.Wrapped(x), want.I)
			}
			if got != want {
				t.Errorf("%s: %d is read as %+v, want %+v", e.Name, x, got, want)
			}
			if a, b := e.Value(cells, 0), e.Value(cells, 2); a.I+int64(a.F) != 7 || b.I+int64(b.F) != 9 {
				t.Errorf("%s: neighbors are %+v and %+v", e.Name, a, b)
			}
		}
	}
}

// wrapped is x modulo 2^(8·size), in the range of a signed or an unsigned type.
func wrapped(x int64, size int, signed bool) int64 {
	n := new(big.Int).Lsh(big.NewInt(1), uint(8*size))
	r := new(big.Int).Mod(big.NewInt(x), n)
	if half := new(big.Int).Rsh(n, 1); signed && r.Cmp(half) >= 0 {
		r.Sub(r, n)
	}
	return r.Int64()
}

// TestWidens compares with conversions of values about the bounds of the types.
func TestWidens(t *testing.T) {
	for _, from := range element.All() {
		for _, to := range element.All() {
			want := to.Float || !from.Float
			for _, x := range []int64{from.Lo, from.Lo + 1, -1, from.Hi - 1, from.Hi} {
				if from.Has(x) {
					cells := make([]byte, 8)[:to.Size]
					to.Set(cells, 0, element.Value{I: x, F: float64(x)})
					back := to.Value(cells, 0)
					exact, _ := big.NewFloat(back.F).Int64()
					want = want && (to.Float && exact == x || !to.Float && back.I == x)
				}
			}
			if from.Widens(to) != want {
				t.Errorf("%s widens to %s: %t, want %t", from.Name, to.Name, !want, want)
			}
		}
	}
}

// TestToLanes compares the conversion of many cells with that of single cells, for adjacent cells,
// cells apart, and cells in descending order.
func TestToLanes(t *testing.T) {
	const n = 5
	for _, from := range element.All() {
		for _, name := range []string{"float32", "float64", "int32", "int64"} {
			to := element.Named(name)
			if from.Float && !to.Float {
				continue // kernels convert a float themselves: out of range, Go leaves it open
			}
			for _, steps := range [][4]int{{0, 1, 0, 1}, {2, 3, 1, 2}, {1, 1, 8, -2}} {
				at, toStep, first, fromStep := steps[0], steps[1], steps[2], steps[3]
				src, dst, want := make([]byte, 8*16), make([]byte, 8*16), make([]byte, 8*16)
				for k := range 16 {
					from.Set(src, k, element.Value{I: from.Hi - int64(k)*29, F: 0.3 - float64(k)})
				}
				for k := range n {
					v := from.Value(src, first+k*fromStep)
					if !from.Float {
						v.F = float64(v.I)
					}
					to.Set(want, at+k*toStep, v)
				}
				from.ToLanes(to)(dst, at, toStep, src, first, fromStep, n)
				if !slices.Equal(dst, want) {
					t.Errorf("%s to %s, steps %v: %v, want %v", from.Name, name, steps, dst, want)
				}
			}
		}
	}
}
