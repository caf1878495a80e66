package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes a file into dir and returns its path.
func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// must runs a command and returns what it prints.
func must(t *testing.T, args ...string) string {
	t.Helper()
	var b strings.Builder
	if err := run(args, &b); err != nil {
		t.Fatalf("npy %s: %v", strings.Join(args, " "), err)
	}
	return b.String()
}

// TestText compares the file that is written with what NumPy writes.
func TestText(t *testing.T) {
	dir := t.TempDir()
	from, to := put(t, dir, "a.txt", "abc\n"), filepath.Join(dir, "a.npy")
	if got, want := must(t, "text", from, to), to+": uint8 (4,)\n"; got != want {
		t.Errorf("prints %q, want %q", got, want)
	}
	got, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	dict := "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }"
	want := "\x93NUMPY\x01\x00\x76\x00" + dict + strings.Repeat(" ", 0x76-1-len(dict)) + "\n" + "abc\n"
	if string(got) != want {
		t.Errorf("writes %q, want %q", got, want)
	}
	if got, want := must(t, "show", to, "2"), to+"[2] = 99\n"; got != want {
		t.Errorf("shows %q, want %q", got, want)
	}
}

// TestField checks what the fields are said to be.
func TestField(t *testing.T) {
	to := filepath.Join(t.TempDir(), "f.npy")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"plate", "3x4"}, "float64 (3, 4), least 0, greatest 1, sum 4"},
		{[]string{"-scale", "0.5", "plate", "3x4"}, "float64 (3, 4), least 0, greatest 0.5, sum 2"},
		{[]string{"-float32", "bump", "5x9"}, "float32 (5, 9), least 0, greatest 1, sum 8"}, // means of sin² over whole arches
	} {
		must(t, append(append([]string{"field"}, c.args...), to)...)
		if got, want := must(t, "show", to), to+": "+c.want+"\n"; got != want {
			t.Errorf("field %v shows %q, want %q", c.args, got, want)
		}
	}
	must(t, "field", "random", "40x50", to)
	_, shape, first, err := load(to)
	if err != nil || len(shape) != 2 || shape[0] != 40 || shape[1] != 50 {
		t.Fatalf("random: shape %v, error %v", shape, err)
	}
	mean := 0.0
	for _, x := range first {
		if x < 0 || x >= 1 {
			t.Fatalf("random: %v is not from 0 up to 1", x)
		}
		mean += x / float64(len(first))
	}
	if math.Abs(mean-0.5) > 0.05 {
		t.Errorf("random: the mean is %v", mean)
	}
	must(t, "field", "random", "40x50", to)
	if _, _, again, err := load(to); err != nil || fmt.Sprint(first) != fmt.Sprint(again) {
		t.Errorf("random: another run makes another field, or fails: %v", err)
	}
}

// TestPictures reads the same picture in every form, and draws it.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	array, drawing := filepath.Join(dir, "a.npy"), filepath.Join(dir, "a.png")
	want := []float64{0, 0.2, 0.4, 0.6, 0.8, 1}
	read := func(name string) {
		t.Helper()
		must(t, "image", name, array)
		_, shape, levels, err := load(array)
		if err != nil || len(shape) != 2 || shape[0] != 2 || shape[1] != 3 {
			t.Fatalf("%s: shape %v, error %v", name, shape, err)
		}
		for k := range want {
			if math.Abs(levels[k]-want[k]) > 1e-4 {
				t.Fatalf("%s: levels %v, want %v", name, levels, want)
			}
		}
	}
	read(put(t, dir, "plain.pgm", "P2\n# a comment\n3 2 5\n0 1 2\n# another\n3 4\t5"))
	read(put(t, dir, "bytes.pgm", "P5 3 2 5\n\x00\x01\x02\x03\x04\x05"))
	read(put(t, dir, "words.pgm", "P5 3 2 500\n\x00\x00\x00\x64\x00\xc8\x01\x2c\x01\x90\x01\xf4"))
	must(t, "draw", array, drawing)
	read(drawing)
}

// TestMistakes checks that what is wrong is refused, and leaves no file.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	to := filepath.Join(dir, "out.npy")
	line := filepath.Join(dir, "line.npy")
	must(t, "text", put(t, dir, "a.txt", "abc"), line)
	picture := func(content string) string { return put(t, dir, "p.pgm", content) }
	for _, c := range []struct {
		args  []string
		usage bool
		want  string
	}{
		{nil, true, "usage"},
		{[]string{"paint"}, true, "usage"},
		{[]string{"text", "a.txt"}, true, "usage"},
		{[]string{"field", "hill", "3x3", to}, true, "no such field: hill"},
		{[]string{"field", "bump", "3", to}, true, "3 is not a size"},
		{[]string{"field", "bump", "3x-3", to}, true, "3x-3 is not a size"},
		{[]string{"field", "bump", "9999999999x9999999999", to}, true, "is not a size"},
		{[]string{"field", "-float16", "bump", "3x3", to}, true, "usage"},
		{[]string{"show", line, "1", "2"}, true, "a cell has 1 indices here, not 2"},
		{[]string{"show", line, "3"}, true, "3 is no index from 0 to 2"},
		{[]string{"text", filepath.Join(dir, "gone.txt"), to}, false, "gone.txt"},
		{[]string{"text", line, filepath.Join(dir, "gone", "out.npy")}, false, "gone"},
		{[]string{"show", filepath.Join(dir, "a.txt")}, false, "a.txt"},
		{[]string{"draw", line, to}, false, "only arrays of 2 dimensions"},
		{[]string{"image", picture("P6 3 2 5\n"), to}, false, "not a portable graymap"},
	} {
		refused(t, c.args, c.usage, c.want)
	}
	for content, want := range map[string]string{
		"P2 3 2 5\n0 1 2 3 4":           "unexpected EOF",
		"P2 3 2 5\n0 1 2 3 4 6":         "level 6 is beyond 5",
		"P2 3 2 5\n0 1 2 3 4 x":         "expected a number, found 'x'",
		"P2 0 2 5\n":                    "not supported",
		"P2 99999999 99999999 5\n":      "not supported",
		"P2 99999999999999999999 2 5\n": "too large",
		"P5 3 2 5\n\x00\x01":            "unexpected EOF",
		"P2 # no end":                   "unexpected EOF",
	} {
		refused(t, []string{"image", picture(content), to}, false, want)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*out.npy*"))
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("files are left: %v, %v", left, hidden)
	}
}

// refused runs a command that must fail.
func refused(t *testing.T, args []string, usage bool, want string) {
	t.Helper()
	err := run(args, io.Discard)
	if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, errUsage) != usage {
		t.Errorf("npy %q: error %v, want one of usage (%t) with %q", args, err, usage, want)
	}
}
