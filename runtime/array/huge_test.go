package array

import (
	"testing"
	"unsafe"
)

// TestLargeBytes requires memory of the length asked for, zero, at a multiple of 64, and
// for blocks of huge pages at one of theirs.
func TestLargeBytes(t *testing.T) {
	for _, n := range []int{0, 1, 100, 2*hugePage - 1, 4 * hugePage, 2*hugePage + 1} {
		b := LargeBytes(n, 3)
		if len(b) != n || cap(b) != n {
			t.Fatalf("%d bytes, room for %d, not %d", len(b), cap(b), n)
		}
		if n == 0 {
			continue
		}
		align := uintptr(64)
		if n >= 2*hugePage {
			align = hugePage
		}
		if at := uintptr(unsafe.Pointer(&b[0])); at%align != 0 {
			t.Errorf("%d bytes begin at %x", n, at)
		}
		for k := 0; k < n; k += 4096 {
			if b[k] != 0 {
				t.Fatalf("byte %d of %d is %d", k, n, b[k])
			}
		}
		b[n-1] = 1
	}
}
