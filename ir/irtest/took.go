package irtest

import "time"

// Took returns how long f takes, or, if that is less, for how long this process
// computes meanwhile: others use the machine too. No other test may run beside it.
func Took(f func()) time.Duration {
	start, computed := time.Now(), processTime()
	f()
	return min(time.Since(start), processTime()-computed)
}
