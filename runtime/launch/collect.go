package launch

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// spare is what may be allocated during a run beside what its plan needs: messages,
// traces, what is told of progress.
const spare = 128 << 20

// Uncollected has the garbage collected now, and not again before undo is called or
// the process has allocated more than need bytes, twice over, and what else a run may
// take. It is for processes that do nothing but run nests.
//
// The blocks that workers allocate as they begin make the heap grow by a multiple, so
// that the collector begins with them. It scans the stack of a worker only where that
// can be interrupted, which within a kernel it cannot: until the next row the collector
// asks again and again, by signals, on a CPU that a worker computes on [note waiting].
func Uncollected(need int64) (undo func()) {
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(-1)
	if most := int64(inUse()) + spare; need < (math.MaxInt64-most)/2 {
		debug.SetMemoryLimit(min(limit, most+2*need))
	}
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}

// inUse is the memory that a limit is compared with, in bytes.
func inUse() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
