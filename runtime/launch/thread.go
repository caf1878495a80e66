package launch

import (
	"runtime"
	"sync"
)

// ComputeThread locks the calling goroutine, a worker, to its thread, and asks the kernel
// for long time slices for this thread. Call release when the work is done.
//
// This helps other threads, not the worker. If every CPU computes, a thread that wakes up
// to read a face waits until a worker's time slice ends, unless the worker has asked for
// longer slices: Linux prefers threads with shorter slices [note waiting]. Other systems,
// and kernels before 6.12, ignore the request.
//
// The cost: a goroutine that is locked to its thread yields and waits more slowly.
func ComputeThread() (release func()) {
	runtime.LockOSThread()
	// On failure the time slice is unchanged.
	_ = setTimeSlice(longSlice)
	return func() {
		_ = setTimeSlice(0)
		runtime.UnlockOSThread()
	}
}

// Seats starts the threads of workers on different CPUs. Without seats the system may start
// two threads on one CPU while another CPU is idle, and move one of the two only milliseconds
// later. Seats do not bind threads: the system may move threads afterwards [note waiting].
// Only Linux supports seats.
type Seats struct {
	mu    sync.Mutex
	taken map[int]bool // CPUs
}

// Take gives the calling goroutine, a worker that starts, a seat. Call release when the
// worker ends.
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

// seat takes the CPU of this thread, or if it is taken, moves the thread to a free CPU. If
// no CPU is free, the thread has no seat.
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

// UseProcessors sets GOMAXPROCS to at least workers + others, where others is for
// goroutines that move messages while all workers compute. undo restores the number.
//
// If no goroutine moves messages, others must be 0. Go preempts computing goroutines at
// regular intervals, and an idle processor (P) then continues the worker on another thread.
// The system may start that thread on the CPU of another worker, so that two workers share
// a CPU while another CPU is idle, until the system moves one of them [note waiting].
func UseProcessors(workers, others int) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	if before >= workers+others {
		return func() {}
	}
	runtime.GOMAXPROCS(workers + others)
	return func() { runtime.GOMAXPROCS(before) }
}
