package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"loopc/runtime/npy"
	"loopc/testdata/lacking"
)

// newPair makes two files of results in dir, as of a run, for the names a.npy and b.npy.
func newPair(t *testing.T, dir string) *results {
	t.Helper()
	s := &settings{out: map[int]string{1: filepath.Join(dir, "a.npy"), 2: filepath.Join(dir, "b.npy")}}
	r, err := newResults(t.Context(), programs["adi"].Nest, []int{3, 20}, s, false, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// put makes files with a content.
func put(t *testing.T, text string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRenameFails: when the run is over, a folder has the name of the last of two results. The
// rename of the first one is undone, whether there was a file before or not. Both results are
// complete, and stay under the names that the error tells, which no run removes.
func TestRenameFails(t *testing.T) {
	for _, before := range []bool{false, true} {
		dir := t.TempDir()
		a, b := filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy")
		if before {
			put(t, "older", a)
		}
		r := newPair(t, dir)
		if err := os.MkdirAll(filepath.Join(b, "full"), 0o777); err != nil {
			t.Fatal(err)
		}
		err := r.commit()
		if err == nil || !strings.HasPrefix(err.Error(), "result "+b+": cannot write "+b+": ") {
			t.Errorf("something is in the way: %v", err)
		}
		r.discard()
		_, places, _ := strings.Cut(err.Error(), "; the results are in ")
		kept := strings.Split(places, ", ")
		if len(kept) != 2 || !strings.HasPrefix(kept[0], a+".") || !strings.HasPrefix(kept[1], b+".") {
			t.Fatalf("it is not said where the results are: %v", err)
		}
		removeLeftovers(dir, "a.npy", "")
		removeLeftovers(dir, "b.npy", "")
		for _, name := range kept {
			f, err := npy.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{filepath.Base(kept[0]), "b.npy", filepath.Base(kept[1])}
		if before {
			want = append([]string{"a.npy"}, want...)
			if got := read(t, a); got != "older" {
				t.Errorf("what was there before has become %q", got)
			}
		}
		expectFiles(t, dir, want...)
	}
}

// TestRenameMoves renames and undoes it on a file system without hard links, where the older file is moved away.
func TestRenameMoves(t *testing.T) {
	for _, fails := range []bool{false, true} {
		dir := t.TempDir()
		target, temp, in := filepath.Join(dir, "a.npy"), filepath.Join(dir, ".a.npy.AAAAAAAA.tmp"), filepath.Join(dir, "b.npy")
		put(t, "older", target)
		if !fails {
			put(t, "newer", temp)
		}
		if err := os.Mkdir(in, 0o777); err != nil {
			t.Fatal(err)
		}
		n := &renaming{path: target, temp: temp, target: target, old: filepath.Join(dir, older("a.npy", "BBBBBBBB")), moved: true}
		if err := n.rename(); err == nil == fails {
			t.Fatal(err)
		}
		if !fails {
			if err := n.back(); err != nil {
				t.Fatal(err)
			}
		}
		forgetOld([]*renaming{n})
		if got := read(t, target); got != "older" {
			t.Errorf("what was there before has become %q", got)
		}
	}
}

// TestKilledRename stops between two renames, as if the run were killed there. Until the next run,
// the older file must exist beside the results under another name.
func TestKilledRename(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return // see lock: what a killed run leaves stays there
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy")
	put(t, "older", a, b)
	r := newPair(t, dir)
	n := &renaming{path: a, temp: r.all[0].temp, target: a}
	if err := n.keep(); err != nil {
		t.Fatal(err)
	}
	removeLeftovers(dir, "a.npy", "") // another run, while this one lives
	if err := n.rename(); err != nil {
		t.Fatal(err)
	}
	if read(t, n.old) != "older" || read(t, a) == "older" || read(t, b) != "older" {
		t.Error("a.npy is not replaced, or b.npy is, or the older content of a.npy is gone")
	}
	// The kill: locks are given up, and nothing is removed.
	for _, f := range []*os.File{n.hold, r.all[0].hold, r.all[1].hold} {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	next := newPair(t, dir)
	if err := next.commit(); err != nil {
		t.Fatal(err)
	}
	next.discard()
	expectFiles(t, dir, "a.npy", "b.npy")

	// An older file whose result has never got its name gets that name back.
	put(t, "the only one", filepath.Join(dir, older("c.npy", "CCCCCCCC")))
	removeLeftovers(dir, "c.npy", "")
	expectFiles(t, dir, "a.npy", "b.npy", "c.npy")
}

// link makes a symbolic link.
func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		lacking.Skip(t, "no symbolic links here:", err)
	}
}

// TestLinkedResults writes results, a trace and a summary through symbolic links. The links must
// stay, and the files to which they lead are replaced, or created, with the permissions that they
// had.
func TestLinkedResults(t *testing.T) {
	for _, transport := range transports {
		dir := t.TempDir()
		for _, sub := range []string{"data", "deep/er"} {
			if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		real := filepath.Join(dir, "data", "real.npy")
		put(t, "older", real)
		if err := os.Chmod(real, 0o640); err != nil {
			t.Fatal(err)
		}
		link(t, "data/real.npy", filepath.Join(dir, "second.npy"))
		link(t, "second.npy", filepath.Join(dir, "x.npy"))
		// A folder on the way that is a link: .. is the parent of what it leads to.
		link(t, "deep/er", filepath.Join(dir, "folder"))
		link(t, "../dangling.npy", filepath.Join(dir, "deep", "er", "b.npy"))
		link(t, "data/t.json", filepath.Join(dir, "t.json"))
		link(t, "data/s.json", filepath.Join(dir, "s.json"))
		o := run(t, "adi", dir, "-p", "T=3,N=8", "-n", "2", "--random", "1", "--transport", transport,
			"--out", "X=x.npy,B=folder/b.npy", "--trace", "t.json", "--summary", "s.json")
		o.expect(t, 0, "")
		expectFiles(t, dir, "data", "deep", "folder", "s.json", "second.npy", "t.json", "x.npy")
		expectFiles(t, filepath.Join(dir, "data"), "real.npy", "s.json", "t.json")
		expectFiles(t, filepath.Join(dir, "deep"), "dangling.npy", "er")
		for _, name := range []string{"x.npy", "second.npy", "folder/b.npy", "t.json", "s.json"} {
			if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link %s is one no more: %v, %v", name, info, err)
			}
		}
		if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 && runtime.GOOS != "windows" || read(t, real) == "older" {
			t.Errorf("what the link leads to is not replaced, or has other permissions: %v, %v", info, err)
		}
	}
}

// TestNamelessLinks writes to a pipe that has no name, by a link of /proc: a summary goes there,
// a result cannot.
func TestNamelessLinks(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // other systems have no such links
	}
	args := []string{"-p", "T=3,N=8", "--random", "1"}
	o := run(t, "adi", t.TempDir(), append(args, "--summary", "/dev/stdout")...)
	o.expect(t, 0, "")
	if !strings.Contains(o.stdout, `"points"`) {
		t.Errorf("standard output has no summary: %q", o.stdout)
	}
	run(t, "adi", t.TempDir(), append(args, "--out", "X=/dev/stdout")...).expect(t, 1, `result X: /dev/stdout exists and is not a regular file`)
}

// TestBadLinks has links that lead nowhere, and two names that lead to one file.
func TestBadLinks(t *testing.T) {
	dir := t.TempDir()
	link(t, "ring2", filepath.Join(dir, "ring1"))
	link(t, "ring1", filepath.Join(dir, "ring2"))
	link(t, "none/x.npy", filepath.Join(dir, "astray"))
	link(t, "one.npy", filepath.Join(dir, "l1"))
	link(t, "one.npy", filepath.Join(dir, "l2"))
	args := func(out string) []string { return []string{"-p", "T=500,N=1000", "--random", "1", "--out", out} }
	run(t, "slow", dir, args("u=ring1")...).expect(t, 1, `result u: cannot write ring1: its symbolic links lead in a circle`)
	run(t, "slow", dir, args("u=astray")...).expect(t, 1, `result u: cannot write astray: no such file or directory|cannot find`)
	run(t, "adi", dir, args("X=l1,B=l2")...).expect(t, 2, `l2 is named for two results`)
	run(t, "slow", dir, append(args("u=l1"), "--trace", "l2")...).expect(t, 2, `l2 is named for a result and for the trace`)
	expectFiles(t, dir, "astray", "l1", "l2", "ring1", "ring2")
}

// TestLinkedFolders writes through folders that are links. Two names may then lead to one file, and
// .. is the parent of the folder to which the link leads.
func TestLinkedFolders(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"d", "deep/er"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	link(t, "d", filepath.Join(dir, "e"))
	link(t, "deep/er", filepath.Join(dir, "f"))
	args := func(out string) []string { return []string{"-p", "T=3,N=8", "--random", "1", "--out", out} }
	run(t, "adi", dir, args("X=d/z.npy,B=e/z.npy")...).expect(t, 2, `e/z.npy is named for two results`)
	run(t, "adi", dir, append(args("X=d/z.npy"), "--trace", "e/z.npy")...).expect(t, 2, `e/z.npy is named for a result and for the trace`)
	run(t, "adi", dir, append(args("X=e/z.npy"), "--summary", "d/z.npy")...).expect(t, 2, `d/z.npy is named for a result and for the summary`)
	expectFiles(t, filepath.Join(dir, "d"))
	run(t, "adi", dir, args("X=f/../z.npy,B=z.npy")...).expect(t, 0, "")
	expectFiles(t, filepath.Join(dir, "deep"), "er", "z.npy")
	expectFiles(t, dir, "d", "deep", "e", "f", "z.npy")
	run(t, "adi", dir, args("X=none/../y.npy")...).expect(t, 1, `cannot write none/../y.npy: no such file or directory|cannot find`)
	run(t, "adi", dir, args("X=f/../z.npy,B=deep/z.npy")...).expect(t, 2, `deep/z.npy is named for two results`)
}

// TestKeptIsLocked looks for leftovers continuously while the older file gets its second name. It
// must never take the older file for a leftover.
func TestKeptIsLocked(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return // see lock
	}
	dir := t.TempDir()
	a := filepath.Join(dir, "a.npy")
	put(t, "older", a)
	done, over := make(chan bool), make(chan bool)
	go func() {
		defer close(over)
		for {
			select {
			case <-done:
				return
			default:
				removeLeftovers(dir, "a.npy", "")
			}
		}
	}()
	for range 2000 {
		n := &renaming{path: a, target: a}
		if err := n.keep(); err != nil {
			t.Fatal(err)
		}
		if n.moved || missing(n.old) {
			t.Error("another run has removed what was kept, or it was not kept")
			break
		}
		forgetOld([]*renaming{n})
	}
	close(done)
	<-over
}

// TestReadOnly names a folder, and files that nobody, not even root, may write. The run must refuse
// them before it computes.
func TestReadOnly(t *testing.T) {
	for _, transport := range transports {
		dir := t.TempDir()
		file := filepath.Join(dir, "mine")
		put(t, "older", file)
		if err := os.Chmod(file, 0o444); err != nil {
			t.Fatal(err)
		}
		link(t, "mine", filepath.Join(dir, "link"))
		args := []string{"-n", "2", "-p", "T=500,N=1000", "--random", "1", "--transport", transport}
		run(t, "slow", dir, append(args, "--out", "u=mine")...).expect(t, 1, `result u: cannot write mine: it is read-only`)
		run(t, "slow", dir, append(args, "--out", "u=link")...).expect(t, 1, `result u: cannot write link: it is read-only`)
		run(t, "slow", dir, append(args, "--trace", "mine")...).expect(t, 1, `trace: cannot write mine: it is read-only`)
		run(t, "slow", dir, append(args, "--summary", "link")...).expect(t, 1, `summary: cannot write link: it is read-only`)
		run(t, "slow", dir, append(args, "--out", "u=mine/u.npy")...).expect(t, 1, `result u: .*mine/u.npy`)
		expectFiles(t, dir, "link", "mine")
		if read(t, file) != "older" {
			t.Error("the file is not what it was")
		}
	}
	script := filepath.Join(t.TempDir(), "script")
	put(t, "older", script)
	if err := os.Chmod(script, 0o444); err != nil {
		t.Fatal(err)
	}
	run(t, "diffusion", t.TempDir(), "--random", "1", "--slurm-script", script).expect(t, 1, `cannot write `+script+`: it is read-only`)
}
