package launch

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// schedBatch is the policy of threads that do not interrupt others as they wake up.
const schedBatch = 3

// LetMonitorWait keeps the thread with which Go's scheduler watches over the others from
// interrupting workers: it wakes up every 20 us, some 50 times, whenever all was idle before.
// Where every CPU computes, or the process has one only, a worker computed 1.5 times as long
// meanwhile, for 4 ms (Linux 6.18, a virtual machine: tiles of sw_affine 54 us and 85). It waits
// for the next tick of the system then, also to wake up others: this is for runs whose
// workers wait for nobody but one another. Other systems take no notice.
func LetMonitorWait() {
	if id := monitor(); id != 0 {
		_ = setPolicy(id, schedBatch) // refused, it is as before
	}
}

// monitor returns the thread that Go starts first beside that of main, 0 if there is none.
func monitor() int {
	list, _ := os.ReadDir("/proc/self/task")
	first := 0
	for _, e := range list {
		id, err := strconv.Atoi(e.Name())
		if err == nil && id > os.Getpid() && (first == 0 || id < first) {
			first = id
		}
	}
	return first
}

// setPolicy has the system schedule a thread by a policy without priorities.
func setPolicy(thread int, policy uintptr) error {
	var priority int32
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, uintptr(thread), policy, uintptr(unsafe.Pointer(&priority))); errno != 0 {
		return errno
	}
	return nil
}
