package launch

import (
	"os"
	"syscall"
	"testing"
)

// TestLetMonitorWait requires that one thread changes its policy, which is not that of main.
func TestLetMonitorWait(t *testing.T) {
	policy := func(thread int) uintptr {
		p, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETSCHEDULER, uintptr(thread), 0, 0)
		if errno != 0 {
			t.Fatal(errno)
		}
		return p
	}
	id := monitor()
	if id <= os.Getpid() {
		t.Fatalf("the monitor is thread %d of process %d", id, os.Getpid())
	}
	before := policy(id)
	defer func() { _ = setPolicy(id, before) }()
	LetMonitorWait()
	if got := policy(id); got != schedBatch {
		t.Errorf("the monitor's policy is %d, want %d", got, schedBatch)
	}
	if got := policy(os.Getpid()); got != before {
		t.Errorf("the policy of main's thread is %d, want %d", got, before)
	}
}
