package files

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"loopc/testdata/lacking"
)

// TestTarget follows symbolic links: chains, folders that are links, links to missing files, and
// circles.
func TestTarget(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, folder := range []string{"a/b", "c"} {
		if err := os.MkdirAll(in(folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"one": "two", "two": "c/file", "folder": "a/b", "a/b/up": "../file", "absolute": in("a/file"),
		"ring": "ring2", "ring2": "ring", "self": "self", "astray": "none/file",
	} {
		if err := os.Symlink(filepath.FromSlash(to), in(name)); err != nil {
			lacking.Skip(t, "no symbolic links here:", err)
		}
	}
	for name, want := range map[string]string{
		"one": "c/file", "two": "c/file", "c/file": "c/file", "folder/up": "a/file", "absolute": "a/file", "astray": "none/file", "none/x": "none/x",
	} {
		if got, err := Target(in(name)); err != nil || got != in(want) {
			t.Errorf("%s leads to %s, %v, want %s", name, got, err, in(want))
		}
	}
	for _, name := range []string{"ring", "ring2", "self"} {
		want := "cannot write " + in(name) + ": its symbolic links lead in a circle"
		if got, err := Target(in(name)); err == nil || err.Error() != want {
			t.Errorf("%s leads to %s, %v, want %s", name, got, err, want)
		}
		if err := CheckWritable(in(name)); err == nil || err.Error() != want {
			t.Errorf("%s can be written: %v, want %s", name, err, want)
		}
	}
	for name, want := range map[string]string{"one": "", "a": in("a") + " is a folder", "astray": "cannot write " + in("astray") + ": "} {
		if err := CheckWritable(in(name)); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s can be written: %v, want %q", name, err, want)
		}
	}
	if entries, err := os.ReadDir(in("c")); err != nil || len(entries) > 0 {
		t.Errorf("the check has left %v, %v", entries, err)
	}
}

// TestReserveTooMuch asks for more than any disk has: the error says how much that is, and
// the file is empty.
func TestReserveTooMuch(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const much = 1 << 60
	ok, err := Reserve(t.Context(), f, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		if runtime.GOOS != "linux" {
			t.Skip("this file system reserves nothing")
		}
		lacking.Skip(t, "this file system reserves nothing")
	}
	err = reserve(f, much, 4096)
	if err == nil {
		t.Fatalf("there are %d bytes on this disk", int64(much))
	}
	var space *SpaceError
	err = NoSpace(f, much, err)
	if !errors.As(err, &space) || space.Need != much || space.Free <= 0 || !strings.Contains(err.Error(), "it takes 1152921504606846976 bytes, and ") {
		t.Errorf("%v: %+v", err, space)
	}
	if info, err := f.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("the file is not empty: %v, %v", info, err)
	}
}

// TestCheckInPlace checks files in folders where no file can be created. An existing file can be
// written there, but not replaced. The folders of /proc refuse root, too.
func TestCheckInPlace(t *testing.T) {
	var existing []string
	if runtime.GOOS == "linux" {
		existing = append(existing, "/proc/self/comm")
	}
	if os.Geteuid() > 0 {
		dir := t.TempDir()
		file := filepath.Join(dir, "summary.json")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		existing = append(existing, file)
	}
	if len(existing) == 0 {
		t.Skip("no folder refuses new files here")
	}
	for _, file := range existing {
		if err := CheckInPlace(file); err != nil {
			t.Errorf("%s cannot be written in place: %v", file, err)
		}
		if err := CheckWritable(file); err == nil {
			t.Errorf("%s can be replaced", file)
		}
		if err := CheckInPlace(filepath.Join(filepath.Dir(file), "new")); err == nil {
			t.Errorf("a file can be created beside %s", file)
		}
	}
}
