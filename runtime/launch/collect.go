package launch

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// spare is the memory that may be allocated during a run in addition to the plan's:
// messages, traces, reports of progress.
const spare = 128 << 20

// Uncollected collects the garbage now, and then not again until undo is called, or until
// the process has allocated 2·need + spare bytes. It is for processes that only run nests.
//
// The workers' blocks multiply the size of the heap, so a collection would start when the
// workers start. The collector can scan a worker's stack only at a safe point, and a kernel
// has safe points only between rows. Until then the collector sends signals again and
// again, from a CPU on which a worker computes [note waiting].
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

// inUse is the memory that Go compares with its memory limit, in bytes.
func inUse() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
