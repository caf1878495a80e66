//go:build !linux

package array

// Populate does nothing: these systems supply a page when it is first touched.
func Populate([]byte) {}
