//go:build ofi && linux && cgo

package ofi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
	"loopc/runtime/transport/transporttest"
)

// pairEnv makes the test binary rank 1 of a pair. Its value has the name of a job, the secret,
// the address of rank 0, and the provider.
const pairEnv = "LOOPC_OFI_TEST_PAIR"

const pairLimit = time.Minute

// jobs are the jobs of rank 1 of a pair, by name. Rank 1 prints the result as JSON.
var jobs = map[string]func(context.Context, transport.Transport) (any, error){
	"measure": func(ctx context.Context, t transport.Transport) (any, error) { return transporttest.Measure(ctx, t) },
	"copies":  func(ctx context.Context, t transport.Transport) (any, error) { return moveBoth(ctx, t) },
}

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
	secret, err := auth.ParseSecret(words[1])
	if err != nil {
		return err
	}
	return asRank(context.Background(), tcp.Config{Rank: 1, Size: 2, Addrs: []string{words[2]}, Secret: secret}, words[3],
		func(ctx context.Context, t transport.Transport) error {
			found, err := jobs[words[0]](ctx, t)
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(found)
		})
}

// asRank does a job as one of two ranks that are connected over a provider.
func asRank(ctx context.Context, cfg tcp.Config, provider string, job func(context.Context, transport.Transport) error) error {
	ctx, cancel := context.WithTimeout(ctx, pairLimit)
	defer cancel()
	control, err := tcp.New(ctx, cfg)
	if err != nil {
		return err
	}
	rank, err := over(ctx, provider, control)
	if err != nil {
		return err
	}
	err = job(ctx, rank)
	return errors.Join(err, rank.Close(err))
}

// withPeer does a job as rank 0 of two processes, while rank 1 does the named job of jobs. It
// returns the output of rank 1.
func withPeer(t testing.TB, name, provider string, job func(context.Context, transport.Transport) error) ([]byte, error) {
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
	peer.Env = append(os.Environ(), pairEnv+"="+strings.Join([]string{name, secret.Text(), listener.Addr().String(), provider}, " "))
	var printed bytes.Buffer
	peer.Stdout, peer.Stderr = &printed, os.Stderr
	if err := peer.Start(); err != nil {
		t.Fatal(err)
	}
	err = asRank(t.Context(), tcp.Config{Rank: 0, Size: 2, Listener: listener, Secret: secret}, provider, job)
	return printed.Bytes(), errors.Join(err, peer.Wait())
}

// pair returns the figures that two processes measure over a provider.
func pair(t testing.TB, provider string) transporttest.Figures {
	t.Helper()
	var found transporttest.Figures
	if _, err := withPeer(t, "measure", provider, func(ctx context.Context, rank transport.Transport) (err error) {
		found, err = transporttest.Measure(ctx, rank)
		return err
	}); err != nil {
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

// TestPair lets two processes measure their messages over each provider, and prints the figures.
func TestPair(t *testing.T) {
	for provider := range strings.FieldsSeq(*providers) {
		t.Run(provider, func(t *testing.T) {
			text, err := json.Marshal(pair(t, provider))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(figuresMark + string(text))
		})
	}
}

// figuresMark precedes the figures in the output of TestPair.
const figuresMark = "figures of a pair: "

// fresh returns the figures of two new processes, which have done nothing before, like the
// processes in C with which they are compared.
func fresh(t testing.TB, provider string) transporttest.Figures {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), self, "-test.run", "^TestPair$", "-providers", provider).Output()
	_, text, ok := strings.Cut(string(out), figuresMark)
	text, _, _ = strings.Cut(text, "\n")
	var found transporttest.Figures
	if err != nil || !ok || json.Unmarshal([]byte(text), &found) != nil {
		t.Fatalf("a pair: %v\n%s", err, out)
	}
	return found
}

// BenchmarkPair reports the costs of messages between two processes, here and in C. Runs
// alternate; it reports medians of the runs, and of the ratios of each run to the next one in C.
// It fails if half a round trip takes more than 1.5 times as long as in C and half a microsecond
// more, or if a bandwidth is less than two thirds of C's.
func BenchmarkPair(b *testing.B) {
	for provider := range strings.FieldsSeq(*providers) {
		b.Run(provider, func(b *testing.B) {
			ours, theirs, ratios := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
			for b.Loop() {
				here, there := fresh(b, provider), inC(b, provider)
				for name, value := range here {
					ours[name] = append(ours[name], value)
					theirs[name] = append(theirs[name], there[name])
					ratios[name] = append(ratios[name], value/there[name])
				}
			}
			for name := range ours {
				here, there, ratio := median(ours[name]), median(theirs[name]), median(ratios[name])
				b.ReportMetric(here, "Go-"+name)
				b.ReportMetric(there, "C-"+name)
				b.ReportMetric(ratio, "Go:C-"+name)
				switch {
				case name == transporttest.HalfTrip && ratio > 1.5 && here > there+0.5:
					b.Errorf("half a round trip takes %.2f µs, in C %.2f, %.2f times", here, there, ratio)
				case name != transporttest.HalfTrip && ratio < 1/1.5:
					b.Errorf("%s is %.0f MB/s, in C %.0f, %.2f times", name, here, there, ratio)
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// median returns the median of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	k := len(values)
	return (values[(k-1)/2] + values[k/2]) / 2
}
