package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/transport/auth"
)

// roleEnv tells a test binary that is started again what to be.
const roleEnv = "LOOPC_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleEnv)
	switch role {
	case "":
		os.Exit(m.Run())
	case "launcher":
		_, err := launch.Local(context.Background(), launch.LocalConfig{Size: 3, Start: start("pid")})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := rank(role); err != nil {
		fmt.Fprintln(os.Stderr, role, err)
		os.Exit(1)
	}
}

// start returns what starts ranks of a role.
func start(role string) func(int, []string) (*exec.Cmd, error) {
	return func(_ int, env []string) (*exec.Cmd, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd := exec.Command(self)
		// Under the race detector a process sleeps a second before it ends.
		cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0", roleEnv+"="+role), env...)
		return cmd, nil
	}
}

// rank is the main of a rank, which behaves as its role demands.
func rank(role string) error {
	info, ok, err := launch.FromEnv(os.Stdin)
	if err != nil || !ok {
		return fmt.Errorf("FromEnv: %v, %w", ok, err)
	}
	for _, name := range []string{auth.EnvDescriptor, auth.EnvFile, auth.EnvSecret} {
		if value, ok := os.LookupEnv(name); ok {
			return fmt.Errorf("%s=%s is still in the environment", name, value)
		}
	}
	var digest [32]byte
	if role == "digest" && info.Rank == 1 {
		digest[0] = 1
	}
	if role == "absent" && info.Rank == 2 {
		os.Exit(4)
	}
	control, err := launch.Join(context.Background(), info, fmt.Sprintf(":%d", 4000+info.Rank), digest)
	if err != nil {
		return err
	}
	defer control.Close()
	err = run(role, info, control)
	if err != nil {
		// If the launcher is gone there is nobody to tell.
		_ = control.Fail(err)
	}
	return err
}

// run is what a rank does after it has joined.
func run(role string, info launch.Info, control *launch.Control) error {
	for k, addr := range control.Addrs() {
		if want := fmt.Sprintf("127.0.0.1:%d", 4000+k); addr != want {
			return fmt.Errorf("rank %d is at %s, want %s", k, addr, want)
		}
	}
	switch {
	case role == "fail" && info.Rank == 1:
		return errors.New("index 9 of array u is out of range")
	case role == "exit" && info.Rank == 1:
		os.Exit(3)
	case role == "quit" && info.Rank == 1:
		os.Exit(0)
	case role == "kill" && info.Rank == 2:
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		if err := self.Kill(); err != nil {
			return err
		}
	case role == "stubborn" && info.Rank == 0:
		return errors.New("rank 0 had enough")
	case role == "stubborn":
		time.Sleep(time.Minute)
	case role == "pid":
		name := filepath.Join(os.Getenv("LOOPC_TEST_DIR"), strconv.Itoa(os.Getpid()))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			return err
		}
		time.Sleep(time.Minute)
	case role == "good" || role == "commit":
		for k := range int64(100) {
			if err := control.Progress(k+1, 100); err != nil {
				return err
			}
		}
		if err := control.Result(map[string]int{"rank": info.Rank}); err != nil {
			return err
		}
		if err := control.Proceed(context.Background()); err != nil {
			return err
		}
		if role == "commit" && info.Rank == 2 {
			return errors.New("disk is full")
		}
		return nil
	}
	<-control.Context().Done()
	// What a rank sees whose neighbor is gone.
	return fmt.Errorf("rank %d stopped: %w", info.Rank, context.Cause(control.Context()))
}

// grace is so long that a test sees whether ranks end by themselves, even on a
// machine that is busy.
const grace = 10 * time.Second

// local runs three ranks of a role.
func local(t *testing.T, role string, change func(*launch.LocalConfig)) (results []json.RawMessage, took time.Duration, err error) {
	t.Helper()
	cfg := launch.LocalConfig{Size: 3, Start: start(role), Grace: grace}
	if change != nil {
		change(&cfg)
	}
	begun := time.Now()
	results, err = launch.Local(t.Context(), cfg)
	return results, time.Since(begun), err
}

