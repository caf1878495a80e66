package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"loopc/runtime/files"
	"loopc/testdata/lacking"
)

// endless are the arguments of a run of the slow program that would take hours, and whose
// result takes 8 MB.
func endless(transport, out string) []string {
	return []string{"-n", "2", "--cpus", "1", "-p", "T=500,N=1000", "--map", "t", "--tile", "1x20x20", "--random", "1", "--transport", transport, "--out", out, "--progress", "none"}
}

// within runs the named program by a script of sh, which finds it and its arguments in $@,
// in dir, perhaps in namespaces of its own.
func within(t *testing.T, program, dir, script string, spaces []string, args ...string) outcome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := append([]string{"sh", "-c", script, "sh", self}, args...)
	return startCommand(t, program, dir, append(spaces, command...)).wait(t)
}

// mounts returns the command that runs another where it may mount file systems that only
// it sees. Root may do that, and others on most systems.
func mounts(t *testing.T) []string {
	t.Helper()
	for _, spaces := range [][]string{{"unshare", "-m"}, {"unshare", "-rm"}} {
		if o := within(t, "", t.TempDir(), `mount -t tmpfs none .`, spaces); o.code == 0 {
			return spaces
		}
	}
	lacking.Skip(t, "no file system can be mounted here")
	return nil
}

// TestNoSpace runs nests that would take hours and whose results do not fit. The error must come at
// once and name the needed and the free space, and no file may be left.
func TestNoSpace(t *testing.T) {
	spaces := mounts(t)
	const script = `mount -t tmpfs -o size=1m none . && cd "$PWD" || exit 99
"$@"; code=$?; ls -A; exit $code`
	for _, transport := range transports {
		o := within(t, "slow", t.TempDir(), script, spaces, endless(transport, "u=u.npy")...)
		o.expect(t, 1, `(?m)^diffusion: result u: cannot write u.npy: no space left on device: it takes 8032160 bytes, and 1048576 are free there$`)
		if o.stdout != "" {
			t.Errorf("%s: files are left: %s", transport, o.stdout)
		}
	}
	// The first of two results fits, but then the second does not.
	o := within(t, "adi", t.TempDir(), script, spaces, "-p", "T=3,N=400", "--random", "1", "--out", "X=x.npy,B=b.npy")
	o.expect(t, 1, `(?m)^adi: result B: cannot write b.npy: no space left on device: it takes 643332 bytes, and \d{6} are free there$`)
	if o.stdout != "" {
		t.Errorf("files are left: %s", o.stdout)
	}
	// The same error comes if ranks on hosts write the file through the launcher.
	standIn(t)
	hosts := hostsFile(t, "one slots=2")
	o = within(t, "slow", t.TempDir(), script, spaces, append(endless("tcp", "u=u.npy")[2:], "--hosts", hosts)...)
	o.expect(t, 1, `(?m)^diffusion: result u: cannot write u.npy: no space left on device: it takes 8032160 bytes`)
	// The little that a single number takes is reserved too.
	const full = `mount -t tmpfs -o size=1m none . && cd "$PWD" || exit 99
dd if=/dev/zero of=filler bs=4096 count=256 2>dd; "$@"`
	o = within(t, "reduces", t.TempDir(), full, spaces, "-p", "T=500,N=1000", "--random", "1", "--out", "best=best.npy")
	o.expect(t, 1, `(?m)^diffusion: result best: cannot write best.npy: no space left on device: it takes 136 bytes, and 0 are free there$`)
	// What only a comparison needs is reserved too.
	o = within(t, "slow", t.TempDir(), `mount -t tmpfs -o size=1m none . && export TMPDIR="$PWD" && cd / || exit 99; exec "$@"`, spaces, append(endless("tcp", "u="+filepath.Join(t.TempDir(), "u.npy"))[:14], "--check")...)
	o.expect(t, 1, `(?m)^diffusion: result u: cannot write .*loop-check.*: no space left on device: it takes 8032160 bytes`)
}

