// Package irtest holds helpers that tests of several packages share: golden files, random
// nests and their inputs, and the brute-force check of a dependence analysis. Only tests
// import it.
package irtest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// update is the flag -update: golden files are written instead of compared.
var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Updating reports whether the test was run with -update, for tests that refresh
// files by other means than Golden.
func Updating() bool { return *update }

// Golden compares got with the file at path, byte for byte, and fails with the first
// different line. With -update it writes the file. A missing file is a failure: goldens are
// never created silently.
func Golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if complaint := compare(path, got); complaint != "" {
		t.Error(complaint)
	}
}

// compare returns the difference from the golden file at path, or "".
func compare(path string, got []byte) string {
	want, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%s does not exist; go test -run '^TestName$' -update makes it", path)
	case err != nil:
		return err.Error()
	case bytes.Equal(got, want):
		return ""
	}
	gotLines, wantLines := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for k := range max(len(gotLines), len(wantLines)) {
		g, w := "(end of text)", "(end of file)"
		if k < len(gotLines) {
			g = fmt.Sprintf("%q", gotLines[k])
		}
		if k < len(wantLines) {
			w = fmt.Sprintf("%q", wantLines[k])
		}
		if g != w {
			return fmt.Sprintf("%s:%d: differs (-update accepts it)\n got %s\nwant %s", path, k+1, g, w)
		}
	}
	panic("BUG: texts differ, but no line does")
}
