//go:build linux

package cli

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"loopc/testdata/lacking"
)

// long are the arguments of a run of the slow program that takes minutes.
func long(ranks int, transport string) []string {
	return []string{"-n", strconv.Itoa(ranks), "--cpus", "1", "-p", "T=500,N=60", "--map", "t", "--tile", "1x20x20", "--random", "1", "--transport", transport, "--out", "u=u.npy", "--progress", "json"}
}

// children returns the process numbers of the n ranks of p, once they compute.
func (p *process) children(t *testing.T, n int) []int {
	t.Helper()
	p.computing(t)
	pids := childrenOf(p.cmd.Process.Pid)
	if len(pids) != n {
		t.Fatalf("there are %d ranks, want %d", len(pids), n)
	}
	return pids
}

// childrenOf returns the children of a process.
func childrenOf(pid int) (pids []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range tasks {
		b, _ := os.ReadFile(name) // a task may have ended
		for _, f := range strings.Fields(string(b)) {
			child, err := strconv.Atoi(f)
			if err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// expectGone fails the test if one of the processes lives.
func expectGone(t *testing.T, pids []int) {
	t.Helper()
	for pid, command := range livingOf(pids) {
		t.Errorf("process %d is left: %q", pid, command)
	}
}

// livingOf returns the command lines of those processes that still live.
func livingOf(pids []int) map[int][]byte {
	living := map[int][]byte{}
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && len(b) > 0 {
			living[pid] = bytes.ReplaceAll(b, []byte{0}, []byte(" "))
		}
	}
	return living
}

// TestKilledRank kills a rank in the middle of a run: an error that names it,
// soon, and no process or file is left.
func TestKilledRank(t *testing.T) {
	t.Parallel() // it does little but wait
	dir := t.TempDir()
	p := start(t, "slow", dir, long(3, "tcp")...)
	pids := p.children(t, 3)
	began := time.Now()
	if err := syscall.Kill(pids[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	o := p.wait(t)
	o.expect(t, 1, `(?m)^diffusion: .*rank \d.*killed`)
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("the end took %v", took)
	}
	expectGone(t, pids)
	expectFiles(t, dir)
}

// TestFrozenRank stops a rank without ending it: the others miss its heartbeat.
func TestFrozenRank(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the time after which a silent peer is gone")
	}
	t.Parallel() // it does little but wait
	dir := t.TempDir()
	p := start(t, "slow", dir, long(3, "tcp")...)
	pids := p.children(t, 3)
	if err := syscall.Kill(pids[1], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	o := p.wait(t)
	o.expect(t, 1, `(?m)^diffusion: rank \d: .* rank \d.*step \d+: peer is gone`)
	expectGone(t, pids)
	expectFiles(t, dir)
}

// TestPatience stops a rank without ending it. The others must wait for it as long as --patience
// says, both over TCP and through shared memory.
func TestPatience(t *testing.T) {
	t.Parallel() // it does little but wait
	for _, transport := range []string{"tcp", "shm"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			p := start(t, "slow", t.TempDir(), append(long(3, transport), "--patience", "2s")...)
			pids := p.children(t, 3)
			if err := syscall.Kill(pids[1], syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			// A busy machine may notice later; without the flag it is 5 s at least.
			p.wait(t).expect(t, 1, `(?m)^diffusion: rank \d: .* rank \d.*step \d+: peer is gone: .*silent for [234](\.\d)?s`)
			expectGone(t, pids)
		})
	}
	for value, want := range map[string]string{
		"30": "want a time with its unit, such as 30s", "1ms": "from 1s to 24h", "-5s": "from 1s to 24h", "1000h": "from 1s to 24h", "soon": "such as 30s",
	} {
		run(t, "diffusion", t.TempDir(), "-p", "T=2,N=8", "--random", "1", "--patience", value).expect(t, exitUsage, "--patience "+value+": .*"+want)
	}
}

// TestPatiencePassedOn requires that ranks which others start are told of --patience.
func TestPatiencePassedOn(t *testing.T) {
	for _, way := range [][]string{{"--slurm-script", "-"}, {"--k8s", "-", "--k8s-image", "solver:1"}} {
		o := run(t, "diffusion", t.TempDir(), append([]string{"-n", "2", "-p", "T=2,N=8", "--random", "1", "--patience", "45s"}, way...)...)
		o.expect(t, exitDone, "")
		if !strings.Contains(o.stdout, "--patience") || !strings.Contains(o.stdout, "45s") {
			t.Errorf("%s: the ranks do not get --patience 45s:\n%s", way[0], o.stdout)
		}
	}
}

// TestInterrupt interrupts runs in both transports and with all signals that do it.
func TestInterrupt(t *testing.T) {
	t.Parallel() // it does little but wait
	for _, transport := range transports {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(fmt.Sprint(transport, " ", sig), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "u.npy"), []byte("older"), 0o666); err != nil {
					t.Fatal(err)
				}
				p := start(t, "slow", dir, long(2, transport)...)
				var pids []int
				if transport == "tcp" {
					pids = p.children(t, 2)
				} else {
					p.computing(t)
				}
				// A terminal sends interrupts and hangups to every process.
				for _, pid := range append([]int{p.cmd.Process.Pid}, pids...) {
					if sig != syscall.SIGTERM || pid == p.cmd.Process.Pid {
						// A rank that the launcher has told of the signal may have ended.
						if err := syscall.Kill(pid, sig); err != nil && err != syscall.ESRCH {
							t.Fatal(err)
						}
					}
				}
				began := time.Now()
				o := p.wait(t)
				o.expect(t, 1, `(?m)^diffusion: interrupted$`)
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("the end took %v", took)
				}
				expectGone(t, pids)
				expectFiles(t, dir, "u.npy")
				if read(t, dir, "u.npy") != "older" {
					t.Error("the older result is damaged")
				}
			})
		}
	}
}

