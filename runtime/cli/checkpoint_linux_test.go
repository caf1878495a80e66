package cli

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"loopc/testdata/lacking"
)

// checkpointsIn returns the names of the checkpoints in a folder.
func checkpointsIn(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "0*-*-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// keeping returns the arguments of a run of the slow program that takes some seconds. every is the
// number of levels from one checkpoint to the next, more are further arguments.
func keeping(every int, more ...string) []string {
	return append([]string{"-p", "T=120,N=20", "--random", "4", "--cpus", "1", "--checkpoint", "ck", "--checkpoint-every", strconv.Itoa(every)}, more...)
}

// kept waits until there is a checkpoint.
func (p *process) kept(t *testing.T, dir string) {
	t.Helper()
	for range 800 {
		if len(checkpointsIn(t, filepath.Join(dir, "ck"))) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no checkpoint\n%s", p.stderr.String())
}

// TestKilledAndResumed kills one of three ranks, or the launcher, at a random moment. The run
// continues on one, two and five ranks, in one process and in several, and must give the same bits.
// It does so with a program of one nest, and with one of several nests, some of them in a repeat.
func TestKilledAndResumed(t *testing.T) {
	t.Parallel() // it does little but wait
	several := []string{"-p", "T=40,N=12,eps=0.0015", "--random", "4", "--cpus", "1", "--checkpoint", "ck"}
	for k, victim := range []string{"rank 0", "rank 1", "rank 2", "launcher", "rank 1 of several nests", "launcher of several nests"} {
		dir := t.TempDir()
		slow, args := "slow", keeping(1+3*(k%2))
		if k >= 4 {
			slow, args = "slow-relaxation", append(several, "--checkpoint-every", strconv.Itoa(k-3))
		}
		p := start(t, slow, dir, append(args, "-n", "3", "--transport", "tcp", "--progress", "json")...)
		pids := p.children(t, 3)
		p.kept(t, dir)
		time.Sleep(rand.N(300 * time.Millisecond))
		if strings.HasPrefix(victim, "launcher") {
			p.killAll(t, pids)
		} else {
			if err := syscall.Kill(pids[k%3], syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			p.wait(t).expect(t, 1, "killed")
			expectGone(t, pids)
			if entries, err := os.ReadDir(filepath.Join(dir, "ck")); err != nil || len(entries) != len(checkpointsIn(t, filepath.Join(dir, "ck"))) {
				t.Errorf("%s: left over: %v, %v", victim, entries, err)
			}
		}
		for _, how := range []string{"-n 1", "-n 2 --transport tcp", "-n 5", "-n 5 --transport inproc", "-n 2 --checkpoint ck"} {
			args, program := append(slices.Clone(args[:6]), "--resume", "ck", "--check"), "diffusion"
			if k >= 4 {
				program = "relaxation"
			}
			run(t, program, dir, append(args, strings.Fields(how)...)...).expect(t, 0, `(?s)continues after \d+ (level|repetition).*equals the sequential loops`)
		}
		if entries, err := os.ReadDir(filepath.Join(dir, "ck")); err != nil || len(entries) != len(checkpointsIn(t, filepath.Join(dir, "ck"))) {
			t.Errorf("%s: left over by the end: %v, %v", victim, entries, err)
		}
	}
}

// killOne kills a rank of three, when there is a checkpoint after that many levels at least. It
// returns the levels of the newest one. others are processes that were started before the ranks.
func (p *process) killOne(t *testing.T, dir string, others, rank, least int) (done int) {
	t.Helper()
	for range 1500 {
		pids := childrenOf(p.cmd.Process.Pid)
		slices.Sort(pids)
		for _, name := range checkpointsIn(t, filepath.Join(dir, "ck")) {
			_, level, _ := strings.Cut(filepath.Base(name), "-level-")
			n, _ := strconv.Atoi(level) // it is a number
			done = max(done, n)
		}
		if done >= least && len(pids) == 3+others {
			if err := syscall.Kill(pids[others+rank], syscall.SIGKILL); err == nil {
				return done
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no checkpoint of %d levels\n%s", least, p.stderr.String())
	return 0
}

// TestRestarts kills ranks: all start again from the last checkpoint, as often as that is allowed,
// and the result has the same bits.
func TestRestarts(t *testing.T) {
	standIn(t)
	for k, how := range []string{"--transport tcp", "--hosts " + hostsFile(t, "one slots=3")} {
		dir := t.TempDir()
		args := slices.Concat(keeping(3, "-n", "3", "--restarts", "2"), strings.Fields(how))
		p := start(t, "slow", dir, append(args, "--check", "--out", "u=u.npy")...)
		first := p.killOne(t, dir, k, 1, 6)
		p.killOne(t, dir, k, 0, first+9)
		p.wait(t).expect(t, exitDone, `(?s)warning: rank .*; all ranks start again, restart 1 of at most 2\n.*continues after \d+ levels.*restart 2 of at most 2\n.*equals the sequential loops`)
		if k > 0 {
			continue
		}
		dir = t.TempDir()
		p = start(t, "slow", dir, args...)
		for _, least := range []int{3, 9, 15} {
			p.killOne(t, dir, k, 2, least)
		}
		p.wait(t).expect(t, exitFailed, `(?s)restart 2 of at most 2\n.*killed`)
		if all := checkpointsIn(t, filepath.Join(dir, "ck")); len(all) != 2 {
			t.Errorf("there are %q", all)
		}
	}
}

// TestFullDiskAtCheckpoint requires that a run goes on if a checkpoint finds no space, and that it
// can continue from the last one that did.
func TestFullDiskAtCheckpoint(t *testing.T) {
	spaces := mounts(t)
	const script = `mkdir ck && mount -t tmpfs -o size=250k none ck || exit 99
"$@" >/dev/null; code=$?; ls -A ck; cp -r ck saved; exit $code`
	for _, transport := range []string{"inproc", "tcp"} {
		dir := t.TempDir()
		args := []string{"-p", "T=40,N=100", "--random", "4", "--cpus", "1", "-n", "3", "--transport", transport, "--check"}
		o := within(t, "diffusion", dir, script, spaces, slices.Concat(args, []string{"--checkpoint", "ck", "--checkpoint-every", "4"})...)
		o.expect(t, 0, `(?s)warning: no checkpoint after \d+ levels: .*no space left on device; the run goes on.*equals the sequential loops`)
		names := strings.Fields(o.stdout)
		if len(names) == 0 || len(names) > 2 || !strings.Contains(names[0], "-level-") {
			t.Errorf("%s: there are %q", transport, names)
		}
		run(t, "diffusion", dir, append(args, "--resume", "saved")...).expect(t, 0, `(?s)continues after \d+ levels.*equals the sequential loops`)
	}
}

// TestSignaledCheckpoints sends signals to runs that keep checkpoints, in one process and in
// several: SIGUSR1 asks for one, and SIGTERM for a last one.
func TestSignaledCheckpoints(t *testing.T) {
	t.Parallel() // it does little but wait
	for _, transport := range []string{"inproc", "tcp"} {
		dir := t.TempDir()
		p := start(t, "slow", dir, "-p", "T=120,N=20", "--random", "4", "--cpus", "1", "--checkpoint", "ck", "--checkpoint-every", "1h", "--epoch", "2", "-n", "2", "--transport", transport, "--progress", "json")
		p.computing(t)
		if err := p.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		p.kept(t, dir)
		first := checkpointsIn(t, filepath.Join(dir, "ck"))
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		p.wait(t).expect(t, exitStopped, `(?m)^diffusion: stopped after a checkpoint, of \d+ levels: --resume continues$`)
		if all := checkpointsIn(t, filepath.Join(dir, "ck")); len(first) != 1 || len(all) != 2 {
			t.Errorf("%s: checkpoints %q, and in the end %q", transport, first, all)
		}
		run(t, "diffusion", dir, "-p", "T=120,N=20", "--random", "4", "--resume", "ck", "--check").expect(t, 0, `equals the sequential loops`)
	}
}

// TestSignaledCrew sends SIGTERM to all ranks that another launcher has started, as Slurm does: the
// first one says that the run has ended, and all end in good order.
func TestSignaledCrew(t *testing.T) {
	needEnv(t)
	t.Parallel() // it does little but wait
	dir := t.TempDir()
	ranks := startCrew(t, "slow", dir, byVariables(t, 3), "-p", "T=120,N=20", "--random", "4", "--cpus", "1", "--checkpoint", "ck", "--epoch", "2", "--progress", "json")
	ranks[0].computing(t)
	for _, p := range ranks {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	for k, p := range ranks {
		if o := p.wait(t); k == 0 {
			o.expect(t, exitStopped, `stopped after a checkpoint, of \d+ levels`)
		} else {
			o.expect(t, exitDone, "^$")
		}
	}
	run(t, "diffusion", dir, "-p", "T=120,N=20", "--random", "4", "--resume", "ck", "--check").expect(t, 0, `equals the sequential loops`)
}

// TestSignaledWithoutCheckpoints requires that SIGTERM is an interrupt for a run without
// checkpoints, and for an orphan with them.
func TestSignaledWithoutCheckpoints(t *testing.T) {
	t.Parallel() // it does little but wait
	dir := t.TempDir()
	p := start(t, "slow", dir, "-p", "T=120,N=20", "--random", "4", "--cpus", "1", "--progress", "json")
	p.computing(t)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.wait(t).expect(t, exitFailed, `(?m)^diffusion: interrupted$`)
	// The kernel sends SIGTERM when the shell ends.
	if _, err := exec.LookPath("setpriv"); err != nil {
		lacking.Skip(t, "needs setpriv")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const script = `setpriv --pdeathsig TERM "$@" & until ls -d ck/*-level-*; do sleep 0.1; done`
	p = startCommand(t, "slow", dir, append([]string{"sh", "-c", script, "sh", self}, keeping(3, "--progress", "json")...))
	p.wait(t)
	for range 500 {
		if strings.Contains(p.stderr.String(), "interrupted") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if said := p.stderr.String(); !strings.Contains(said, "diffusion: interrupted") || strings.Contains(said, "stopped") {
		t.Errorf("an orphan says %q", said)
	}
}

// TestOneRunPerFolder: a second run is refused the folder of checkpoints of a run that lives, and
// may use the folder after that run was killed.
func TestOneRunPerFolder(t *testing.T) {
	t.Parallel() // it does little but wait
	dir := t.TempDir()
	p := start(t, "slow", dir, keeping(3, "-n", "2", "--transport", "tcp", "--progress", "json")...)
	pids := p.children(t, 2)
	p.kept(t, dir)
	second := []string{"-p", "T=120,N=20", "--random", "4", "--cpus", "1", "--checkpoint", "ck", "--resume", "ck", "--check"}
	run(t, "diffusion", dir, second...).expect(t, exitFailed, `(?m)^diffusion: another run writes its checkpoints into ck$`)
	p.killAll(t, pids)
	run(t, "diffusion", dir, second...).expect(t, exitDone, `(?s)continues after \d+ level.*equals the sequential loops`)
}
