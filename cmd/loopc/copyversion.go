package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"

	"loopc/transform/plan"
)

// versionFile is the file of a module's copy of the runtime that names the loopc which wrote it.
const versionFile = "VERSION"

// writeRuntime writes the copy of the runtime for a target.
func (a *app) writeRuntime(t *target) error {
	copied, err := t.copied()
	if err != nil {
		return err
	}
	folder := filepath.Join(t.runtimeFolder, filepath.FromSlash(vendorFolder))
	if t.module != "" {
		if err := a.renew(t, folder, copied); err != nil {
			return err
		}
	}
	left, err := syncRuntime(folder, copied)
	if left > 0 {
		fmt.Fprintf(a.stderr, "loopc: note: %s of %s are empty now, and not needed: the next loopc compile that go generate does not run removes them\n",
			plan.Plural(left, "file"), vendorFolder)
	}
	return err
}

// renew prepares files of the runtime to replace the copy in the folder of module t, which packages that other versions of loopc
// generated may use: it adds their version file, and a note on stderr if the version changes. A copy that would not
// change keeps its version, so that the same runtime is the same files whoever writes it.
//
// Errors: a newer loopc wrote the copy. What it generated may need its runtime. Versions that do not tell which one is
// newer, such as those of builds without version control, replace one another.
func (a *app) renew(t *target, folder string, copied map[string][]byte) error {
	before, err := os.ReadFile(filepath.Join(folder, versionFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there, ours := strings.CutPrefix(strings.TrimSpace(string(before)), "loopc ")
	copied[versionFile] = fmt.Appendf(nil, "loopc %s\n", a.version)
	if !ours || there == a.version {
		return nil
	}
	if holds(folder, copied) {
		copied[versionFile] = before
		return nil
	}
	if semver.Compare(there, a.version) > 0 && semver.IsValid(a.version) {
		return fmt.Errorf("%s of module %s is the runtime of loopc %s, and this loopc is older, %s: with its runtime, packages that the newer one generated may not build. "+
			"Install the newer one (go install ./cmd/loopc in its clone); or remove %[1]s, and generate all nests of the module anew",
			vendorFolder, t.module, there, a.version)
	}
	fmt.Fprintf(a.stderr, "loopc: note: %s had the runtime of loopc %s, and now has that of loopc %s: generate other nests of module %s anew, too (go generate ./...)\n",
		vendorFolder, there, a.version, t.module)
	return nil
}

// holds reports whether a folder has these files, apart from that of the version.
func holds(folder string, files map[string][]byte) bool {
	for name, text := range files {
		there, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if name != versionFile && (err != nil || !bytes.Equal(there, text)) {
			return false
		}
	}
	return true
}
