package halo

import "time"

const (
	// sampleAll is how many actions are timed in the beginning, so that a short run has an estimate too.
	sampleAll = 34
	// Afterwards every sampleEvery-th action is timed. The number is prime, so that it has no common period with the levels of tiles.
	sampleEvery = 17
	// sampleUsual limits the weight of an outlier: a timed action stands for the untimed ones with at most sampleUsual times the mean. A
	// longer one was probably interrupted by the system.
	sampleUsual = 16
)

// started is where the clock of samplers begins. A duration is read twice as fast as a time.
var started = time.Now()

// A sampler estimates the total time of many short actions. It times only some of them, because
// an action may take no longer than reading the clock twice.
type sampler struct {
	count  int           // actions so far
	next   int           // number of the next action that is timed
	weight int           // how many actions that one stands for
	began  time.Duration // since started
	total  time.Duration // estimate, of all actions so far
}

// start comes before an action.
func (s *sampler) start() {
	if s.count == s.next {
		s.began = time.Since(started)
	}
}

// stop comes after the action.
func (s *sampler) stop() {
	if s.count == s.next {
		s.sample()
	}
	s.count++
}

// sample adds the action that has just ended. It also stands for the actions that were not timed since the last timed one.
func (s *sampler) sample() {
	s.add(time.Since(started) - s.began)
	s.weight = 1
	if s.count >= sampleAll {
		s.weight = sampleEvery
	}
	s.next += s.weight
}

// add adds an action of the given duration.
func (s *sampler) add(took time.Duration) {
	usual := took
	if s.weight > 1 {
		usual = min(took, sampleUsual*s.total/time.Duration(s.count))
	}
	s.total += took + usual*time.Duration(max(1, s.weight)-1)
}

// copyTimes are the times of copies into tiles (unpacking) and out of tiles (packing).
type copyTimes struct{ unpacking, packing sampler }

// Copying estimates the time that the worker has so far spent on copying cells between faces, tiles, and the next tile of the column.
func (w *Worker) Copying() time.Duration { return w.copied.unpacking.total + w.copied.packing.total }
