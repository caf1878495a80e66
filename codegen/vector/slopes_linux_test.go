package vector

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"loopc/codegen/asm/asmtest"
)

// TestSlopes compares rows whose columns move from row to row, or stay, with loops in Go, for slopes in both directions and any numbers of rows.
// All cells beside the iterations stay as they are. Arrays begin or end where memory may not be read.
func TestSlopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 30))
	for _, c := range []struct {
		skew, right int // columns to the right that the row above is read
	}{{1, 0}, {2, 1}} {
		for _, step := range []int{1, -1} {
			loop := map[int]string{1: "1..N", -1: "N..1 step -1"}[step]
			n, l, p := lowered(t, fmt.Sprintf("param M, N = 70, 70\narray b[1..N] int32 in\narray a[1..M] int32 in\narray x[0..M, 0..N+1] int32 inout\nfor i = 1..M, j = %s {\n\tx[i,j] = max(x[i-1,j%+d] - b[j], x[i,j%+d] - a[i], x[i-1,j] - j)\n}\n", loop, c.right*step, -step))
			live := make([]bool, len(n.Body))
			for k := range live {
				live[k] = true
			}
			s, why := AnalyzeFront(n, l, p, live, c.skew)
			if s == nil {
				t.Fatal(why)
			}
			text, functions, why := s.Assembly("f", "the test")
			if text == nil {
				t.Fatal(why)
			}
			code := asmtest.Parse(string(text))
			for _, f := range functions {
				for range 12 {
					slopedRows(t, rng, s, code, f.Name, c.skew, c.right, step)
				}
			}
		}
	}
}

// slopedRows is one case of TestSlopes.
func slopedRows(t *testing.T, rng *rand.Rand, s *Shape, code *asmtest.Code, name string, skew, right, step int) {
	rows, width, first := 1+rng.IntN(40), 1+rng.IntN(60), 1
	by := [2]int{rng.IntN(5) - 2, rng.IntN(5) - 2} // columns by which a row begins, and ends, after the row above
	if shorter := (by[0] - by[1]) * (rows - 1); shorter > 0 {
		width += shorter
	}
	first += max(0, -by[0]*(rows-1))
	columns := max(first+width-1, first+width-1+by[1]*(rows-1))
	if step < 0 { // columns are counted from the other end
		first = columns + 1 - first
	}
	stride := columns + 2
	atEnd := rng.IntN(2) == 0
	x, a, b := fenced(t, rng, (rows+1)*stride, atEnd), fenced(t, rng, rows, atEnd), fenced(t, rng, columns, atEnd)
	want := slices.Clone(x)
	for i := range rows {
		for k := by[0] * i; k < width+by[1]*i; k++ {
			j := first + step*k
			at := (i+1)*stride + j
			want[at] = max(want[at-stride+right*step]-b[j-1], want[at-step]-a[i], want[at-stride]-int32(j))
		}
	}
	frame := make([]int, s.Words())
	frame[FrameRows], frame[FrameWidth] = rows, width
	frame[s.FrameSlope(0)], frame[s.FrameSlope(1)] = by[0]+skew, by[1]+skew
	for k, of := range s.Indices {
		frame[s.FrameIndex(k)] = map[int]int{0: 1, 1: first}[of.Loop]
	}
	memory := func(all []int32, k int) int { return int(uintptr(unsafe.Pointer(&all[0]))) + 4*k }
	for k := range s.Streams {
		array, subs := s.Cell(k)
		all, row, at := x, stride, 0
		switch array {
		case 0:
			all, row, at = b, 0, first-1+subs[0].Const
		case 1:
			all, row, at = a, 1, subs[0].Const
		default:
			at = (1+subs[0].Const)*stride + first + subs[1].Const
		}
		frame[s.FrameAt(k)], frame[s.FrameStep(k)] = memory(all, at), 4*row
		frame[s.FrameMemory(k)], frame[s.FrameMemory(k)+1] = memory(all, 0), memory(all, len(all))
	}
	code.Call(name, unsafe.Pointer(&frame[0]))
	runtime.KeepAlive([][]int32{a, b})
	if !slices.Equal(x, want) {
		at := 0
		for x[at] == want[at] {
			at++
		}
		t.Fatalf("%s, skew %d, step %d, %d rows, the first of %d columns from %d on, slopes %v: row %d, column %d is %d, not %d", name, skew, step, rows, width, first, by, at/stride, at%stride, x[at], want[at])
	}
}

// fenced returns n random cells, before or behind (atEnd) which memory may not be read.
func fenced(t *testing.T, rng *rand.Rand, n int, atEnd bool) []int32 {
	page := syscall.Getpagesize()
	size := (4*n+page-1)/page*page + 2*page
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, fence := range [][]byte{memory[:page], memory[size-page:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	at := page
	if atEnd {
		at = size - page - 4*n
	}
	all := unsafe.Slice((*int32)(unsafe.Pointer(&memory[at])), n)
	for k := range all {
		all[k] = rng.Int32N(1000)
	}
	return all
}
