package npy

import (
	"encoding/binary"

	"loopc/runtime/array"
)

// nativeBig: this machine is big-endian.
var nativeBig = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// A loop is one dimension of a walk over a box: the number of cells, and their strides in
// the file and in the view, in cells.
type loop struct{ n, file, view int }

// A walk visits the cells of a box in file order.
type walk struct {
	loops      []loop // outermost first; the last runs along rows
	file, view int64  // positions of the first cell
}

// newWalk returns the walk over the cells of v, whose array begins with cell origin and is
// stored in a file with the given shape. Loops that are contiguous in file and view are merged.
// There is always a row loop, whose cells are contiguous in the file. The second result is
// false if v has no cells.
func newWalk(shape []int, fortran bool, v *array.View, origin []int) (walk, bool) {
	n := len(shape)
	w := walk{loops: []loop{{1, 1, 1}}}
	strides := make([]int, n)
	stride := 1
	for x := range n {
		k := n - 1 - x
		if fortran {
			k = x
		}
		strides[k] = stride
		stride *= shape[k]
	}
	for x := range n {
		k := x
		if fortran {
			k = n - 1 - x
		}
		l := loop{v.Hi[k] - v.Lo[k] + 1, strides[k], v.Stride[k]}
		if l.n <= 0 {
			return w, false
		}
		w.file += int64(v.Lo[k]-origin[k]) * int64(l.file)
		if l.n == 1 {
			continue
		}
		last := &w.loops[len(w.loops)-1]
		switch {
		case last.n == 1:
			*last = l
		case last.file == l.n*l.file && last.view == l.n*l.view:
			*last = loop{last.n * l.n, l.file, l.view}
		default:
			w.loops = append(w.loops, l)
		}
	}
	if w.loops[len(w.loops)-1].file != 1 {
		w.loops = append(w.loops, loop{1, 1, 1})
	}
	return w, true
}

// rows calls f with the position of every row, in cells.
func (w *walk) rows(f func(file, view int64) error) error {
	outer := w.loops[:len(w.loops)-1]
	at := make([]int, len(outer))
	file, view := w.file, w.view
	for {
		if err := f(file, view); err != nil {
			return err
		}
		k := len(outer) - 1
		for ; k >= 0; k-- {
			l := outer[k]
			if at[k]++; at[k] < l.n {
				file += int64(l.file)
				view += int64(l.view)
				break
			}
			at[k] = 0
			file -= int64(l.n-1) * int64(l.file)
			view -= int64(l.n-1) * int64(l.view)
		}
		if k < 0 {
			return nil
		}
	}
}

// swap reverses the bytes of every cell of b.
func swap(b []byte, size int) {
	switch size {
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			binary.BigEndian.PutUint32(b, binary.LittleEndian.Uint32(b))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			binary.BigEndian.PutUint64(b, binary.LittleEndian.Uint64(b))
		}
	}
}
