package launch

import (
	"runtime"
	"sync"
)

// ComputeThread gives the calling goroutine, a worker, a thread of its own, and asks the
// kernel for long time slices for that thread. Call release when the work is done.
//
// This helps other threads, not the worker. Where every CPU computes, a thread that
// wakes up to read a face waits until the time slice of a worker ends, unless the worker
// has asked for longer slices than that thread: Linux prefers threads that ask for
// shorter ones [note waiting]. Other systems, and kernels before 6.12, take no notice.
//
// A goroutine with a thread of its own pays for each yield and each time that it waits.
func ComputeThread() (release func()) {
	runtime.LockOSThread()
	// Refused, it is as before.
	_ = setTimeSlice(longSlice)
	return func() {
		_ = setTimeSlice(0)
		runtime.UnlockOSThread()
	}
}

// Seats starts the threads of workers on different CPUs. Without seats the system may
// start two of them on one CPU while another CPU is idle, and move one of them only
// milliseconds later. Where the threads run afterwards is left to the system [note
// waiting]. Other systems take no notice.
type Seats struct {
	mu    sync.Mutex
	taken map[int]bool // CPUs
}

// Take gives the calling goroutine, a worker that begins, a seat. Call release when it ends.
func (s *Seats) Take() (release func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	interrupts()
	cpu := s.seat(currentCPU())
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.taken, cpu)
	}
}

// seat takes the CPU that this thread is on, or moves it to another one that nobody has taken;
// if there is none, it has no seat.
func (s *Seats) seat(cpu int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken == nil {
		s.taken = map[int]bool{}
	}
	if s.taken[cpu] {
		mask := affinity()
		free := -1
		for k := range 8 * len(mask) {
			if mask[k/8]>>(k%8)&1 == 1 && !s.taken[k] {
				free = k
				break
			}
		}
		if free < 0 || moveThread(free, mask) != nil {
			return -1
		}
		cpu = free
	}
	if cpu >= 0 {
		s.taken[cpu] = true
	}
	return cpu
}

// UseProcessors makes sure that Go's scheduler has processors for the workers, and
// others for goroutines that move messages while all workers compute. undo restores the
// number.
//
// Where no goroutine moves messages, others must be 0. Go makes goroutines that compute
// yield at regular intervals, and an idle processor then takes the worker on another
// thread. The system may start that thread on the CPU of another worker, so that two
// workers share a CPU while one CPU is idle, until the system moves one of them [note
// waiting].
func UseProcessors(workers, others int) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	if before >= workers+others {
		return func() {}
	}
	runtime.GOMAXPROCS(workers + others)
	return func() { runtime.GOMAXPROCS(before) }
}
