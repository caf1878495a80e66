//go:build !unix

package irtest

import "time"

var began = time.Now()

// processTime is the time that has passed, where it is not known for how long this
// process has computed.
func processTime() time.Duration { return time.Since(began) }
