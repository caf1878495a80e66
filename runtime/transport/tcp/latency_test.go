package tcp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
)

func init() { tcp.SendTimes = sendTimes }

const (
	latencyFaces = 200
	latencyPause = 2 * time.Millisecond

	plainly = "plainly " // before the address where sendPlainly sends to
)

// sendTimes is rank 1: it sends the time, again and again, with pauses.
func sendTimes(addr string) error {
	if addr, ok := strings.CutPrefix(addr, plainly); ok {
		return sendPlainly(addr)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	secret, err := auth.LoadSecret(auth.FromEnvironment(os.Stdin)...)
	if err != nil {
		return err
	}
	rank, err := tcp.New(ctx, tcp.Config{Rank: 1, Size: 2, Addrs: []string{addr, ""}, Secret: secret})
	if err != nil {
		return err
	}
	send, err := rank.OpenSend(transport.Edge{Peer: 0, ID: 1, Capacity: 8192, Slots: 2})
	if err != nil {
		return err
	}
	for range latencyFaces {
		time.Sleep(latencyPause)
		slot, err := send.Acquire(ctx)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(slot, uint64(time.Now().UnixNano()))
		if err := send.Post(8192); err != nil {
			return err
		}
		if err := rank.Flush(); err != nil {
			return err
		}
	}
	return rank.Close(nil)
}

// With every worker of a rank computing, and one processor of GOMAXPROCS more
// than workers, a face from another process is in its slot, and seen by the
// worker that looks for it between two pieces of its tile, within 100 us.
//
// The rank has half the CPUs, as one of two on a host. The other half is left
// to the rank that sends, which sleeps between faces: how soon the kernel lets
// the goroutine that reads run where every CPU computes is not ours to say.
func TestBusyWorkersSeeFaces(t *testing.T) {
	if raceEnabled {
		t.Skip("times mean nothing under the race detector")
	}
	if testing.Short() {
		t.Skip("takes half the CPUs for half a second")
	}
	const (
		wantMedian = 100 * time.Microsecond
		attempts   = 12 // other tests end, some time
		mostQuiet  = 3
	)
	workers, quiet := max(1, runtime.NumCPU()/2), 0
	for range attempts {
		before := queued()
		median := medianOf(busyDelays(t, workers, func() func() { return func() {} }))
		if median <= wantMedian {
			return
		}
		waited := queued() - before
		plain := medianOf(plainDelays(t, workers))
		t.Logf("%d busy workers on %d CPUs, %d faces of 8 KiB: %v (median), read by a goroutine that does nothing else: %v; threads waited for CPUs for %v", workers, runtime.NumCPU(), latencyFaces, median, plain, waited)
		// How soon the kernel lets anybody run is not ours to say. Half the faces are as late
		// as the median: waits for CPUs explain that if they are as long in all.
		if plain > wantMedian/2 || waited > latencyFaces/2*(median-wantMedian) {
			continue
		}
		if quiet++; quiet == mostQuiet {
			t.Fatalf("faces are seen after %v (median), want %v", median, wantMedian)
		}
	}
	t.Skip("the machine is busy")
}

// queued returns how long the threads of this process have waited for CPUs, 0 where the system
// does not tell.
func queued() (total time.Duration) {
	tasks, _ := filepath.Glob("/proc/self/task/*/schedstat")
	for _, name := range tasks {
		b, _ := os.ReadFile(name) // a thread may have ended
		if f := strings.Fields(string(b)); len(f) == 3 {
			ns, _ := strconv.ParseInt(f[1], 10, 64)
			total += time.Duration(ns)
		}
	}
	return total
}

// medianOf returns the median of delays.
func medianOf(delays []time.Duration) time.Duration {
	slices.Sort(delays)
	return delays[len(delays)/2]
}

// BenchmarkEveryCPUBusy reports after what time a face is seen with every CPU of
// the host computing, without and with long time slices for the workers.
func BenchmarkEveryCPUBusy(b *testing.B) {
	for _, c := range []struct {
		name   string
		thread func() (release func())
	}{{"plain", func() func() { return func() {} }}, {"slices", launch.ComputeThread}} {
		b.Run(c.name, func(b *testing.B) {
			var delays []time.Duration
			for b.Loop() {
				delays = append(delays, busyDelays(b, runtime.NumCPU(), c.thread)...)
			}
			slices.Sort(delays)
			b.ReportMetric(float64(delays[len(delays)/2].Microseconds()), "us-median")
			b.ReportMetric(float64(delays[len(delays)*9/10].Microseconds()), "us-p90")
		})
	}
}

// sendPlainly is sendTimes without a transport.
func sendPlainly(addr string) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	face := make([]byte, 8192)
	for range latencyFaces {
		time.Sleep(latencyPause)
		binary.LittleEndian.PutUint64(face, uint64(time.Now().UnixNano()))
		if _, err := conn.Write(face); err != nil {
			return err
		}
	}
	return conn.Close()
}

