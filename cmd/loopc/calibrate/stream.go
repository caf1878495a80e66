package calibrate

import "time"

// streamCells is the length of the arrays of Stream: three of them are many times as large
// as a core's private caches.
const streamCells = 8 << 20

// Stream measures the memory bandwidth of one core, in bytes per second, with the triad of
// the STREAM benchmark, a = b + s·c: the best of a few runs.
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
