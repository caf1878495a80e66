//go:build !linux

package launch

// affinity returns nil: there is no mask that Go does not know of.
func affinity() []byte { return nil }
