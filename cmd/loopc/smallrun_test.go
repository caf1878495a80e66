package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"loopc/ir/irtest"
	"loopc/runtime/sched"
)

// sweepsUntil is a sweep in place that is repeated until it changes little.
const sweepsUntil = `param T, N = 10000, 100
array u[0..N+1, 0..N+1] float64 inout
repeat t = 1..T until change < 1e-9 {
	reduce change = max(abs(d))
	for i = 1..N, j = 1..N {
		let g = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1])
		let d = g - u[i,j]
		u[i,j] = g
	}
}
`

// summarized runs loopc run on a source, and returns its summary.
func summarized(t *testing.T, src string, args ...string) sched.Summary {
	t.Helper()
	folder := t.TempDir()
	file, summary := filepath.Join(folder, "small.loop"), filepath.Join(folder, "summary.json")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"run", file, "--random", "1", "--progress", "none", "--summary", summary}, args...)
	if out, err := exec.Command("loopc", args...).CombinedOutput(); err != nil {
		t.Fatalf("loopc %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	var s sched.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSmallRepeats runs many repetitions of a small nest. Where nobody asks for CPUs
// there is one; each repetition takes the memory of the one before, whatever is asked for,
// and its workers go on, so that it takes some tens of microseconds. -v prints the times.
func TestSmallRepeats(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	const repetitions = 1500
	size := fmt.Sprintf("T=%d", repetitions)
	for _, c := range []struct {
		name string
		args []string
		cpus int
	}{
		{"as it is", nil, 1},
		{"1 CPU", []string{"--cpus", "1"}, 1},
		{"2 CPUs", []string{"--cpus", "2", "--tile", "50x100"}, 2},
	} {
		s := summarized(t, sweepsUntil, append(c.args, "-p", size)...)
		each := 1e6 * s.Seconds / repetitions
		t.Logf("%-10s %6.1f µs for a repetition of 10,000 points, %d tiles, %d MiB", c.name, each, s.Tiles, s.Peak>>20)
		if s.Repeats[0] != repetitions || s.Points != repetitions*10000 {
			t.Fatalf("%s: %d repetitions, %d points", c.name, s.Repeats[0], s.Points)
		}
		if few := s.Tiles < 2*repetitions; few != (c.cpus == 1) {
			t.Errorf("%s: %d tiles in %d repetitions", c.name, s.Tiles, repetitions)
		}
		if s.Peak > 200<<20 {
			t.Errorf("%s: %d MiB", c.name, s.Peak>>20)
		}
		if each > 2000 {
			t.Errorf("%s: %.0f µs for a repetition", c.name, each)
		}
	}
}

// TestManyRanks runs a thousand ranks in one process, of a nest and of a repeated one: they
// take less than 300 MB in all.
func TestManyRanks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	once := strings.Replace(sweepsUntil, "repeat t = 1..T until change < 1e-9 {\n\treduce change = max(abs(d))\n\tfor i", "for t = 1..T, i", 1)
	once = strings.Replace(once, "\t}\n}\n", "\t}\n", 1)
	for _, c := range []struct{ name, src, size string }{
		{"sweeps over 300 x 300", once, "T=20,N=300"},
		{"repeated sweeps over 1000 x 1000", sweepsUntil, "T=5,N=1000"},
		{"twenty repeated sweeps over 1000 x 1000", sweepsUntil, "T=20,N=1000"},
	}[:irtest.OfAll(3, 2)] {
		s := summarized(t, c.src, "-n", "1000", "--cpus", "1", "--transport", "inproc", "-p", c.size)
		t.Logf("%-40s %4d MB, %.2f s, %d messages", c.name, s.Peak/1e6, s.Seconds, s.Messages)
		if len(s.Ranks) != 1000 {
			t.Errorf("%s: %d ranks", c.name, len(s.Ranks))
		}
		if s.Peak > 300e6 {
			t.Errorf("%s: %d MB", c.name, s.Peak/1e6)
		}
	}
}
