//go:build !linux

package array

// Populate has the system supply the pages of b, where it can be asked to.
func Populate([]byte) {}