// TestIrreplaceable names files that no other can replace, though they may be written: of
// others in a folder with the sticky bit, and mount points. A run of hours is refused at once.
func TestIrreplaceable(t *testing.T) {
	spaces := mounts(t)
	const mounted = `mount -t tmpfs none . && cd "$PWD" && echo older >u.npy && echo >source && mount --bind source u.npy || exit 99
"$@"; code=$?; ls -A; exit $code`
	for _, transport := range transports {
		o := within(t, "slow", t.TempDir(), mounted, spaces, endless(transport, "u=u.npy")...)
		o.expect(t, 1, `(?m)^diffusion: result u: cannot write u.npy: it is a mount point, which no other file can replace; write to another name, or mount its folder$`)
		if o.stdout != "source\nu.npy\n" {
			t.Errorf("files are left: %s", o.stdout)
		}
	}
	// A summary is written where it is.
	o := within(t, "diffusion", t.TempDir(), mounted, spaces, "-p", "T=3,N=20", "--random", "1", "--out", "u=v.npy", "--summary", "u.npy")
	o.expect(t, 0, "")

	// Another user, who cannot reach the program where it is.
	const other = `setpriv --reuid 65534 --regid 65534 --clear-groups`
	if probe := within(t, "", t.TempDir(), other+" true", spaces); probe.code != 0 {
		lacking.Skip(t, "this user cannot become another one:", probe.stderr)
	}
	sticky := func(mode, owner string) string {
		return `mount -t tmpfs -o mode=` + mode + ` none . && cd "$PWD" && cp "$1" program && echo older >u.npy && chmod 666 u.npy && chown ` + owner + ` u.npy || exit 99
shift; ` + other + ` ./program "$@"; code=$?; ls -A; exit $code`
	}
	o = within(t, "slow", t.TempDir(), sticky("1777", "0"), spaces, endless("inproc", "u=u.npy")...)
	o.expect(t, 1, `(?m)^diffusion: result u: cannot write u.npy: its folder has the sticky bit, and neither the folder nor the file is yours; write to another name$`)
	if o.stdout != "program\nu.npy\n" {
		t.Errorf("files are left: %s", o.stdout)
	}
	for _, c := range [][2]string{{"1777", "65534"}, {"0777", "0"}} { // nothing is in the way
		o = within(t, "diffusion", t.TempDir(), sticky(c[0], c[1]), spaces, "-p", "T=3,N=20", "--random", "1", "--out", "u=u.npy")
		o.expect(t, 0, "")
	}
}

// TestUnreserved writes results to file systems that cannot reserve space. On one that is never
// full the run succeeds; on one that is too small, a warning comes before the run fails.
func TestUnreserved(t *testing.T) {
	spaces := mounts(t)
	image := filepath.Join(t.TempDir(), "image")
	for _, c := range []struct {
		prepare, mount string
		code           int
		said           string
	}{
		{"", "mount -t ramfs none .", 0, `^$`},
		{"truncate -s 1m " + image + " && mkfs.ext2 -q " + image + " && ", "mount -o loop " + image + " .", 1,
			`(?m)^diffusion: warning: the results in \. take 2016160 bytes, \d{6} are free there, and none can be reserved: the run may fail when it writes them\n(.*\n)*.*no space left on device$`},
	} {
		if probe := within(t, "", t.TempDir(), c.prepare+c.mount, spaces); probe.code != 0 {
			lacking.Skipf(t, "%s: %s", c.mount, probe.stderr)
		}
		script := c.mount + ` && cd "$PWD" || exit 99; exec "$@"`
		o := within(t, "diffusion", t.TempDir(), script, spaces, "-p", "T=3,N=500", "--random", "1", "--out", "u=u.npy")
		o.expect(t, c.code, c.said)
	}
}

// TestFileLimit has a limit of the length of files, which binds everybody.
func TestFileLimit(t *testing.T) {
	for _, transport := range transports {
		dir := t.TempDir()
		o := within(t, "slow", dir, `ulimit -f 1000; exec "$@"`, nil, endless(transport, "u=u.npy")...)
		o.expect(t, 1, `(?m)^diffusion: result u: cannot write u.npy: file too large: it takes 8032160 bytes, and \d+ are free there$`)
		expectFiles(t, dir)
	}
}

// TestReserved requires that the file of a result has all its blocks before the run, and
// that a file system which reserves nothing is told of when it is too full.
func TestReserved(t *testing.T) {
	dir := t.TempDir()
	s := &settings{out: map[int]string{1: filepath.Join(dir, "u.npy")}}
	var said []string
	r, err := newResults(t.Context(), programs["diffusion"].Nest, []int{3, 200}, s, false, func(text string) { said = append(said, text) })
	if err != nil {
		t.Fatal(err)
	}
	defer r.discard()
	info, err := os.Stat(r.all[0].temp)
	if err != nil {
		t.Fatal(err)
	}
	if !r.all[0].reserved {
		lacking.Skipf(t, "the file system of %s reserves no space", dir)
	}
	if blocks := info.Sys().(*syscall.Stat_t).Blocks * 512; blocks < info.Size() || len(said) > 0 {
		t.Errorf("%d bytes of %d are reserved, and %q is said", blocks, info.Size(), said)
	}
	r.all[0].reserved, r.all[0].bytes = false, 1<<60
	r.compareSpace(func(text string) { said = append(said, text) })
	if want := fmt.Sprintf("the results in %s take %d bytes, ", dir, 1<<60); len(said) != 1 || !strings.HasPrefix(said[0], want) {
		t.Errorf("%q is said, want %q", said, want)
	}
}

// TestUnreservedTogether has two results, each of which fits alone, but not both. One warning must
// name the bytes of both together.
func TestUnreservedTogether(t *testing.T) {
	r := newPair(t, t.TempDir())
	defer r.discard()
	free := files.Free(r.all[0].file)
	for _, res := range r.all {
		res.reserved, res.bytes = false, free/3*2
	}
	var said []string
	r.compareSpace(func(text string) { said = append(said, text) })
	if len(said) != 1 || !strings.Contains(said[0], fmt.Sprintf("take %d bytes", free/3*4)) {
		t.Errorf("%q is said of two results that take %d bytes each, where %d are free", said, free/3*2, free)
	}
}
