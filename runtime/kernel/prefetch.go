package kernel

import (
	"unsafe"

	"loopc/runtime/simd"
)

// A Prefetcher prefetches, a few lines at a time while a tile is computed, what the next tile reads from memory. Otherwise the first level
// of the next tile would wait for all of it [note kernel-constants].
type Prefetcher struct {
	parts []part
	next  int // index into parts
	lines int // prefetched per step; 0: nothing is left
}

// A part is a contiguous run of cache lines.
type part struct {
	at    unsafe.Pointer
	lines int
}

const lineBytes = 64

// Reset empties the list.
func (f *Prefetcher) Reset() { f.parts, f.next, f.lines = f.parts[:0], 0, 0 }

// Add adds the cache lines of data to the list.
func (f *Prefetcher) Add(data []byte) {
	f.parts = append(f.parts, part{unsafe.Pointer(unsafe.SliceData(data)), len(data)/lineBytes + 1})
}

// Spread divides the listed lines among the given number of steps.
func (f *Prefetcher) Spread(steps int) {
	f.lines = (f.Left() + steps - 1) / steps
}

// Left returns the number of lines that are not prefetched yet.
func (f *Prefetcher) Left() int {
	lines := 0
	for _, p := range f.parts[f.next:] {
		lines += p.lines
	}
	return lines
}

// Step prefetches the share of one step. It is called before the rows at one place are computed.
func (f *Prefetcher) Step() {
	if f.lines > 0 {
		f.step()
	}
}

func (f *Prefetcher) step() {
	for n := f.lines; n > 0; {
		if f.next == len(f.parts) {
			f.lines = 0
			return
		}
		p := &f.parts[f.next]
		now := min(n, p.lines)
		simd.FetchLines(p.at, now)
		n -= now
		if p.lines -= now; p.lines == 0 {
			f.next++
		} else {
			p.at = unsafe.Add(p.at, now*lineBytes)
		}
	}
}

// Within reports whether every listed run of lines lies in the cells of one value of b.
func (f *Prefetcher) Within(b *Block) bool {
	for _, p := range f.parts[f.next:] {
		inside := false
		for _, data := range b.Data {
			if len(data) > 0 {
				from := uintptr(p.at) - uintptr(unsafe.Pointer(&data[0]))
				inside = inside || from < uintptr(len(data)) && from+uintptr(p.lines-1)*lineBytes < uintptr(len(data))
			}
		}
		if !inside {
			return false
		}
	}
	return true
}
