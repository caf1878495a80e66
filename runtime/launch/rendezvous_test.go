package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/transport/auth"
)

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

// strangers connect to a rendezvous and send messages that are not for it.
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

// TestCancelReady cancels a run while one rank waits for the other in Service.Ready. The rank must
// learn of it, and nothing may wait any longer for the ranks to leave.
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