func TestLocal(t *testing.T) {
	var done [3]int64
	var committed bool
	results, _, err := local(t, "good", func(cfg *launch.LocalConfig) {
		cfg.Progress = func(rank int, n, total int64) {
			if n < done[rank] || total != 100 {
				t.Errorf("rank %d: %d of %d after %d", rank, n, total, done[rank])
			}
			done[rank] = n
		}
		cfg.Commit = func(results []json.RawMessage) error {
			committed = len(results) == 3
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, r := range results {
		if want := fmt.Sprintf(`{"rank":%d}`, k); string(r) != want {
			t.Errorf("result of rank %d is %s, want %s", k, r, want)
		}
	}
	if done != [3]int64{100, 100, 100} || !committed {
		t.Errorf("progress %v, committed %v", done, committed)
	}
}

// Whatever becomes of a rank, the error names it and says what, soon.
func TestLocalFailures(t *testing.T) {
	t.Parallel() // it does little but wait
	for role, want := range map[string]string{
		"fail":     "rank 1: index 9 of array u is out of range",
		"kill":     "rank 2: signal: killed",
		"exit":     "rank 1: exit status 3",
		"quit":     "rank 1: ended before the run did",
		"commit":   "rank 2: disk is full",
		"digest":   "runs another program or plan than the ranks before it",
		"absent":   "rank 2: exit status 4",
		"stubborn": "rank 0: rank 0 had enough",
	} {
		t.Run(role, func(t *testing.T) {
			_, took, err := local(t, role, func(cfg *launch.LocalConfig) {
				if role == "stubborn" {
					cfg.Grace = 500 * time.Millisecond
				}
			})
			var failure *launch.Failure
			if !errors.As(err, &failure) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
			if took > grace/2 {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestLocalCanceled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	time.AfterFunc(200*time.Millisecond, func() { cancel(interrupted) })
	begun := time.Now()
	_, err := launch.Local(ctx, launch.LocalConfig{Size: 2, Start: start("wait"), Grace: grace})
	if !errors.Is(err, interrupted) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begun); took > grace/2 {
		t.Errorf("ranks that listen to the cancellation took %v to end", took)
	}
}

func TestLocalCommitFails(t *testing.T) {
	full := errors.New("no space left")
	_, _, err := local(t, "good", func(cfg *launch.LocalConfig) {
		cfg.Commit = func([]json.RawMessage) error { return full }
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func TestLocalCannotStart(t *testing.T) {
	_, took, err := local(t, "wait", func(cfg *launch.LocalConfig) {
		good := cfg.Start
		cfg.Start = func(rank int, env []string) (*exec.Cmd, error) {
			if rank == 2 {
				return exec.Command(filepath.Join(t.TempDir(), "missing")), nil
			}
			return good(rank, env)
		}
	})
	if err == nil || !strings.Contains(err.Error(), "rank 2") {
		t.Errorf("got %v", err)
	}
	if took > grace/2 {
		t.Errorf("it took %v", took)
	}
}

// When the launcher is killed its ranks end too.
func TestLauncherKilled(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	launcher := exec.CommandContext(t.Context(), self)
	launcher.Env = append(os.Environ(), roleEnv+"=launcher", "LOOPC_TEST_DIR="+dir)
	if err := launcher.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for begun := time.Now(); len(pids) < 3; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("%d of 3 ranks have started", len(pids))
		}
		names, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		pids = nil
		for _, n := range names {
			pid, err := strconv.Atoi(n.Name())
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	if err := launcher.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = launcher.Wait() // killed
	begun := time.Now()
	for _, pid := range pids {
		for alive(pid) {
			if time.Since(begun) > grace/2 {
				t.Errorf("process %d lives on without its launcher", pid)
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// The secrets of a run and of another one.
var sesame, thistle = auth.NewSecret(), auth.NewSecret()

// members registers size ranks at a rendezvous in this process.
func members(t *testing.T, size int, cfg launch.ServeConfig) (*launch.Root, []*launch.Control, []error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Listener, cfg.Size, cfg.Secret = listener, size, sesame
	root, err := launch.Serve(cfg)
	if err != nil {
		t.Fatal(err)
	}
	strangers(t, listener.Addr().String())
	controls, errs := make([]*launch.Control, size), make([]error, size)
	done := make(chan struct{})
	for k := range size {
		go func() {
			info := launch.Info{Rank: k, Size: size, Root: listener.Addr().String(), Secret: sesame}
			controls[k], errs[k] = launch.Join(t.Context(), info, fmt.Sprintf("10.0.0.%d:99", k), [32]byte{})
			done <- struct{}{}
		}()
	}
	for range size {
		<-done
	}
	return root, controls, errs
}

// strangers connect to a rendezvous and say what is not for it.
func strangers(t *testing.T, addr string) {
	t.Helper()
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", strings.Repeat("x", 100000)} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = conn.Write([]byte(text)) // refused before its end, perhaps
		answer := make([]byte, 4096)
		if n, _ := conn.Read(answer); n > 0 {
			t.Errorf("%.40q was told %q, want nothing", text, answer[:n])
		}
		_ = conn.Close()
	}
	for _, c := range []struct {
		secret auth.Secret
		addr   string
		want   string
	}{
		{thistle, ":1", "not a process of this run"},
		{auth.Secret{}, ":1", "not a process of this run"},
		{sesame, "none", "missing port in address"},
	} {
		info := launch.Info{Rank: 0, Size: 2, Root: addr, Secret: c.secret}
		if _, err := launch.Join(t.Context(), info, c.addr, [32]byte{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("with another secret: %t, at %q: told %v, want %q", c.secret != sesame, c.addr, err, c.want)
		}
	}
	for range 100 { // silent ones, more than are tolerated at a time
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
}

func TestRendezvous(t *testing.T) {
	root, controls, errs := members(t, 2, launch.ServeConfig{})
	for k, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", k, err)
		}
		if got, want := fmt.Sprint(controls[k].Addrs()), "[10.0.0.0:99 10.0.0.1:99]"; got != want {
			t.Errorf("rank %d: addresses %s, want %s", k, got, want)
		}
	}
	if err := controls[0].Result(strings.Repeat("x", 2<<20)); err == nil {
		t.Error("a result of 2 MiB was sent")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := root.Results(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("results before there were any: %v", err)
	}
	if err := controls[1].Proceed(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Proceed before the launcher says so: %v", err)
	}
	// The launcher dies.
	root.Close()
	for k, c := range controls {
		<-c.Context().Done()
		if err := context.Cause(c.Context()); !errors.Is(err, launch.ErrLauncherGone) {
			t.Errorf("rank %d: %v", k, err)
		}
		if err := c.Proceed(t.Context()); !errors.Is(err, launch.ErrLauncherGone) {
			t.Errorf("rank %d: Proceed: %v", k, err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("rank %d: Close: %v", k, err)
		}
	}
}

func TestCancel(t *testing.T) {
	root, controls, errs := members(t, 2, launch.ServeConfig{})
	defer root.Close()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	root.Cancel(errors.New("rank 7: out of memory"))
	for _, c := range controls {
		<-c.Context().Done()
		var canceled *launch.CanceledError
		if err := context.Cause(c.Context()); !errors.As(err, &canceled) || canceled.Reason != "rank 7: out of memory" {
			t.Errorf("got %v", err)
		}
		_ = c.Close()
	}
}

// TestCancelReady cancels a run, one rank of which waits for the other in Service.Ready:
// it hears of it, and whoever waits until the ranks have gone does so no longer.
func TestCancelReady(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	root, err := launch.Serve(launch.ServeConfig{Listener: listener, Size: 2, Secret: sesame})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var far [2]*launch.Service
	enlisted, ready := make(chan error, 2), make(chan error, 1)
	for k := range far {
		if far[k], err = launch.OpenService(t.Context(), launch.Info{Rank: k, Size: 2, Root: listener.Addr().String(), Secret: sesame}); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _, err := far[k].Enlist(t.Context(), launch.Member{})
			enlisted <- err
		}()
	}
	if _, err := root.Members(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	root.Brief([]int{0, 1}, []json.RawMessage{[]byte("{}"), []byte("{}")}, nil, nil)
	if err := errors.Join(<-enlisted, <-enlisted); err != nil {
		t.Fatal(err)
	}
	go func() { ready <- errors.Join(far[0].Ready(t.Context()), far[0].Close()) }()
	select {
	case err := <-ready:
		t.Fatalf("rank 0 waits for rank 1 no more: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	began := time.Now()
	root.Cancel(errors.New("interrupted"))
	if err := far[1].Close(); err != nil { // its control channel has told it
		t.Error(err)
	}
	root.Drain()
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Fatalf("the ranks were waited for %v", took)
	}
	var canceled *launch.CanceledError
	if err := <-ready; !errors.As(err, &canceled) || canceled.Reason != "interrupted" {
		t.Errorf("rank 0 hears %v", err)
	}
}

// A second process with the number of a rank is refused, and one that counts
// ranks differently fails the run.
func TestJoinRefused(t *testing.T) {
	root, controls, _ := members(t, 2, launch.ServeConfig{})
	defer root.Close()
	info := launch.Info{Rank: 1, Size: 2, Root: root.Addr().String(), Secret: sesame}
	if _, err := launch.Join(t.Context(), info, ":1", [32]byte{}); err == nil || !strings.Contains(err.Error(), "rank 1 has registered already") {
		t.Errorf("second rank 1: %v", err)
	}
	select {
	case <-root.Failed():
		t.Errorf("the run failed: %v", root.Failure())
	default:
	}
	info.Size = 3
	if _, err := launch.Join(t.Context(), info, ":1", [32]byte{}); err == nil || !strings.Contains(err.Error(), "rank 1 counts 3 ranks, the launcher 2") {
		t.Errorf("a rank of three: %v", err)
	}
	<-root.Failed()
	for _, c := range controls {
		_ = c.Close()
	}
}

func TestFromEnv(t *testing.T) {
	clean := func() {
		for _, name := range []string{"LOOPC_RANK", "LOOPC_SIZE", "LOOPC_ROOT", auth.EnvDescriptor, auth.EnvFile, auth.EnvSecret} {
			t.Setenv(name, "") // restores it after the test
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	clean()
	if _, ok, err := launch.FromEnv(os.Stdin); ok || err != nil {
		t.Errorf("empty environment: %v, %v", ok, err)
	}
	want := launch.Info{Rank: 2, Size: 5, Root: "host:1", Secret: sesame}
	for _, v := range want.Env() {
		name, value, _ := strings.Cut(v, "=")
		if err := os.Setenv(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if got, ok, err := launch.FromEnv(strings.NewReader(sesame.Line())); got != want || !ok || err != nil {
		t.Errorf("got %+v, %v, %v", got, ok, err)
	}
	if _, ok := os.LookupEnv(auth.EnvDescriptor); ok {
		t.Error("where the secret comes from is still there")
	}
	clean()
	for _, v := range want.Env()[:3] {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	if _, ok, err := launch.FromEnv(nil); ok || err != nil {
		t.Errorf("started by another launcher: %v, %v", ok, err)
	}
	t.Setenv(auth.EnvSecret, sesame.Text())
	if got, ok, err := launch.FromEnv(nil); ok || err != nil || got.Secret != sesame {
		t.Errorf("started by another launcher, with a secret: %v, %v, %v", got.Secret == sesame, ok, err)
	}
	for _, bad := range [][2]string{{"x", "2"}, {"2", "2"}, {"-1", "2"}, {"0", "0"}, {"", "2"}, {"0", ""}, {"0", "99999999"}, {"0", "2"}} {
		clean()
		t.Setenv("LOOPC_RANK", bad[0])
		t.Setenv("LOOPC_SIZE", bad[1])
		t.Setenv(auth.EnvDescriptor, "0")
		if _, ok, err := launch.FromEnv(strings.NewReader(sesame.Line())); ok || err == nil {
			t.Errorf("rank %q of %q was accepted", bad[0], bad[1])
		}
	}
}
