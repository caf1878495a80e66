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

// Uncollected collects the garbage now, and then not again until undo is called, or
// until the process has allocated twice need bytes and what else a run may take. It is
// for processes that only run nests.
//
// The blocks that workers allocate make the heap grow to a multiple, so that a
// collection would start when the workers do. The collector can scan the stack of a
// worker only where the worker can be interrupted, and a kernel can be interrupted only
// between rows. Until then the collector asks again and again, by signals, on a CPU that
// a worker computes on [note waiting].
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