// plainDelays returns how long each face took from another process to a goroutine that
// waits for it, beside busy workers and without a transport.
func plainDelays(t *testing.T, workers int) []time.Duration {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers + 1))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	sender := startSender(t, plainly+listener.Addr().String())
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var stop atomic.Bool
	var busy sync.WaitGroup
	for range workers {
		busy.Go(func() {
			for !stop.Load() {
				compute(1000)
			}
		})
	}
	var delays []time.Duration
	for face := make([]byte, 8192); err == nil && len(delays) < latencyFaces; {
		if _, err = io.ReadFull(conn, face); err == nil {
			delays = append(delays, time.Duration(time.Now().UnixNano()-int64(binary.LittleEndian.Uint64(face))))
		}
	}
	stop.Store(true)
	busy.Wait()
	if err := errors.Join(err, sender.Wait()); err != nil {
		t.Fatal(err)
	}
	return delays
}

// startSender starts this program as one that sends times to addr.
func startSender(t testing.TB, addr string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sender := exec.CommandContext(t.Context(), self)
	sender.Env = append(os.Environ(), tcp.SenderEnv+"="+addr, auth.EnvDescriptor+"=0")
	sender.Stdin = strings.NewReader(secret.Line())
	sender.Stderr = os.Stderr
	if err := sender.Start(); err != nil {
		t.Fatal(err)
	}
	return sender
}

// busyDelays returns how long each face took from being packed in one process
// to being seen by a busy worker of another.
func busyDelays(t testing.TB, workers int, thread func() (release func())) []time.Duration {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers + 1))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sender := startSender(t, listener.Addr().String())
	rank, err := tcp.New(t.Context(), tcp.Config{Rank: 0, Size: 2, Listener: listener, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	recv, err := rank.OpenRecv(transport.Edge{Peer: 1, ID: 1, Capacity: 8192, Slots: 2})
	if err != nil {
		t.Fatal(err)
	}

	var stop atomic.Bool
	var busy sync.WaitGroup
	for range workers - 1 {
		busy.Go(func() {
			defer thread()()
			for !stop.Load() {
				compute(1000)
			}
		})
	}
	// The last worker looks for faces without ever waiting for one.
	defer thread()()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var delays []time.Duration
	for len(delays) < latencyFaces {
		compute(20)
		face, err := recv.Arrived(ended)
		if err != nil {
			if t.Context().Err() != nil {
				t.Fatal(err)
			}
			continue
		}
		sent := int64(binary.LittleEndian.Uint64(face))
		delays = append(delays, time.Duration(time.Now().UnixNano()-sent))
		if err := recv.Release(); err != nil {
			t.Fatal(err)
		}
	}
	stop.Store(true)
	busy.Wait()
	if err := rank.Close(nil); err != nil {
		t.Error(err)
	}
	if err := sender.Wait(); err != nil {
		t.Error(err)
	}
	return delays
}

// compute takes about n times 100 ns of a processor.
func compute(n int) {
	x := 1.0
	for range 30 * n {
		x = x*0.999 + 0.001
	}
	sink.Store(x > 0)
}

// sink keeps the compiler from leaving out compute.
var sink atomic.Bool
