package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/runtime/array"
)

// write makes a file of format version with the given dictionary and cells.
func write(t testing.TB, version int, dict string, cells []byte) string {
	t.Helper()
	b := append([]byte(magic), byte(version), 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(path, append(append(b, dict...), cells...), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// value is the content of cell k, in C order, of every array in these tests.
func value(k int) int64 { return int64(k)*0x01020304050607 + 11 }

// cellBytes returns the cells of an array of the shape as they lie in a file.
func cellBytes(descr string, shape []int, fortran bool) []byte {
	size := int(descr[2] - '0')
	n := 1
	for _, e := range shape {
		n *= e
	}
	out := make([]byte, n*size)
	for k := range n {
		rest, at, stride := k, 0, 1
		index := make([]int, len(shape))
		for x := len(shape) - 1; x >= 0; x-- {
			index[x] = rest % shape[x]
			rest /= shape[x]
		}
		for x := range shape {
			d := len(shape) - 1 - x
			if fortran {
				d = x
			}
			at += index[d] * stride
			stride *= shape[d]
		}
		var b [8]byte
		if descr[0] == '>' {
			binary.BigEndian.PutUint64(b[:], uint64(value(k)))
			copy(out[at*size:], b[8-size:])
		} else {
			binary.LittleEndian.PutUint64(b[:], uint64(value(k)))
			copy(out[at*size:(at+1)*size], b[:])
		}
	}
	return out
}

// TestReadBox reads random boxes of arrays of every type, byte order and order
// of storage, and compares each cell with what its indices say.
func TestReadBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		descr := []string{"<f8", ">f8", "<i4", ">f4", "|u1", "<i8", ">i8", "<u1"}[rng.IntN(8)]
		elem := elemOf(descr[1:]).Name
		shape, origin := []int{}, []int{}
		for range rng.IntN(4) {
			shape = append(shape, 1+rng.IntN(7))
			origin = append(origin, rng.IntN(9)-4)
		}
		if n%50 == 0 {
			shape, origin = []int{40, 3, 3000}, []int{0, 1, -2} // rows longer than a buffer's gap
		}
		fortran, word := rng.IntN(2) == 0, "False"
		if fortran {
			word = "True"
		}
		dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, word, Shape(shape))
		path := write(t, 1+rng.IntN(3), dict, cellBytes(descr, shape, fortran))
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Want(elem, shape); err != nil {
			t.Fatal(err)
		}
		lo, hi := make([]int, len(shape)), make([]int, len(shape))
		for k, e := range shape {
			a := rng.IntN(e)
			b := a + rng.IntN(e-a)
			lo[k], hi[k] = origin[k]+a, origin[k]+b
		}
		view, err := array.Make(elem, lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.ReadBox(&view, origin); err != nil {
			t.Fatal(err)
		}
		cell := append([]int{}, lo...)
		for {
			flat := 0
			for k, e := range shape {
				flat = flat*e + cell[k] - origin[k]
			}
			var want [8]byte
			binary.NativeEndian.PutUint64(want[:], uint64(value(flat)))
			low := want[:view.Size]
			if nativeBig {
				low = want[8-view.Size:]
			}
			at := view.Offset(cell) * view.Size
			if got := view.Data[at : at+view.Size]; !bytes.Equal(got, low) {
				t.Fatalf("%s %s fortran=%v box %v..%v: cell %v is %x, not %x", descr, Shape(shape), fortran, lo, hi, cell, got, low)
			}
			k := len(cell) - 1
			for ; k >= 0; k-- {
				if cell[k]++; cell[k] <= hi[k] {
					break
				}
				cell[k] = lo[k]
			}
			if k < 0 {
				break
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWriteWritten writes an array in boxes, each by a writer of its own and
// only the cells that are marked, and reads it back whole.
func TestWriteWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		shape, origin, top := []int{}, []int{}, []int{}
		for range 1 + rng.IntN(3) {
			shape = append(shape, 1+rng.IntN(9))
			origin = append(origin, rng.IntN(5)-2)
		}
		for k := range shape {
			top = append(top, origin[k]+shape[k]-1)
		}
		path := filepath.Join(t.TempDir(), "out.npy")
		file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Create(Headed, file, "int32", shape); err != nil {
			t.Fatal(err)
		}
		want, err := array.Make("int32", origin, top)
		if err != nil {
			t.Fatal(err)
		}
		cells := array.Cells[int32](want)
		cut := origin[0] + rng.IntN(shape[0])
		for part := range 2 {
			lo, hi := append([]int{}, origin...), append([]int{}, top...)
			if part == 0 {
				hi[0] = cut
			} else {
				lo[0] = cut + 1
			}
			view, err := array.Make("int32", lo, hi)
			if err != nil {
				t.Fatal(err)
			}
			view.TrackWritten()
			base := want.Offset(lo)
			for k := range view.Cells() {
				array.Cells[int32](view)[k] = rng.Int32() // must not be written unless marked
				if rng.IntN(3) > 0 {
					view.MarkWritten(k, 1, 1)
					cells[base+k] = array.Cells[int32](view)[k]
				}
			}
			w, err := Append(Headed, file, "int32", shape)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.WriteWritten(&view, origin); err != nil {
				t.Fatal(err)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if f.Start%headerAlign != 0 {
			t.Errorf("cells begin at %d", f.Start)
		}
		got, err := array.Make("int32", origin, top)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.ReadBox(&got, origin); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Data, want.Data) {
			t.Fatalf("shape %v: the file holds %v, not %v", shape, array.Cells[int32](got), cells)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRefused gives Open files that it must refuse. The error must name the file and say what is
// wrong.
func TestRefused(t *testing.T) {
	const good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n"
	for _, c := range []struct{ dict, want string }{
		{strings.Replace(good, "<f8", "<c16", 1), ": cells of type \"<c16\" are not supported"},
		{strings.Replace(good, "<f8", "<c16", 1), "save .real, and .imag for another array, of the array"},
		{strings.Replace(good, "<f8", "<f2", 1), `save .astype("float32") of the array`},
		{strings.Replace(good, "<f8", ">f16", 1), `save .astype("float64") of the array`},
		{strings.Replace(good, "<f8", "|O", 1), `save .astype("float64") of the array`},
		{strings.Replace(good, "<f8", "<u8", 1), `save .astype("int64") of the array`},
		{strings.Replace(good, "<f8", "<U1", 1), `save .astype("S1") of the array`},
		{strings.Replace(good, "<f8", "|S2", 1), "save .astype(...)"},
		{strings.Replace(good, "<f8", "|f8", 1), "not supported"},
		{strings.Replace(good, "'<f8'", "[('a', '<f8')]", 1), "fields"},
		{strings.Replace(good, "(2, 3)", "(2, 4)", 1), "truncated: 48 bytes of cells, but (2, 4) cells of float64 take 64"},
		{strings.Replace(good, "(2, 3)", "(2, 2)", 1), "something follows the (2, 2) cells of float64, which take 32 bytes"},
		{strings.Replace(good, "(2, 3)", "(2, -3)", 1), "expected a size"},
		{strings.Replace(good, "(2, 3)", "(6)", 1), "not a tuple"},
		{strings.Replace(good, "(2, 3)", "(4294967296, 4294967296)", 1), "too large"},
		{strings.Replace(good, "(2, 3)", "(99999999999999999999,)", 1), "expected a size"},
		{strings.Replace(good, "(2, 3)", "("+strings.Repeat("1,", 65)+")", 1), "more than 64 dimensions"},
		{strings.Replace(good, "'shape'", "'shapes'", 1), "unknown key"},
		{strings.Replace(good, "'fortran_order': False, ", "", 1), "must all be there"},
		{strings.Replace(good, "'shape'", "'descr': '<f8', 'shape'", 1), "comes twice"},
		{good + "import os", "text after"},
		{"", `expected "{"`},
	} {
		path := write(t, 1, c.dict, make([]byte, 48))
		_, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("header %q: error %v does not say %q", c.dict, err, c.want)
		}
	}
	whole, err := os.ReadFile(write(t, 1, good, make([]byte, 48)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		path := filepath.Join(t.TempDir(), "cut.npy")
		if err := os.WriteFile(path, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil {
			t.Errorf("a file cut to %d of %d bytes was opened", n, len(whole))
		}
	}
	path := write(t, 1, good, make([]byte, 48))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range []struct {
		elem  string
		shape []int
		want  string
	}{
		{"float32", []int{2, 3}, "expected cells of type float32, the file has float64"},
		{"float64", []int{3, 2}, "expected shape (3, 2), the file has (2, 3)"},
		{"float64", []int{6}, "expected shape (6,), the file has (2, 3)"},
	} {
		if err := f.Want(c.elem, c.shape); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v does not say %q", err, c.want)
		}
	}
}

// FuzzHeader: for any header, the parser returns an error or plausible values, and does not panic.
func FuzzHeader(f *testing.F) {
	for _, elem := range []string{"float32", "uint8", "int64"} {
		for _, shape := range [][]int{{}, {5}, {3, 0, 1 << 40}} {
			b, err := appendHeader(elem, shape, headerAlign)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Add([]byte(magic + "\x03\x00\x20\x00\x00\x00{\"shape\":(3L,),'descr':'>i4','fortran_order':True}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ReadHeader(bytes.NewReader(b))
		if err != nil {
			return
		}
		if array.SizeOf(h.Elem) != h.Size || h.Cells() < 0 || h.Cells()*int64(h.Size) < h.Cells() || h.Start > int64(len(b)) {
			t.Fatalf("accepted %+v", h)
		}
		again, err := appendHeader(h.Elem, h.Shape, headerAlign)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadHeader(bytes.NewReader(again))
		if err != nil || back.Elem != h.Elem || Shape(back.Shape) != Shape(h.Shape) {
			t.Fatalf("%+v was written and read back as %+v, %v", h, back, err)
		}
	})
}
