package halo

import (
	"testing"
	"time"
)

// TestSampler estimates the time of many actions from a few timed ones.
func TestSampler(t *testing.T) {
	for _, n := range []int{1, sampleAll, 10 * sampleEvery, 100 * sampleEvery} {
		var s sampler
		timed := 0
		for range n {
			s.start()
			if s.count == s.next {
				timed++
				s.began -= time.Second // it has taken that long
			}
			s.stop()
		}
		if want := time.Duration(n) * time.Second; s.total < want-2*sampleEvery*time.Second || s.total > want+time.Second/2 {
			t.Errorf("%d actions of a second: %v", n, s.total)
		}
		if most := sampleAll + n/sampleEvery + 1; timed > most {
			t.Errorf("%d of %d actions were timed, want %d at most", timed, n, most)
		}
	}
}

// TestSamplerDisturbed makes one action of many take long, as if another process had the CPU.
// It must not represent the untimed actions.
func TestSamplerDisturbed(t *testing.T) {
	var s sampler
	const n = 1000
	for k := range n {
		s.start()
		if s.count == s.next {
			s.began -= time.Millisecond
			if s.weight > 1 && k > n-2*sampleEvery {
				s.began -= 10 * time.Second
			}
		}
		s.stop()
	}
	if least, most := 10*time.Second, 10*time.Second*3; s.total < least || s.total > most {
		t.Errorf("%v, of which 10 or 20 s were somebody else's", s.total)
	}
}
