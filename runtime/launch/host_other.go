//go:build !linux

package launch

// affinity returns nil: the number of CPUs of Go is all that is known here.
func affinity() []byte { return nil }
