package sched_test

import (
	"crypto/sha256"
	"runtime"
	"slices"
	"testing"
	"time"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/trace"
	"loopc/runtime/transport"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
	"loopc/transform/plan"
)

// A spinner is a kernel that computes for a fixed time per level of a tile.
type spinner struct {
	level time.Duration
	sink  float64
}

func (*spinner) Bind(*kernel.Block)                          {}
func (*spinner) Init(int, []int, int, int, []byte, int, int) {}

func (k *spinner) Box([]int, []int) {
	for began := time.Now(); time.Since(began) < k.level; {
		for range 100 {
			k.sink = k.sink*0.5 + 1
		}
	}
}

// loopback returns a mesh of TCP connections.
func loopback(t *testing.T) sched.Mesh {
	return func(size int, run string) ([]transport.Transport, error) {
		cfgs, err := tcp.Loopback(size, auth.NewSecret())
		if err != nil {
			return nil, err
		}
		return tcp.Together(cfgs, func(cfg tcp.Config) (transport.Transport, error) {
			cfg.Digest = sha256.Sum256([]byte(run))
			return tcp.New(t.Context(), cfg)
		})
	}
}

// TestOverlapOnTCP requires, for a real run over TCP, that messages of a rank travel while this
// rank computes if the plan is overlapped, and never if it is blocking.
func TestOverlapOnTCP(t *testing.T) {
	// Two ranks that compute, and their goroutines that write and read.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(4, runtime.NumCPU())))
	const tiles = 8
	most := 0
	for range 5 { // a rank that loses its processor right after posting overlaps nothing
		if most = max(most, sharing(t, plan.Overlap, tiles)); most >= tiles/2 {
			break
		}
	}
	if most < tiles/2 {
		t.Errorf("overlapped: only %d of %d messages share time with computation", most, tiles)
	}
	fewest := tiles
	for range 5 { // a writer that loses its processor right after its write notices the end late
		if fewest = min(fewest, sharing(t, plan.Blocking, tiles)); fewest == 0 {
			break
		}
	}
	if fewest > 0 {
		t.Errorf("blocking: at least %d of %d messages share time with computation", fewest, tiles)
	}
}

// sharing runs the given number of tiles on each of two ranks, and returns how many messages of
// the first one travel while it computes.
func sharing(t *testing.T, comm plan.Comm, tiles int) (shared int) {
	t.Helper()
	// Faces are longer than a socket's buffer: otherwise a write ends before the worker
	// continues. A face has a cell for every level of its tile.
	const cells = 1 << 18
	p, err := plan.New(grid, []int{tiles * cells, 8}, plan.Options{Map: "i", Grid: []int{1, 2}, Tile: []int{cells, 4}, Comm: comm})
	if err != nil {
		t.Fatal(err)
	}
	record := trace.New()
	prog := &sched.Program{Nest: grid, Kernel: kernel.InGo(func([]int, kernel.Fields) kernel.Loops { return &spinner{level: 100 * time.Nanosecond} }, 0)}
	sum, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, sched.NewFields(grid), sched.Watch{Trace: record}, loopback(t))
	if err != nil {
		t.Fatal(err)
	}
	if sum.Messages != int64(tiles) || sum.Bytes != int64(tiles*cells*8) {
		t.Errorf("%s: %d messages of %d bytes in all", comm, sum.Messages, sum.Bytes)
	}
	computes, sends := intervals(record.Events(), trace.Compute, 0), intervals(record.Events(), trace.Send, 0)
	if len(computes) != tiles || len(sends) != tiles {
		t.Fatalf("%s: %d tiles, %d messages", comm, len(computes), len(sends))
	}
	for _, s := range sends {
		if slices.ContainsFunc(computes, func(c trace.Event) bool { return overlap(s, c) }) {
			shared++
		}
	}
	return shared
}
