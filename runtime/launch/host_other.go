//go:build !linux

package launch

// affinity returns nil: on these systems, only the number of CPUs is known.
func affinity() []byte { return nil }