// TestNohup lets the terminal hang up on runs that were started to outlive that.
func TestNohup(t *testing.T) {
	t.Parallel() // it does little but wait
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := long(2, transport)
			args[5] = "T=5,N=60"
			p := startCommand(t, "slow", dir, append([]string{"sh", "-c", `trap "" HUP && exec "$@"`, "sh", self}, args...))
			p.computing(t)
			for _, pid := range append(childrenOf(p.cmd.Process.Pid), p.cmd.Process.Pid) {
				if err := syscall.Kill(pid, syscall.SIGHUP); err != nil {
					t.Fatal(err)
				}
			}
			p.wait(t).expect(t, 0, "")
			expectFiles(t, dir, "u.npy")
		})
	}
}

// TestStuckRun interrupts a run whose kernel never ends: the process ends all the
// same, and says so.
func TestStuckRun(t *testing.T) {
	t.Parallel() // it does nothing but wait
	if testing.Short() {
		t.Skip("takes the time that an interrupted run may take to end")
	}
	dir := t.TempDir()
	p := start(t, "stuck", dir, "-p", "T=4,N=40", "--random", "1", "--transport", "inproc", "--progress", "none")
	time.Sleep(time.Second) // it has begun, or has not and ends in good order
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	o := p.wait(t)
	o.expect(t, 1, `(?m)^(the run has not ended .* giving up|diffusion: interrupted)$`)
	expectFiles(t, dir)
}

// TestKilledLauncher kills the launcher: its ranks end by themselves.
func TestKilledLauncher(t *testing.T) {
	t.Parallel() // it does little but wait
	p := start(t, "slow", t.TempDir(), long(3, "tcp")...)
	pids := p.children(t, 3)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // it was killed
	p.cancel()
	for range 100 {
		time.Sleep(50 * time.Millisecond)
		left := 0
		for _, pid := range pids {
			if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && len(b) > 0 {
				left++
			}
		}
		if left == 0 {
			return
		}
	}
	expectGone(t, pids)
}

