// Package array has typed cells as bytes: the blocks of distributed arrays outside a run, and
// the cells that the ranks of a run read and write.
//
// A View is a box of an array's cells. In a run within one process it is the caller's own
// slice. In a process of its own, a rank has views of only those cells that it reads or writes.
//
// Large blocks use huge pages where the system has them (LargeBytes), and a Pool reuses memory.
package array

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"loopc/runtime/element"
	_ "loopc/runtime/wideint"
)

// A Number is the type of a cell.
type Number = element.Number

// A View is a box of cells in C order, or in another order of dimensions: see Ordered. The zero View holds nothing.
type View struct {
	Elem   string // name of the cells' type
	Size   int    // bytes of a cell
	Data   []byte // aligned for Elem
	Lo, Hi []int  // cells held, both ends inclusive, in the array's own indices
	Stride []int  // cells between neighbors along each dimension
	// Written has a bit for each cell that was written, if the maker of the view wants to know; otherwise it is nil.
	Written []uint64
}

// Of returns a view of s as the cells lo..hi in C order. A dimension in which hi = lo-1 is empty.
func Of[T Number](s []T, lo, hi []int) (View, error) {
	v := View{Elem: ElemOf[T](), Lo: lo, Hi: hi}
	v.Size = int(unsafe.Sizeof(*new(T)))
	n := v.strides()
	if n != len(s) {
		return View{}, fmt.Errorf("%d cells given, %d needed", len(s), n)
	}
	if n > 0 {
		v.Data = unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), n*v.Size)
	}
	return v, nil
}

// Make allocates a view of the cells lo..hi of the named type, all zero.
func Make(elem string, lo, hi []int) (View, error) { return (*Pool)(nil).Make(elem, lo, hi) }

// strides sets Stride and returns the number of cells, -1 if it overflows.
func (v *View) strides() int {
	v.Stride = make([]int, len(v.Lo))
	n := 1
	for k := len(v.Lo) - 1; k >= 0; k-- {
		v.Stride[k] = n
		e := max(0, v.Hi[k]-v.Lo[k]+1)
		if e > 0 && n > (1<<50)/e {
			return -1
		}
		n *= e
	}
	return n
}

// Cells is the number of cells held.
func (v *View) Cells() int {
	if v.Size == 0 {
		return 0
	}
	return len(v.Data) / v.Size
}

// Overlap returns the range of cells of v, from begin to end, whose memory is also memory of w; begin is end if there are none.
func (v *View) Overlap(w *View) (begin, end int) {
	if len(v.Data) == 0 || len(w.Data) == 0 {
		return 0, 0
	}
	at, other := uintptr(unsafe.Pointer(&v.Data[0])), uintptr(unsafe.Pointer(&w.Data[0]))
	from, to := max(at, other), min(at+uintptr(len(v.Data)), other+uintptr(len(w.Data)))
	if from >= to {
		return 0, 0
	}
	size := uintptr(v.Size)
	return int((from - at) / size), int((to - at + size - 1) / size)
}

// Offset returns the position of a cell in Data, in cells. The view must hold the cell.
func (v *View) Offset(cell []int) int {
	o := 0
	for k, x := range cell {
		o += (x - v.Lo[k]) * v.Stride[k]
	}
	return o
}

// Origin is the position, in cells, that the cell with all indices zero has or would have. The
// position of any cell is Origin + Σ index·Stride.
func (v *View) Origin() int {
	o := 0
	for k, lo := range v.Lo {
		o -= lo * v.Stride[k]
	}
	return o
}

// TrackWritten makes the view record which cells are written.
func (v *View) TrackWritten() { v.Written = make([]uint64, (v.Cells()+63)/64) }

// MarkWritten records that n cells, stride apart, from offset on, were written. It sets marks atomically, because the workers of a rank
// share its views, and cells of two workers may share a word.
func (v *View) MarkWritten(offset, n, stride int) {
	if v.Written == nil {
		return
	}
	if stride == -1 {
		offset, stride = offset-n+1, 1
	}
	if stride != 1 {
		for ; n > 0; n-- {
			atomic.OrUint64(&v.Written[offset>>6], 1<<(offset&63))
			offset += stride
		}
		return
	}
	for n > 0 {
		in := min(n, 64-offset&63)
		atomic.OrUint64(&v.Written[offset>>6], ^uint64(0)>>(64-in)<<(offset&63))
		offset += in
		n -= in
	}
}

// Unmark removes the marks of n cells from offset on. No other goroutine may mark cells at the same time.
func (v *View) Unmark(offset, n int) {
	for n > 0 {
		in := min(n, 64-offset&63)
		v.Written[offset>>6] &^= ^uint64(0) >> (64 - in) << (offset & 63)
		offset += in
		n -= in
	}
}

// Marked is the number of cells that are marked as written.
func (v *View) Marked() int {
	n := 0
	for _, w := range v.Written {
		n += bits.OnesCount64(w)
	}
	return n
}

// WrittenRuns calls f for every longest run of written cells among those from at up to but not including limit, as offsets
// from begin up to but not including end.
func (v *View) WrittenRuns(at, limit int, f func(begin, end int) error) error {
	next := func(at int, set bool) int {
		for at < limit {
			w := v.Written[at>>6]
			if !set {
				w = ^w
			}
			if w >>= at & 63; w != 0 {
				return min(limit, at+bits.TrailingZeros64(w))
			}
			at = (at | 63) + 1
		}
		return limit
	}
	for {
		begin := next(at, true)
		if begin >= limit {
			return nil
		}
		at = next(begin, false)
		if err := f(begin, at); err != nil {
			return err
		}
	}
}

// Cells returns the cells of a view as a slice of their type.
func Cells[T Number](v View) []T { return Cast[T](v.Data) }

// Cast returns b, which must be aligned for T, as a slice of T.
func Cast[T Number](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(*new(T))))
}

// Bytes allocates n zero bytes, aligned to 64.
func Bytes(n int) []byte {
	if n <= 0 {
		return nil
	}
	b := make([]byte, n+63)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & 63)
	return b[skip : skip+n : skip+n]
}

// ElemOf returns the name of T.
func ElemOf[T Number]() string { return element.Of[T]().Name }

// SizeOf returns the bytes of a cell of the named type, 0 if there is none.
func SizeOf(elem string) int {
	if t := element.Named(elem); t != nil {
		return t.Size
	}
	return 0
}

// Cell returns the value of cell k of Data.
func (v *View) Cell(k int) element.Value { return element.Named(v.Elem).Value(v.Data, k) }

// SetCell gives cell k of Data a value, rounded or wrapped to the type of the cells.
func (v *View) SetCell(k int, x element.Value) { element.Named(v.Elem).Set(v.Data, k, x) }
