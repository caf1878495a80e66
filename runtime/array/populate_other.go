//go:build !linux

package array

// Populate makes the system supply the pages of b, where that is possible.
func Populate([]byte) {}
