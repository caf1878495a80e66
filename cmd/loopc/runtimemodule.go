package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// A runtimeModule is the runtime as a module of its own: the programs of the cache share it, so that a program
// costs a few files.
type runtimeModule struct {
	name  string            // of its folder, which tells its content
	files map[string][]byte // by path in that folder
}

// runtimeModuleFor returns the module with the copy of the runtime whose packages are imported from prefix.
func runtimeModuleFor(prefix string) (runtimeModule, error) {
	copied, err := runtimeCopy(prefix)
	if err != nil {
		return runtimeModule{}, err
	}
	copied["go.mod"] = fmt.Appendf(nil, "module %s\n\ngo %s\n", prefix, goVersion)
	h := sha256.New()
	addFiles(h, copied)
	return runtimeModule{name: runtimePrefix + hex.EncodeToString(h.Sum(nil)[:16]), files: copied}, nil
}

// workspace returns the go.work for the folder of a module that imports m. m lies in folder. A module in a workspace has no
// version, so what Go compiles of m serves all modules that import m, and those that hold a copy of it.
func (m *runtimeModule) workspace(folder string) []byte {
	return fmt.Appendf(nil, "go %s\n\nuse (\n\t.\n\t%s\n)\n", goVersion, folder)
}

// isIn reports whether a folder holds m.
func (m *runtimeModule) isIn(folder string) bool {
	for name, text := range m.files {
		if there, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name))); err != nil || !bytes.Equal(there, text) {
			return false
		}
	}
	return true
}

// addFiles adds names and contents of files to a digest.
func addFiles(h hash.Hash, files map[string][]byte) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%d:%s%d:", len(name), name, len(files[name]))
		h.Write(files[name])
	}
}
