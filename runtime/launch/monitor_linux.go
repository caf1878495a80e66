package launch

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// Scheduling policies: the default, and SCHED_BATCH, under which a thread that wakes up
// does not preempt others.
const (
	schedOther = 0
	schedBatch = 3
)

// LetMonitorWait keeps the monitor thread of Go's scheduler (sysmon) from preempting
// workers. After an idle time, this thread wakes up many times in short intervals. If every
// CPU computes, or the process has only one CPU, it takes a CPU from a worker each time
// [note waiting].
//
// With the policy SCHED_BATCH the monitor waits for a scheduler tick, even when it has to
// wake other threads. So this is only for runs whose workers wait for nothing but one
// another. Threads that the monitor starts inherit the policy; Seats.Take restores the default
// policy of the thread of a worker. A policy that the user has set is not changed. Only Linux
// supports this.
func LetMonitorWait() {
	if id := monitor(); id != 0 && policyOf(id) == schedOther {
		_ = setPolicy(id, schedBatch) // on failure the policy is unchanged
	}
}

// interrupts restores the default policy of the calling thread, which it may have inherited
// from the monitor.
func interrupts() {
	if policyOf(0) == schedBatch && policyOf(os.Getpid()) == schedOther {
		_ = setPolicy(0, schedOther)
	}
}

// monitor returns the first thread that Go starts besides the main thread, or 0.
func monitor() int {
	list, _ := os.ReadDir("/proc/self/task")
	first, main := 0, false
	for _, e := range list {
		id, err := strconv.Atoi(e.Name())
		main = main || err == nil && id == os.Getpid()
		if err == nil && id > os.Getpid() && (first == 0 || id < first) {
			first = id
		}
	}
	if !main { // the list has thread numbers of another PID namespace
		return 0
	}
	return first
}

// policyOf returns the policy of a thread (0: the calling thread), or -1 on failure.
func policyOf(thread int) int {
	policy, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETSCHEDULER, uintptr(thread), 0, 0)
	if errno != 0 {
		return -1
	}
	return int(policy)
}

// setPolicy sets the scheduling policy of a thread, to one without priorities.
func setPolicy(thread, policy int) error {
	var priority int32
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, uintptr(thread), uintptr(policy), uintptr(unsafe.Pointer(&priority))); errno != 0 {
		return errno
	}
	return nil
}
