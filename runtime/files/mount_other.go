//go:build !linux

package files

// isMount returns false: on these systems no file that is not a folder is a mount point.
func isMount(string) bool { return false }
