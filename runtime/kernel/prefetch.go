package kernel

import (
	"unsafe"

	"loopc/runtime/simd"
)

// A Prefetcher asks the processor for what the next tile reads from memory, a little at a time,
// while this tile is computed: the first level of the next tile would wait for all of it
// [note kernel-constants].
type Prefetcher struct {
	parts []part
	next  int // of the parts
	lines int // to ask for at each step; 0: nothing is left
}

// A part is lines of memory that follow one another.
type part struct {
	at    unsafe.Pointer
	lines int
}

const lineBytes = 64

// Reset forgets what there was to ask for.
func (f *Prefetcher) Reset() { f.parts, f.next, f.lines = f.parts[:0], 0, 0 }

// Add adds the cache lines of data to what there is to ask for.
func (f *Prefetcher) Add(data []byte) {
	f.parts = append(f.parts, part{unsafe.Pointer(unsafe.SliceData(data)), len(data)/lineBytes + 1})
}

// Spread divides what there is to ask for among so many steps.
func (f *Prefetcher) Spread(steps int) {
	f.lines = (f.Left() + steps - 1) / steps
}

// Left is how many lines there still are to ask for.
func (f *Prefetcher) Left() int {
	lines := 0
	for _, p := range f.parts[f.next:] {
		lines += p.lines
	}
	return lines
}

// Step asks for some more, before rows at one place are computed.
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
		some := min(n, p.lines)
		simd.FetchLines(p.at, some)
		n -= some
		if p.lines -= some; p.lines == 0 {
			f.next++
		} else {
			p.at = unsafe.Add(p.at, some*lineBytes)
		}
	}
}

// Within reports whether all lines that there still are to ask for begin in cells of b, and end in the
// line of one of these.
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
