//go:build !linux

package array

// Populate does nothing: only Linux can supply pages before they are touched.
func Populate([]byte) {}
