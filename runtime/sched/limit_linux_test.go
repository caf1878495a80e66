package sched

import (
	"math"
	"syscall"
	"testing"
)

// TestAddressSpace lowers RLIMIT_AS, and requires that MemoryLimit follows, while HostMemory,
// which is for several processes together, does not.
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
	const most = 8 << 30 // Go maps more than it uses: far more than a test needs
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	if got := addressSpace(); got <= 0 || got >= most {
		t.Errorf("of %d bytes %d can be mapped", int64(most), got)
	}
	if got := MemoryLimit(); got > addressSpace()+1<<30 && got > host {
		t.Errorf("the limit is %d, above RLIMIT_AS", got)
	}
	if HostMemory() != host {
		t.Errorf("the memory of the host is %d with RLIMIT_AS, and %d without", HostMemory(), host)
	}
}
