package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"loopc/codegen"
	"loopc/ir/irtest"
	"loopc/runtime/sched"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

var longPart = flag.Int("long-part", 10, "TestLongRunsRun divides the number of levels by this: with 1, heat and wave have a million, and the edit distance two")
var longTried = flag.Int("long-tilings", 0, "TestLongTilings runs each nest with each of ten tilings this often, on an idle machine")

// longNoise is what the CPU time of a short run of two workers that wait for one another varies by, in seconds.
const longNoise = 0.03

// TestLongRunsRun runs nests of few points and many levels on one CPU: portable, in epochs, and as a run chooses; on two CPUs,
// and on three ranks. All give the bits of the sequential loops, which runs with --check compare with. A run takes at most 1.25 times the memory of longNeed, and twice as many levels take at most 2.2 times the CPU time; on two CPUs,
// where nests of few points wait, and longNoise. Times of ranks are not compared. -v prints the figures.
func TestLongRunsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	first, end := irtest.Part(len(longNests), 1)
	if *longPart == 1 {
		first, end = 0, len(longNests)
	}
	for _, c := range longNests[first:end] {
		text := longText(t, c.name)
		_, l := lowerText(t, text)
		program := builtLong(t, text)
		name := l.program.Nests[0].Arrays[len(l.program.Nests[0].Arrays)-1].Name
		want := map[int][]byte{} // the result of each number of levels
		ways := [][]string{{"--kernel", "portable"}, {"--epoch", "9999"}, {}, {"--cpus", "2"}, {"-n", "3", "--transport", "inproc"}}
		for _, way := range ways {
			levels, noise := 25*c.short / *longPart, 0.0
			if slices.Contains(way, "-n") && c.few {
				levels = 25 * c.short
			}
			if slices.Contains(way, "--cpus") && !c.shared {
				noise = longNoise
			}
			if want[levels] == nil {
				want[levels], _, _ = longResult(t, program, name, levels, "--kernel", "portable", "--check")
			}
			var best [2]float64
			for round := range 4 {
				for k := range best {
					got, seconds, peak := longResult(t, program, name, levels<<k, way...)
					if round == 0 || seconds < best[k] {
						best[k] = seconds
					}
					if need := longNeed(t, text, levels<<k, way); peak > need+need/4 {
						t.Errorf("%s %v: %d levels take %d MiB, of %d that are counted", c.name, way, levels<<k, peak>>20, need>>20)
					}
					if k == 0 && !bytes.Equal(got, want[levels]) {
						t.Errorf("%s %v: other bits than those of the sequential loops", c.name, way)
					}
				}
				if best[1] <= 2.2*best[0]+noise {
					break
				}
			}
			t.Logf("%-15s %-28v %8d levels %6.0f ms of a CPU, twice as many %6.0f ms", c.name, way, levels, 1e3*best[0], 1e3*best[1])
			if best[1] > 2.2*best[0]+noise && !slices.Contains(way, "-n") {
				t.Errorf("%s %v: %.4f s, and %.4f s for twice as many levels", c.name, way, best[0], best[1])
			}
		}
	}
}

// longResult is runLong with so many levels on one CPU, unless args say otherwise, and the bytes of the result with this name.
func longResult(t *testing.T, program, name string, levels int, args ...string) (result []byte, seconds float64, peak int64) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "u.npy")
	seconds, peak = runLong(t, program, append([]string{"--cpus", "1", "-p", fmt.Sprintf("T=%d", levels), "--out", name + "=" + out}, args...)...)
	result, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return result, seconds, peak
}

// longTilings are tilings made by hand, for nests of two and three loops; 0 is a whole loop.
var longTilings = map[int][]string{
	2: {"16x0", "64x0", "256x0", "1024x0", "32x32", "64x64", "256x64", "256x256", "1024x256", "0x64"},
	3: {"4x0x0", "16x0x0", "64x0x0", "256x0x0", "16x16x0", "64x16x0", "64x64x0", "256x16x0", "1024x64x64", "1024x128x128"},
}

// TestLongTilings runs each of longNests with the plan that is chosen and with ten tilings, in turn, on one CPU: the chosen
// plan takes at most 1.1 times as long as the best tiling.
func TestLongTilings(t *testing.T) {
	if *longTried == 0 {
		t.Skip("-long-tilings is not given: times need an idle machine")
	}
	for _, c := range longNests {
		text := longText(t, c.name)
		_, l := lowerText(t, text)
		program := builtLong(t, text)
		ways := append([]string{""}, longTilings[len(l.program.Nests[0].Loops)]...)
		best := make([]float64, len(ways))
		for round := range *longTried {
			for k, tile := range ways {
				args := []string{"--cpus", "1", "-p", fmt.Sprintf("T=%d", 10*c.short)}
				if tile != "" {
					args = append(args, "--tile", tile)
				}
				if seconds, _ := runLong(t, program, args...); round == 0 || seconds < best[k] {
					best[k] = seconds
				}
			}
		}
		k := 1 + slices.Index(best[1:], slices.Min(best[1:]))
		t.Logf("%-15s %.0f ms of a CPU, of ten tilings %s takes the least, %.0f ms", c.name, 1e3*best[0], ways[k], 1e3*best[k])
		if best[0] > 1.1*best[k] {
			t.Errorf("%s: tile %s takes %.4f s, the chosen plan %.4f s", c.name, ways[k], best[k], best[0])
		}
	}
}

// builtLong builds the program of a nest.
func builtLong(t *testing.T, text string) string {
	t.Helper()
	a, l := lowerText(t, text)
	module := nestModule(t) // one runtime for all nests
	for _, f := range a.generate(l, codegen.Options{Package: "main", Main: true, Runtime: nestVendor}) {
		putIn(t, module, emittedName("long", f.Suffix), f.Text)
	}
	program := filepath.Join(module, "linked")
	if out, err := nestBuild(module, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// runLong runs a program, and returns the CPU time and the most memory that it has taken, in bytes.
func runLong(t *testing.T, program string, args ...string) (seconds float64, peak int64) {
	t.Helper()
	summary := filepath.Join(t.TempDir(), "summary.json")
	c := exec.Command(program, append(args, "--random", "1", "--progress", "none", "--summary", summary)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	var s sched.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), s.Peak
}

// longNeed returns the memory that a run of the given number of levels needs, in bytes: what its plan counts, one state, and 64 MiB. The
// caller adds a quarter for the allocator.
func longNeed(t *testing.T, text string, levels int, way []string) int64 {
	t.Helper()
	o := plan.Options{Ranks: 1, CPUs: 1}
	switch {
	case len(way) > 0 && way[0] == "--epoch":
		o.Epoch, _ = strconv.Atoi(way[1])
	case len(way) > 0 && way[0] == "--cpus":
		o.CPUs, _ = strconv.Atoi(way[1])
	case len(way) > 0 && way[0] == "-n":
		o.Ranks, _ = strconv.Atoi(way[1])
	}
	_, l := lowerText(t, text)
	params := []int{levels, *l.program.Nests[0].Params[1].Default}
	p, _, err := search.Choose(t.Context(), l.whole, params, o, l.figures(0, params, cost.DefaultMachine(), ""), cost.LinkInproc)
	if err != nil {
		t.Fatal(err)
	}
	need := int64(64 << 20)
	for _, m := range cost.Memories(p) {
		need += m.Total() + m.Levels
	}
	return need
}
