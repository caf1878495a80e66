package launch

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// spare is the memory that may be allocated during a run in addition to the plan's, until garbage is collected:
// messages, traces, reports of progress, and what begins and ends epochs.
const spare = 12 << 20

// Uncollected collects the garbage now, and then not again until undo is called, or until
// the process has allocated need + spare bytes, and after that spare bytes more, and an eighth of what is in use. It is for
// processes that only run nests.
//
// The workers' blocks multiply the size of the heap, so a collection would start when the
// workers start. The collector can scan a worker's stack only at a safe point, and a kernel
// has safe points only between rows. Until then the collector sends signals again and
// again, from a CPU on which a worker computes [note waiting].
func Uncollected(need int64) (undo func()) {
	runtime.GC()
	l := &collectLimit{percent: debug.SetGCPercent(-1), limit: debug.SetMemoryLimit(-1)}
	l.raise(need)
	l.afterEach()
	return l.undo
}

// A collectLimit is a memory limit that is raised after each collection: memory that was not planned would else be collected
// again and again.
type collectLimit struct {
	percent int   // as before
	limit   int64 // as before

	sync.Mutex
	over bool
}

// raise sets the limit to what is in use and what may be allocated: more bytes, and a spare.
func (l *collectLimit) raise(more int64) {
	if used := int64(inUse()); more < math.MaxInt64-used-spare {
		debug.SetMemoryLimit(min(l.limit, used+more+spare))
	}
}

// afterEach raises the limit after each collection from now on.
func (l *collectLimit) afterEach() {
	runtime.AddCleanup(new(*collectLimit), func(l *collectLimit) { // the next collection frees the pointer
		l.Lock()
		defer l.Unlock()
		if !l.over {
			l.raise(int64(inUse()) / 8)
			l.afterEach()
		}
	}, l)
}

// undo restores what was before.
func (l *collectLimit) undo() {
	l.Lock()
	defer l.Unlock()
	l.over = true
	debug.SetMemoryLimit(l.limit)
	debug.SetGCPercent(l.percent)
}

// inUse is the memory that Go compares with its memory limit, in bytes.
func inUse() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
