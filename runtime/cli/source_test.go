package cli

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSources gives a run its array in every form, with ranks in one process, in several processes
// and on hosts. The result must always be the same.
func TestSources(t *testing.T) {
	standIn(t)
	hosts := hostsFile(t, "one\ntwo\n")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "u.npy"), 22, 22)
	given := read(t, dir, "u.npy")
	if err := os.WriteFile(filepath.Join(dir, "u.raw"), []byte(given[len(given)-22*22*8:]), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, method := range map[string]uint16{"stored.npz": zip.Store, "deflated.npz": zip.Deflate} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		m, err := w.CreateHeader(&zip.FileHeader{Name: "u.npy", Method: method})
		if err == nil {
			if _, err = m.Write([]byte(given)); err == nil {
				err = w.Close()
			}
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	var want, cells string
	for _, way := range [][]string{{"-n", "2", "--transport", "inproc"}, {"-n", "2", "--transport", "tcp"}, {"-n", "2", "--hosts", hosts}} {
		for _, from := range []string{"u.npy", "stored.npz:u", "deflated.npz", "u.raw", "-"} {
			p := piped(t, dir, given, append([]string{"-p", "T=4,N=20", "--check", "--in", "u=" + from, "--out", "u=-"}, way...)...)
			p.expect(t, 0, "equals the sequential(.|\n)*points in")
			if want == "" {
				want, cells = p.stdout, p.stdout[len(p.stdout)-22*22*8:]
			}
			if p.stdout != want {
				t.Errorf("%v: from %s the result is another", way, from)
			}
		}
		p := piped(t, dir, given, append([]string{"-p", "T=4,N=20", "--in", "u=-", "--out", "u=after.bin"}, way...)...)
		if p.expect(t, 0, ""); read(t, dir, "after.bin") != cells {
			t.Errorf("%v: the raw file has other cells", way)
		}
	}
	if want == "" || want == given {
		t.Error("nothing is computed")
	}
	for _, c := range []struct {
		args  []string
		code  int
		wants string
	}{
		{[]string{"--in", "u=stored.npz:v"}, 1, "array u: stored.npz has no member v: those of the archive are u"},
		{[]string{"--in", "u=lacking.npz:u"}, 1, "lacking.npz: no such file"},
		{[]string{"--in", "u=u.npy:u"}, 1, "u.npy:u: no such file"},
		{[]string{"--in", "u=-", "-p", "T=4,N=21"}, 1, `array u: standard input: expected shape \(23, 23\), the file has \(22, 22\)`},
		{[]string{"--in", "u=u.raw", "-p", "T=4,N=21"}, 1, `u.raw: 3872 bytes, but \(23, 23\) cells of float64 take 4232`},
		{[]string{"--in", "u=-", "--out", "u=x.npz"}, 2, "x.npz is an archive, and results go to files .npy, one for each"},
		{[]string{"--in", "u=-", "--out", "u=x.TXT"}, 2, "x.TXT would be no text: results are NumPy files, .npy, or bare cells, .raw"},
		{[]string{"--in", "u=-", "--hold"}, 2, "--hold waits for standard input"},
		{[]string{"--in", "u=-", "-n", "2", "--slurm"}, 2, "with --slurm another program starts the ranks, and their input and output are no pipes"},
		{[]string{"--in", "u=-", "-n", "2", "--transport", "mpi"}, 2, "with --transport mpi another program starts the ranks|needs a program built with cgo|MPI"},
		{[]string{"--in", "u=u.npy", "--out", "u=-", "--summary", "-"}, 2, "standard output is named for two results"},
		{[]string{"--in", "u=stored.npz:u", "--trace", "stored.npz"}, 2, "stored.npz is named for a given array and for the trace"},
	} {
		o := piped(t, dir, given, c.args...)
		o.expect(t, c.code, c.wants)
	}
	piped(t, dir, given[:len(given)-1], "-p", "T=4,N=20", "--in", "u=-").expect(t, 1, "array u: standard input: truncated: 3871 bytes of cells")
	piped(t, dir, "", "-p", "T=4,N=20", "--in", "u=-").expect(t, 1, "array u: standard input: not a .npy file")
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// piped runs a program with the given standard input.
func piped(t *testing.T, dir, input string, args ...string) outcome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := newProcess("seidel", dir, append([]string{self}, args...))
	p.cmd.Stdin = strings.NewReader(input)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p.wait(t)
}
