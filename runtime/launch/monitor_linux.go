package launch

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// Policies: the usual one, and that of threads that do not interrupt others as they wake up.
const (
	schedOther = 0
	schedBatch = 3
)

// LetMonitorWait keeps the monitor thread of Go's scheduler from interrupting workers.
// That thread wakes up many times in short intervals after a time in which everything
// was idle. Where every CPU computes, or the process has only one CPU, it takes a CPU
// from a worker each time [note waiting].
//
// The thread then waits for ticks of the system, also when it has to wake others: this
// is for runs whose workers wait only for one another. Threads that it starts wait as
// well, unless workers take seats on them. A policy that somebody has chosen stays.
// Other systems take no notice.
func LetMonitorWait() {
	if id := monitor(); id != 0 && policyOf(id) == schedOther {
		_ = setPolicy(id, schedBatch) // refused, it is as before
	}
}

// interrupts lets the calling thread interrupt others again, if it has its policy from the
// monitor, which has started it.
func interrupts() {
	if policyOf(0) == schedBatch && policyOf(os.Getpid()) == schedOther {
		_ = setPolicy(0, schedOther)
	}
}

// monitor returns the thread that Go starts first beside that of main, 0 if there is none.
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
	if !main { // the list has the numbers that threads have elsewhere
		return 0
	}
	return first
}

// policyOf returns the policy of a thread, 0 being the calling one, or -1.
func policyOf(thread int) int {
	policy, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETSCHEDULER, uintptr(thread), 0, 0)
	if errno != 0 {
		return -1
	}
	return int(policy)
}

// setPolicy has the system schedule a thread by a policy without priorities.
func setPolicy(thread, policy int) error {
	var priority int32
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, uintptr(thread), uintptr(policy), uintptr(unsafe.Pointer(&priority))); errno != 0 {
		return errno
	}
	return nil
}
