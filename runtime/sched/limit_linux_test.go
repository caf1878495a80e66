package sched

import (
	"math"
	"syscall"
	"testing"
)

// TestAddressSpace lowers RLIMIT_AS. MemoryLimit must follow, but not HostMemory, which several
// processes share.
func TestAddressSpace(t *testing.T) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &old); err != nil {
		t.Fatal(err)
	}
	host := HostMemory()
	if old.Cur > math.MaxInt64 && MemoryLimit() != host {
		t.Errorf("without RLIMIT_AS the limit is %d, want %d", MemoryLimit(), host)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &old); err != nil {
			t.Error(err)
		}
	}()
	limit := func(bytes int64) {
		t.Helper()
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: uint64(bytes), Max: old.Max}); err != nil {
			t.Fatal(err)
		}
	}
	const most, left = 1 << 40, 1 << 30 // far more than Go maps, and far more than a test needs
	limit(most)
	free := addressSpace()
	if free <= 0 || free >= most {
		t.Fatalf("of %d bytes %d can be mapped", int64(most), free)
	}
	limit(most - free + left)
	if got := MemoryLimit(); got <= 0 || got > left {
		t.Errorf("the limit is %d, above the %d bytes that can be mapped", got, left)
	}
	if HostMemory() != host {
		t.Errorf("the memory of the host is %d with RLIMIT_AS, and %d without", HostMemory(), host)
	}
}
