package launch

import (
	"runtime"
	"sync"
)

// ComputeThread gives the calling goroutine, a worker that computes, a thread of
// its own and asks the kernel to let that thread run for long at a time. Call
// release when the work is done.
//
// This is not for the worker's sake. Where every CPU computes, a thread that
// wakes up to read a face has to wait until a worker's time slice is over,
// unless the worker has asked for longer ones than it has: Linux lets who needs
// the CPU for less go first [note waiting]. Other systems, and kernels before 6.12,
// take no notice.
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

// Seats has the threads of workers that compute begin on CPUs of their own. The system may
// start two of them on one CPU, though another one idles, and moves one of them milliseconds
// later. Where they run afterwards is the system's affair [note waiting]. Other systems take no notice.
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

// UseProcessors makes sure that there are processors (of Go's scheduler) for workers, and
// for others who move messages while all workers compute, and returns a function that
// undoes it. Where nobody moves messages, ask for no others: each 10 ms a goroutine that
// computes is made to yield, and a processor that idles takes it then, on another thread.
// The system may start that on the CPU of another worker, which has half of it until the
// system moves one of the two, while the CPU that it came from idles [note waiting].
func UseProcessors(workers, others int) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	if before >= workers+others {
		return func() {}
	}
	runtime.GOMAXPROCS(workers + others)
	return func() { runtime.GOMAXPROCS(before) }
}
