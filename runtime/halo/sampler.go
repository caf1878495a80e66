package halo

import "time"

const (
	// sampleAll is how many actions are timed at first, so that short runs have an
	// estimate too.
	sampleAll = 512
	// sampleEvery is how few are timed then. It is prime, so that it has no common
	// period with the levels of tiles.
	sampleEvery = 17
	// sampleUsual is how many times as long as the others so far an action takes at
	// most if it stands for those that are not timed: more is the system's doing, which
	// gave the CPU to somebody else in the middle of it.
	sampleUsual = 16
)

// A sampler estimates how long actions take that are too short and too many for all
// of them to be timed: an action may take as long as two looks at the clock.
type sampler struct {
	count, next, weight int
	began               time.Time
	total               time.Duration
}

// start comes before an action.
func (s *sampler) start() {
	if s.count == s.next {
		s.began = time.Now()
	}
}

// stop comes after it.
func (s *sampler) stop() {
	if s.count == s.next {
		s.sample()
	}
	s.count++
}

// sample counts the action for those that were not timed since the last one.
func (s *sampler) sample() {
	s.add(time.Since(s.began))
	s.weight = 1
	if s.count >= sampleAll {
		s.weight = sampleEvery
	}
	s.next += s.weight
}

// add counts an action that took so long.
func (s *sampler) add(took time.Duration) {
	usual := took
	if s.weight > 1 {
		usual = min(took, sampleUsual*s.total/time.Duration(s.count))
	}
	s.total += took + usual*time.Duration(max(1, s.weight)-1)
}

// copyTimes are those of copies of cells into tiles, and out of them.
type copyTimes struct{ unpacking, packing sampler }

// Copying estimates how long the worker has copied cells out of faces that arrived,
// into those that are sent, and from one tile to the next, so far.
func (w *Worker) Copying() time.Duration { return w.copied.unpacking.total + w.copied.packing.total }
