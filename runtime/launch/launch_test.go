package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// run does the work of a rank that has joined.
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
