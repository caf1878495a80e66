//go:build !linux

package array

// preferHuge does nothing on other systems.
func preferHuge([]byte, bool) bool { return false }
