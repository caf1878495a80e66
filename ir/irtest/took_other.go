//go:build !unix

package irtest

import "time"

var began = time.Now()

// processTime is the wall-clock time: the CPU time of the process is not available here.
func processTime() time.Duration { return time.Since(began) }
