package checkpoint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// inputName begins the names of files with given arrays.
const inputName = "given-"

// InputFile is the name of the file with the content of a given array, in the folder of the checkpoints. Equal
// content has an equal name, so runs that continue one another share the file.
func InputFile(array, sha256 string) string {
	return inputName + array + "-" + sha256[:min(16, len(sha256))] + ".npy"
}

// RemoveInputs removes the given arrays from the folder dir that belong neither to one of its checkpoints nor to run.
func RemoveInputs(dir string, run *Run) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	used := map[string]bool{}
	use := func(r *Run) {
		for _, in := range r.Inputs {
			used[in.File] = true
		}
	}
	use(run)
	for _, e := range entries {
		if numberOf(e.Name()) == 0 {
			continue
		}
		var m Manifest
		text, err := os.ReadFile(filepath.Join(dir, e.Name(), manifestName))
		if err != nil || json.Unmarshal(text, &m) != nil {
			continue
		}
		use(&m.Run)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, inputName) && !used[name] {
			_ = os.Remove(filepath.Join(dir, name)) // the next run tries again
		}
	}
}
