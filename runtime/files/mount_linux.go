package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// isMount reports whether a file is a mount point: it belongs to another mount than its
// folder. The kernel knows the mount of an open file, whatever other names the file has.
func isMount(path string) bool {
	own := mountOf(path)
	return own != "" && own != mountOf(filepath.Dir(path))
}

// mountOf returns the number of the mount to which a path leads, "" if unknown.
func mountOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", f.Fd())) // may be missing
	for line := range strings.Lines(string(text)) {
		if id, ok := strings.CutPrefix(line, "mnt_id:"); ok {
			return strings.TrimSpace(id)
		}
	}
	return ""
}
