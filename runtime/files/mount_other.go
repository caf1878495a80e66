//go:build !linux

package files

// isMount returns false: only folders can be mount points here.
func isMount(string) bool { return false }
