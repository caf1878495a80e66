package sched

import (
	"slices"
	"sync"
	"sync/atomic"

	"loopc/runtime/trace"
	"loopc/runtime/transport"
)

// A Live publishes what the ranks of this process have done so far, while they run. Its zero
// value is ready; the methods of a nil Live do nothing.
type Live struct {
	mu    sync.Mutex
	slots []*liveSlot
	sent  map[int]func() transport.Stats // by rank
}

// A liveSlot holds what one worker has done. The worker writes it after each tile. The methods of a nil liveSlot do nothing.
type liveSlot struct {
	mu  sync.Mutex
	sum Summary
}

// slot returns a slot for a worker of a rank.
func (l *Live) slot(rank int) *liveSlot {
	if l == nil {
		return nil
	}
	s := &liveSlot{sum: Summary{Rank: rank}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots = append(l.slots, s)
	return s
}

// sends registers the function that counts what a rank has sent.
func (l *Live) sends(rank int, sent func() transport.Stats) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sent == nil {
		l.sent = map[int]func() transport.Stats{}
	}
	l.sent[rank] = sent
}

// Ranks returns what the ranks have done, sorted by rank. Steps is the number of steps of the
// plan that the rank's most advanced worker has done.
func (l *Live) Ranks() []Summary {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	byRank := map[int]*Summary{}
	var ranks []int
	for _, s := range l.slots {
		s.mu.Lock()
		sum := s.sum
		s.mu.Unlock()
		if byRank[sum.Rank] == nil {
			byRank[sum.Rank] = &Summary{Rank: sum.Rank}
			ranks = append(ranks, sum.Rank)
		}
		byRank[sum.Rank].add(sum)
	}
	slices.Sort(ranks)
	all := make([]Summary, len(ranks))
	for k, rank := range ranks {
		all[k] = *byRank[rank]
		if sent := l.sent[rank]; sent != nil {
			stats := sent()
			all[k].Messages, all[k].Bytes = stats.Messages, stats.Bytes
		}
	}
	return all
}

// publish publishes what the worker has done, up to a step.
func (w *worker) publish(step int) {
	if w.live == nil {
		return
	}
	sum := w.done()
	sum.Rank, sum.Steps = w.tr.Rank(), step+1
	w.live.mu.Lock()
	w.live.sum = sum
	w.live.mu.Unlock()
}

// done returns what the worker has done so far. Packing is estimated; it is a part of computing.
func (w *worker) done() Summary {
	sum := w.sum
	sum.Pack = min(w.halo.Copying().Seconds(), sum.Compute)
	sum.Compute -= sum.Pack
	return sum
}

// Watch is what a caller observes of a run, and hooks of its threads. Any part may be nil.
type Watch struct {
	Points *atomic.Int64   // iterations done; each tile adds its own
	Trace  *trace.Recorder // who did what when
	Live   *Live           // progress so far
	// Thread is called by each worker when it starts; the function that it returns is called when the worker ends: see launch.ComputeThread.
	Thread func() (release func())
	// Begin is called when the workers of a rank are prepared, before any of them computes. Its time counts as preparation.
	Begin func()
	// Checkpoints receive states of the run, see RunPlans; nil: nobody does.
	Checkpoints *Checkpoints
	// Shows calls code of the caller between repetitions, where loops run as they are written; runs in tiles have Checkpoints.
	Shows *Shows
	// Couple calls code of the caller between epochs, see MakePlans; nil: there is none.
	Couple *Coupling
	// Drops says that the caller drops the arrays of a run that fails, so inout arrays need not get their old content.
	Drops bool
	// Times asks for Summary.NestSeconds also where loops run as they are written.
	Times bool
}
