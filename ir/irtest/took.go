package irtest

import (
	"runtime"
	"time"
)

// Took returns the wall-clock time of f, or this process's CPU time during f if that is
// less, because other processes use the machine too. Garbage is collected before: f does
// not pay for what earlier tests left. No other test may run at the same time.
func Took(f func()) time.Duration {
	runtime.GC()
	start, computed := time.Now(), processTime()
	f()
	return min(time.Since(start), processTime()-computed)
}
