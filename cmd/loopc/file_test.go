package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"loopc/testdata/lacking"
)

// TestWriteFile writes through symbolic links, over a file with permissions of its own,
// and where nothing can be written, and requires that no other file is left.
func TestWriteFile(t *testing.T) {
	folder := t.TempDir()
	file, second, link := filepath.Join(folder, "real"), filepath.Join(folder, "second"), filepath.Join(folder, "link")
	for from, to := range map[string]string{link: "second", second: file} {
		if err := os.Symlink(to, from); err != nil {
			lacking.Skip(t, "no symbolic links here:", err)
		}
	}
	for content, mode := range map[string]os.FileMode{"one": 0, "another": 0o600, "a third": 0o666} {
		if mode != 0 {
			if err := os.WriteFile(file, []byte("what was there"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, mode); err != nil {
				t.Fatal(err)
			}
		} else if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		if err := writeFile(link, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != content {
			t.Errorf("the file has %q, %v, want %q", got, err, content)
		}
		info, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		if mode != 0 && runtime.GOOS != "windows" && info.Mode() != mode {
			t.Errorf("the file has mode %s, want %s", info.Mode(), mode)
		}
	}
	sub := filepath.Join(folder, "sub")
	if err := os.Mkdir(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(sub, nil); err == nil {
		t.Error("a folder became a file")
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 4 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	for _, name := range []string{link, second} {
		if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link %s became a file: %v, %v", name, info, err)
		}
	}
	ring := filepath.Join(sub, "ring")
	if err := os.Symlink("ring", ring); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(ring, nil); err == nil || !strings.HasSuffix(err.Error(), "its symbolic links lead in a circle") {
		t.Errorf("links in a circle: %v", err)
	}
	path := filepath.Join(folder, "nowhere", "file")
	if err := writeFile(path, nil); err == nil || !strings.HasPrefix(err.Error(), "cannot write "+path+": ") || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("writing to a folder that is not there: %v", err)
	}
}
