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
	l.raise(int64(ofProcess()), need)
	l.afterEach()
	return l.undo
}

// A collectLimit is a memory limit that is raised after each collection: memory that was not planned would else be collected
// again and again.
type collectLimit struct {
	percent int   // as before
	limit   int64 // as before

	sync.Mutex
	over  bool
	least int64 // what was set first: a lower limit would have the process return memory that it kept, and collect meanwhile
}

// raise sets the limit to the bytes in use and those that may be allocated: more, and a spare.
func (l *collectLimit) raise(used, more int64) {
	if more >= math.MaxInt64-used-spare {
		return
	}
	at := max(l.least, used+more+spare)
	if l.least == 0 {
		l.least = at
	}
	debug.SetMemoryLimit(min(l.limit, at))
}

// afterEach raises the limit after each collection from now on.
func (l *collectLimit) afterEach() {
	runtime.AddCleanup(new(*collectLimit), func(l *collectLimit) { // the next collection frees the pointer
		l.Lock()
		defer l.Unlock()
		if !l.over {
			used := int64(inUse())
			l.raise(used, used/8)
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

// inUse is the memory of the process, in bytes, without garbage: what is not of the heap, and what the last collection has found in
// use. Garbage stays memory of the process for a while, and limits that count it would grow with each collection.
func inUse() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64() + ofProcess("/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes", "/memory/classes/heap/free:bytes")
}

// ofProcess is the memory that Go compares with its memory limit, in bytes, without the named classes.
func ofProcess(without ...string) uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for _, name := range without {
		s = append(s, metrics.Sample{Name: name})
	}
	metrics.Read(s) // all at one moment
	bytes := s[0].Value.Uint64()
	for _, class := range s[1:] {
		bytes -= class.Value.Uint64()
	}
	return bytes
}
