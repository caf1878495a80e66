package vector

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"loopc/codegen/asm/asmtest"
)

// TestComponents reads one component of cells with so many components each, in rows of all lengths. The array ends where memory
// ends, or begins where memory begins: no other byte is read. A caller may have another distance between cells than the declared
// bounds say.
func TestComponents(t *testing.T) {
	components[uint8](t, "uint8")
	components[int16](t, "int16")
	components[int32](t, "int32")
	components[float32](t, "float32")
	components[float64](t, "float64")
	components[int64](t, "int64")
}

// components does TestComponents for a type of cells.
func components[T uint8 | int16 | int32 | int64 | float32 | float64](t *testing.T, elem string) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const mostWidth = 70
	rng := rand.New(rand.NewPCG(5, 7))
	page := syscall.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 4*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	if err := syscall.Mprotect(memory[page:3*page], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	for of := 2; of <= 5; of++ {
		for _, step := range []int{1, -1} {
			loop := map[int]string{1: "0..W-1", -1: "W-1..0 step -1"}[step]
			s := rowsOf(t, fmt.Sprintf("param W = 70\narray a[0..0, 0..W-1, 0..%d] %s in\narray x[0..0, 0..W-1] %s out\nfor i = 0..0, j = %s {\n\tx[i,j] = a[i,j,0]\n}\n", of-1, elem, elem, loop))
			text, functions, why := s.Assembly("f", "the test")
			if text == nil {
				t.Fatal(why)
			}
			code := asmtest.Parse(string(text))
			size := int(unsafe.Sizeof(T(0)))
			for _, f := range functions {
				for width := 1; width <= mostWidth; width++ {
					apart := of
					if rng.IntN(4) == 0 {
						apart = 1 + rng.IntN(7)
					}
					n := (width-1)*apart + 1
					first := page
					if rng.IntN(2) == 0 {
						first = 3*page - n*size
					}
					a := unsafe.Slice((*T)(unsafe.Pointer(&memory[first])), n)
					for k := range a {
						a[k] = T(rng.IntN(100))
					}
					x, at := make([]T, width+2), 0
					var pinned runtime.Pinner // the stack may move
					pinned.Pin(&x[0])
					if step < 0 {
						at = width - 1
					}
					frame := make([]int, s.Words())
					frame[FrameRows], frame[FrameWidth] = 1, width
					for k, y := range s.Streams {
						from := unsafe.Pointer(&x[1+at])
						if y.Array == 0 {
							from = unsafe.Pointer(&a[at*apart])
							frame[s.FrameStride(k)] = step * apart * size
						}
						frame[s.FrameAt(k)] = int(uintptr(from))
					}
					code.Call(f.Name, unsafe.Pointer(&frame[0]))
					pinned.Unpin()
					for k := range width {
						if x[1+k] != a[k*apart] || x[0] != 0 || x[width+1] != 0 {
							t.Fatalf("%s, %d components of %s, %d apart, step %d, %d columns, column %d: %v, want %v", f.Name, of, elem, apart, step, width, k, x[1+k], a[k*apart])
						}
					}
				}
			}
		}
	}
}
