package sched

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// addressSpace is the memory that this process may still map, by RLIMIT_AS (ulimit -v); 0 if there is no limit. Memory that is mapped but
// not used counts as mapped.
func addressSpace() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return 0
	}
	var mapped int64
	text, _ := os.ReadFile("/proc/self/statm") // if it cannot be read, nothing counts as mapped
	if f := strings.Fields(string(text)); len(f) > 0 {
		pages, err := strconv.ParseInt(f[0], 10, 64)
		if err == nil {
			mapped = pages * int64(os.Getpagesize())
		}
	}
	return max(1, int64(limit.Cur)-mapped)
}
