package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/ir/irtest"
)

// TestOlderLoopc checks that the newest loopc that a module has seen decides its copy of the runtime: an older one, which go
// generate may find first, does not replace it.
func TestOlderLoopc(t *testing.T) {
	if !irtest.Full() {
		t.Skip("writes the runtime many times: .ci/run nests does, with -full")
	}
	folder := inMemory(t)
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module example.com/m\n\ngo 1.26\n")
	put("wave.loop", "param N = 8\narray a[0..N, 0..N] float64 inout\nfor t = 1..N, i = 1..N-1, j = 1..N-1 {\n\ta[i,j] = 0.25*(a[i-1,j] + a[i,j-1] + a[i+1,j] + a[i,j+1])\n}\n")
	there := filepath.Join(folder, "internal", "loopc", "runtime", "sched", "sched.go")
	at := filepath.Join(folder, "internal", "loopc", versionFile)
	compile := func(version string) (int, string) {
		var out bytes.Buffer
		a := &app{stdout: io.Discard, stderr: &out, version: version}
		return a.main([]string{"compile", filepath.Join(folder, "wave.loop")}), out.String()
	}
	const old, now, dirty = "v0.0.0-20260101000000-0123456789ab", "v0.0.0-20260102000000-ba9876543210", "v0.0.0-20260102000000-ba9876543210+dirty"
	for _, c := range []struct {
		version string
		other   bool // the runtime there is not that of this loopc
		status  int
		stderr  []string // parts
		stays   bool     // the runtime there
		want    string   // its version afterwards
	}{
		{version: old, want: old},
		{version: now, want: old}, // the same runtime
		{version: now, other: true, want: now, stderr: []string{"note", old, now, "go generate"}},
		{version: old, other: true, want: now, stays: true, status: exitFailed, stderr: []string{old, now, "example.com/m", "internal/loopc"}},
		{version: old, want: now},
		{version: dirty, other: true, want: dirty, stderr: []string{"note", now, dirty}},
		{version: dirty, other: true, want: dirty},
		{version: "(devel)", other: true, want: "(devel)", stderr: []string{"note", dirty, "(devel)"}},
		{version: old, other: true, want: old, stderr: []string{"note", old, "(devel)"}},
	} {
		if c.other {
			put("internal/loopc/runtime/sched/sched.go", copyHeader+"package sched\n")
		}
		status, stderr := compile(c.version)
		if status != c.status || (stderr == "") != (c.stderr == nil) {
			t.Errorf("loopc %s: exit status %d:\n%s", c.version, status, stderr)
		}
		for _, part := range c.stderr {
			if !strings.Contains(stderr, part) {
				t.Errorf("loopc %s: no %s in\n%s", c.version, part, stderr)
			}
		}
		text, err := os.ReadFile(there)
		if stays := err == nil && len(text) < 1000; stays != c.stays {
			t.Errorf("loopc %s: the runtime stays: %v, want %v", c.version, stays, c.stays)
		}
		if c.stays { // for the next row, the newer loopc's again
			if _, stderr := compile(now); stderr != "" {
				t.Errorf("the newer loopc says %s", stderr)
			}
		}
		if version, err := os.ReadFile(at); err != nil || string(version) != "loopc "+c.want+"\n" {
			t.Errorf("loopc %s: the version is %q, want %s: %v", c.version, version, c.want, err)
		}
	}
	if err := os.RemoveAll(filepath.Dir(at)); err != nil {
		t.Fatal(err)
	}
	if status, stderr := compile(old); status != exitDone || stderr != "" {
		t.Errorf("after removal: exit status %d: %s", status, stderr)
	}
}
