//go:build ofi && linux && cgo

package ofi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
	"loopc/runtime/transport/transporttest"
)

// pairEnv has the test binary be rank 1 of a pair: the secret, the address of rank
// 0, and the provider.
const pairEnv = "LOOPC_OFI_TEST_PAIR"

const pairLimit = time.Minute

func TestMain(m *testing.M) {
	if text := os.Getenv(pairEnv); text != "" {
		if err := bePeer(text); err != nil {
			fmt.Fprintln(os.Stderr, "rank 1:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// bePeer is rank 1.
func bePeer(text string) error {
	words := strings.Fields(text)
	secret, err := auth.ParseSecret(words[0])
	if err != nil {
		return err
	}
	_, err = measure(context.Background(), tcp.Config{Rank: 1, Size: 2, Addrs: []string{words[1]}, Secret: secret}, words[2])
	return err
}

// measure is one of two ranks that measure over a provider.
func measure(ctx context.Context, cfg tcp.Config, provider string) (transporttest.Figures, error) {
	ctx, cancel := context.WithTimeout(ctx, pairLimit)
	defer cancel()
	control, err := tcp.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	var rank transport.Transport
	if rank, err = over(ctx, provider, control); err != nil {
		return nil, err
	}
	found, err := transporttest.Measure(ctx, rank)
	return found, errors.Join(err, rank.Close(err))
}

// pair returns what two processes measure over a provider.
func pair(t testing.TB, provider string) transporttest.Figures {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	secret := auth.NewSecret()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	peer := exec.CommandContext(t.Context(), self)
	peer.Env = append(os.Environ(), pairEnv+"="+secret.Text()+" "+listener.Addr().String()+" "+provider)
	peer.Stderr = os.Stderr
	if err := peer.Start(); err != nil {
		t.Fatal(err)
	}
	found, err := measure(t.Context(), tcp.Config{Rank: 0, Size: 2, Listener: listener, Secret: secret}, provider)
	if err := errors.Join(err, peer.Wait()); err != nil {
		t.Fatal(err)
	}
	return found
}

// inC returns the figures of pingpong.c.
func inC(t testing.TB, provider string) transporttest.Figures {
	t.Helper()
	program := filepath.Join(t.TempDir(), "pingpong")
	source := filepath.Join("..", "..", "..", "testdata", "ofi", "pingpong.c")
	if out, err := exec.Command("cc", "-O2", "-o", program, source, "-lfabric", "-lm").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, provider, fmt.Sprint(transporttest.PairTrips), fmt.Sprint(transporttest.PairMessages), fmt.Sprint(transporttest.PairTimes))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pingpong: %v\n%s", err, stderr.Bytes())
	}
	found := transporttest.Figures{}
	for line := range strings.Lines(string(out)) {
		var name, unit string
		var value float64
		if n, err := fmt.Sscan(line, &name, &value, &unit); n != 3 || err != nil {
			t.Fatalf("pingpong printed %q", line)
		}
		found[name] = value
	}
	return found
}

// TestPair has two processes send one another as much as they measure with.
func TestPair(t *testing.T) {
	for provider := range strings.FieldsSeq(*providers) {
		t.Run(provider, func(t *testing.T) { t.Log(pair(t, provider)) })
	}
}

// BenchmarkPair reports what a message costs between two processes, here and in C,
// the best of all runs. It fails if half a round trip takes more than 1.5 times as
// long as in C, and half a microsecond more.
func BenchmarkPair(b *testing.B) {
	for provider := range strings.FieldsSeq(*providers) {
		b.Run(provider, func(b *testing.B) {
			ours, theirs := transporttest.Figures{}, transporttest.Figures{}
			for b.Loop() {
				ours.Better(pair(b, provider))
				theirs.Better(inC(b, provider))
			}
			for name, value := range ours {
				b.ReportMetric(value, "Go-"+name)
				b.ReportMetric(theirs[name], "C-"+name)
			}
			b.ReportMetric(0, "ns/op")
			if here, there := ours[transporttest.HalfTrip], theirs[transporttest.HalfTrip]; here > max(1.5*there, there+0.5) {
				b.Errorf("half a round trip takes %.2f µs, in C %.2f", here, there)
			}
		})
	}
}