// TestLeftovers kills a whole run, which leaves a temporary result and the directory of its trace.
// The next run that writes the same files must remove these at once, but not the files of a run
// that lives.
func TestLeftovers(t *testing.T) {
	t.Parallel() // it does little but wait
	dir := t.TempDir()
	left := func() (names []string) {
		for _, base := range []string{"t.json", "u.npy"} {
			found, err := filepath.Glob(filepath.Join(dir, "."+base+".*.tmp"))
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, found...)
		}
		return names
	}
	next := func() {
		run(t, "diffusion", dir, "-p", "T=3,N=8", "--random", "1", "--out", "u=u.npy", "--trace", "t.json").expect(t, 0, "")
	}
	p := start(t, "slow", dir, append(long(2, "tcp"), "--trace", "t.json")...)
	pids := p.children(t, 2)
	files := left()
	if len(files) != 2 {
		t.Fatalf("%q, want the directory of the trace and the file of the result", files)
	}
	next()
	if now := left(); len(now) != 2 {
		t.Errorf("what a run has that lives is removed: %q are left", now)
	}
	p.killAll(t, pids)
	if now := left(); len(now) != 2 {
		t.Fatalf("%q are left, want two", now)
	}
	next()
	expectFiles(t, dir, "t.json", "u.npy")
}

// killAll kills the launcher, and waits until its ranks have ended too.
func (p *process) killAll(t *testing.T, ranks []int) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // it was killed
	p.cancel()
	for range 100 { // the kernel ends its ranks with it, but not at once
		if len(livingOf(ranks)) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	expectGone(t, ranks)
}

// TestScratchLeftovers kills a run that checks results without writing them anywhere (--check without
// --out), and requires that the next run removes the files in which it held them.
func TestScratchLeftovers(t *testing.T) {
	scratch, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", scratch)
	args := append(slices.DeleteFunc(long(2, "tcp"), func(a string) bool { return a == "--out" || a == "u=u.npy" }), "--check")
	p := start(t, "slow", dir, args...)
	pids := p.children(t, 2)
	check := func() { run(t, "diffusion", dir, "-p", "T=3,N=8", "--random", "1", "--check").expect(t, 0, "") }
	check()
	if left, err := os.ReadDir(scratch); err != nil || len(left) != 1 {
		t.Fatalf("%v are left, %v, want the directory of the run that lives", left, err)
	}
	p.killAll(t, pids)
	check()
	expectFiles(t, scratch)
}

// listening returns the ports of 127.0.0.1 at which a process listens.
func listening(t *testing.T, pid int) (ports []int) {
	t.Helper()
	sockets := map[string]bool{}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, "socket:[") {
			sockets[strings.Trim(to[len("socket:"):], "[]")] = true
		}
	}
	b, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		lacking.Skip(t, err)
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) > 9 && f[3] == "0A" && sockets[f[9]] {
			_, port, _ := strings.Cut(f[1], ":")
			v, err := strconv.ParseInt(port, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			ports = append(ports, int(v))
		}
	}
	return ports
}

// TestStrangers connects to every port of a run and talks nonsense, or nothing:
// the run must not mind.
func TestStrangers(t *testing.T) {
	t.Parallel() // it does little but wait
	dir := t.TempDir()
	args := long(2, "tcp")
	args[5] = "T=5,N=60"
	p := start(t, "slow", dir, args...)
	pids := append(p.children(t, 2), p.cmd.Process.Pid)
	doors := 0
	for _, pid := range pids {
		for _, port := range listening(t, pid) {
			doors++
			for _, words := range []string{"", "GET / HTTP/1.1\r\n\r\n", "loopcrun\x02\x00\x01\x00" + strings.Repeat("x", 200), `{"loopc":1,"job":"guess","rank":0,"size":2}` + "\n", strings.Repeat("\x00", 100000)} {
				conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, words) // it may be thrown out before it is through
			}
		}
	}
	if doors < 2 {
		t.Errorf("found %d ports, want those of the launcher and a rank at least", doors)
	}
	o := p.wait(t)
	o.expect(t, 0, `level=WARN msg="refused a connection" rank=\d kind=stranger from=127.0.0.1:\d+`)
	o.expect(t, 0, `level=WARN msg="refused a connection" at=rendezvous kind=stranger from=127.0.0.1:\d+`)
	expectFiles(t, dir, "u.npy")
}
