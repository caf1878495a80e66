//go:build !linux

package array

// preferHuge does nothing, and returns false: there are no huge pages to ask for on other systems.
func preferHuge([]byte, bool) bool { return false }
