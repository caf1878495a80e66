package calibrate

import "time"

// streamCells is the length of the arrays of Stream: three of them are larger
// than the caches that a core has for itself, many times.
const streamCells = 8 << 20

// Stream measures the bytes that one core moves to and from memory in a second,
// with the triad of the STREAM benchmark, a = b + s·c; the fastest of a few.
func Stream() float64 {
	a, b, c := make([]float64, streamCells), make([]float64, streamCells), make([]float64, streamCells)
	for i := range a {
		a[i], b[i], c[i] = 0, float64(i), 1
	}
	best := time.Duration(1<<63 - 1)
	for range 5 {
		began := time.Now()
		for i := range a {
			a[i] = b[i] + 3*c[i]
		}
		best = min(best, time.Since(began))
	}
	return 3 * 8 * streamCells / best.Seconds()
}
