package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// transports are those that this system has.
var transports = func() []string {
	all := []string{inProcess}
	for _, c := range allCarriers {
		if c.tried && c.ready() == nil {
			all = append(all, c.name)
		}
	}
	return all
}()

// TestBadInput gives files that do not fit. Each is a clear error, nothing runs,
// and nothing is left.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "small.npy"), 9, 10)
	writeFile(t, filepath.Join(dir, "flat.npy"), 100)
	writeFile(t, filepath.Join(dir, "good.npy"), 10, 10)
	good := read(t, dir, "good.npy")
	for name, text := range map[string]string{
		"cut.npy":    good[:len(good)-1],
		"header.npy": good[:20],
		"text.npy":   "not an array at all",
		"word.npy":   "u0 = 3",
		"float.npy":  strings.Replace(good, "<f8", "<i8", 1),
		"huge.npy":   strings.Replace(good, "(10, 10), }                 ", "(4294967296, 4294967296), } ", 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := t.TempDir()
	for _, transport := range transports {
		for _, c := range []struct{ file, want string }{
			{"none.npy", `array u0: .*none.npy: (no such file|The system cannot find)`},
			{"small.npy", `array u0: .*small.npy: expected shape \(10, 10\), the file has \(9, 10\)`},
			{"flat.npy", `expected shape \(10, 10\), the file has \(100,\)`},
			{"float.npy", `expected cells of type float64, the file has int64: save .astype\("float64"\) of the array`},
			{"cut.npy", `cut.npy: truncated: 799 bytes of cells, but \(10, 10\) cells of float64 take 800`},
			{"header.npy", `the file ends within its header`},
			{"text.npy", `not a .npy file`},
			{"word.npy", `not a .npy file`},
			{"huge.npy", `too large`},
			{".", `not a regular file|is a directory|handle is invalid|Incorrect function`},
		} {
			o := run(t, "diffusion", out, "-p", "T=3,N=8", "-n", "2", "--transport", transport, "--in", "u0="+filepath.Join(dir, c.file), "--out", "u=u.npy")
			o.expect(t, 1, c.want)
			if strings.Count(o.stderr, "\n") != 1 {
				t.Errorf("%s: more than a line:\n%s", c.file, o.stderr)
			}
			expectFiles(t, out)
		}
		o := run(t, "diffusion", out, "-p", "T=3,N=8", "-n", "2", "--transport", transport, "--in", "u0="+filepath.Join(dir, "good.npy"), "--out", "u="+filepath.Join(dir, "result.npy"), "--check")
		o.expect(t, 0, "equals")
	}
}

// TestBadOutput names files that cannot be written.
func TestBadOutput(t *testing.T) {
	for _, transport := range transports {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ path, want string }{
			{"sub", "sub exists and is not a regular file"},
			{"none/u.npy", "result u: .*none"},
		} {
			o := run(t, "diffusion", dir, "-p", "T=3,N=8", "-n", "2", "--transport", transport, "--random", "1", "--out", "u="+c.path)
			o.expect(t, 1, c.want)
			expectFiles(t, dir, "sub")
		}
		o := run(t, "adi", dir, "-p", "T=3,N=8", "--random", "1", "--transport", transport, "--out", "X=r.npy,B=sub/../r.npy")
		if o.code == 0 || o.code == 3 {
			t.Errorf("exit code %d\n%s", o.code, o.stderr)
		}
		expectFiles(t, dir, "sub")
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		return // permissions do not bind root
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	run(t, "diffusion", dir, "-p", "T=3,N=8", "--random", "1", "--out", "u=u.npy").expect(t, 1, "permission denied")
}

// TestFailingKernel runs nests that fail in the middle: a division by zero is
// the user's, with exit code 1 and one line; a broken index is a bug, with 3.
func TestFailingKernel(t *testing.T) {
	for _, transport := range transports {
		dir := t.TempDir()
		args := []string{"-n", "3", "--cpus", "1", "-p", "X=6,Y=12,Z=100", "--tile", "2x2x10", "--transport", transport, "--out", "A=a.npy"}
		o := run(t, "divides", dir, args...)
		o.expect(t, 1, `(?m)^pipeline: rank \d: step \d+: pipeline.loop:10: integer division by zero at i = 1, j = 2, k = 3$`)
		if n := strings.Count(o.stderr, "division"); n > 3 {
			t.Errorf("the failure is told %d times:\n%s", n, o.stderr)
		}
		expectFiles(t, dir)
		o = run(t, "buggy", dir, args...)
		o.expect(t, 3, `(?m)^pipeline: BUG: rank \d: tile \d+: .*index out of range`)
		if !strings.Contains(o.stderr, "faultyKernel") {
			t.Errorf("no stack:\n%s", o.stderr)
		}
		expectFiles(t, dir)
		if o.took > 20*time.Second {
			t.Errorf("took %v", o.took)
		}
	}
}

// TestCheckFinds compares with sequential loops that give another result in one
// cell: the check must name it and its tile, and keep the result to itself.
func TestCheckFinds(t *testing.T) {
	for _, transport := range transports {
		dir := t.TempDir()
		o := run(t, "wrong", dir, "-n", "2", "--cpus", "1", "-p", "X=6,Y=6,Z=20", "--tile", "2x3x10", "--map", "k", "--transport", transport, "--out", "A=a.npy", "--check")
		o.expect(t, 1, `A\[2, 1, 3\] is .*, but the sequential loops give .*; tile \(0, 0, 0\) of rank 0, CPU 0, writes it`)
		expectFiles(t, dir)
	}
}

// TestProgramFails gives parameters with which the nest means nothing: the
// command line is in order, the program is not.
func TestProgramFails(t *testing.T) {
	for _, transport := range transports {
		dir := t.TempDir()
		o := run(t, "diffusion", dir, "--random", "1", "-p", "N=-5", "--transport", transport, "--out", "u=u.npy")
		o.expect(t, 1, `(?m)^diffusion: .*(negative extent|subscript).* \(T = 1000, N = -5\)$`)
		expectFiles(t, dir)
	}
}

// TestFailingInit divides by zero in an init. Under some plans, the runtime evaluates this init
// only for cells that no iteration writes.
func TestFailingInit(t *testing.T) {
	for _, transport := range transports {
		dir := t.TempDir()
		o := run(t, "divides-init", dir, "-n", "2", "--cpus", "1", "-p", "M=9,N=9", "--random", "1", "--transport", transport, "--out", "D=d.npy")
		o.expect(t, 1, `(?m)^editdistance: .*editdistance.loop:6: integer division by zero at i = \d+, j = \d+$`)
		if strings.Contains(o.stderr, "goroutine") {
			t.Errorf("a stack:\n%s", o.stderr)
		}
		expectFiles(t, dir)
	}
}
