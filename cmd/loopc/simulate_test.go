package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"loopc/ir/irtest"
	"loopc/transform/plan/cost"
)

// simulate runs loopc simulate on a file of that text and returns the exit status
// and what it printed.
func simulate(t *testing.T, text string, args ...string) (status int, out, errors string) {
	t.Helper()
	t.Setenv("LOOPC_MACHINE", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "pipeline.loop")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, pass: "test"}
	status = a.main(append([]string{"simulate", file}, args...))
	return status, stdout.String(), stderr.String()
}

// pipelined is the text of the example.
func pipelined(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "pipeline", "pipeline.loop"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSimulateByHand simulates runs whose times are known.
func TestSimulateByHand(t *testing.T) {
	text := pipelined(t)
	plan := []string{"-p", "X=2,Y=8,Z=40", "--map", "k", "--grid", "1x2x1", "--tile", "2x4x4", "--assign", "retile", "--comm", "overlap", "--json"}
	for _, c := range []struct {
		flags []string
		want  float64 // s
	}{
		// Ten tiles of 32 iterations at a second each, one tile behind.
		{[]string{"--point", "1s", "--latency", "0s"}, 11 * 32},
		{[]string{"--point", "1s", "--latency", "5s"}, 11*32 + 5},
		{[]string{"--point", "1s", "--latency", "5s", "--start", "2s"}, 10*(32+2) + 5 + 32},
		// Faces of 2 × 4 elements of 4 bytes: four seconds with 64 bit/s.
		{[]string{"--point", "1s", "--bandwidth", "4bit"}, 32 + 10*64 + 32},
		{[]string{"--point", "1s", "--bandwidth", "64bit", "--overlap", "0"}, 10*(32+4) + 32},
		{[]string{"--point", "1000ms", "--bandwidth", "64bit/s", "--overlap", "0.5"}, 10*(32+2) + 2 + 32},
	} {
		status, out, errors := simulate(t, text, append(c.flags, plan...)...)
		var got struct {
			Prediction struct {
				Seconds float64 `json:"seconds"`
			} `json:"prediction"`
		}
		if err := json.Unmarshal([]byte(out), &got); status != 0 || err != nil {
			t.Errorf("%v: exit status %d, %v\n%s%s", c.flags, status, err, out, errors)
		} else if math.Abs(got.Prediction.Seconds-c.want) > 1e-3 { // tiles have their costs, beside iterations of a second
			t.Errorf("%v: %g s, want %g", c.flags, got.Prediction.Seconds, c.want)
		}
	}
}

// TestSimulateForms requires of the three ways to print a run that they say the
// same, and of the file and the flags that they describe the same cluster.
func TestSimulateForms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.json")
	if err := os.WriteFile(file, []byte(`{"nodes": 6, "cpus": 2, "point": "40ns", "start": "10us", "latency": "50us", "bandwidth": "100Mbit/s", "overlap": 0.5}`), 0o666); err != nil {
		t.Fatal(err)
	}
	params := []string{"-p", "X=60,Y=60,Z=300"}
	flags := append([]string{"--nodes", "6", "--cpus", "2", "--point", "40ns", "--start", "10us", "--latency", "50µs", "--bandwidth", "12.5MB", "--overlap", "0.5"}, params...)
	text := pipelined(t)
	_, fromFile, _ := simulate(t, text, append(params, "--cluster", file, "--json")...)
	status, fromFlags, errors := simulate(t, text, append(flags, "--json")...)
	if status != 0 || fromFile != fromFlags {
		t.Errorf("exit status %d; the file gives\n%s\nand the flags give\n%s%s", status, fromFile, fromFlags, errors)
	}
	var object simulated
	if err := json.Unmarshal([]byte(fromFlags), &object); err != nil {
		t.Fatal(err)
	}
	status, out, errors := simulate(t, text, append(flags, "--csv", "-")...)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if status != 0 || err != nil || len(rows) != 2 {
		t.Fatalf("exit status %d, %v\n%s%s", status, err, out, errors)
	}
	row := map[string]string{}
	for k, name := range rows[0] {
		row[name] = rows[1][k]
	}
	for name, want := range map[string]float64{
		"X": 60, "nodes": 6, "cpus": 2, "seconds": object.Prediction.Seconds, "efficiency": object.Prediction.Efficiency,
		"steps": float64(object.Prediction.Steps), "bytes": float64(object.Prediction.Bytes), "messages": float64(object.Prediction.Messages),
	} {
		if got, err := strconv.ParseFloat(row[name], 64); err != nil || math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s is %q, and %g", name, row[name], want)
		}
	}
	if object.Prediction.Messages == 0 || object.Prediction.Efficiency <= 0 || object.Prediction.Efficiency > 1 {
		t.Errorf("%+v", object.Prediction)
	}
	status, out, errors = simulate(t, text, flags...)
	for _, want := range []string{"6 × 2 CPUs; 40 ns an iteration; a message takes 50 µs and its bytes 12.5 MB/s, CPU time 10 µs to send", "overlap 0.5", row["steps"] + " steps", row["messages"] + " between nodes", "efficiency"} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("exit status %d, want %q in\n%s%s", status, want, out, errors)
		}
	}
}

// TestSimulateRefusals has what the command line can get wrong: exit status 2, and
// a message that names it.
func TestSimulateRefusals(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"nodes": 2, "lantency": "1us"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	bare, twice := filepath.Join(t.TempDir(), "bare.json"), filepath.Join(t.TempDir(), "twice.json")
	if err := errors.Join(os.WriteFile(bare, []byte(`{"latency": 50}`), 0o666), os.WriteFile(twice, []byte(`{"nodes": 2} {"nodes": 3}`), 0o666)); err != nil {
		t.Fatal(err)
	}
	slow := filepath.Join(t.TempDir(), "slow.json")
	if err := os.WriteFile(slow, []byte(`{"latency": "1 parsec"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--nodes=-2"}, "-2: there must be one at least"},
		{[]string{"--nodes", "x"}, "nodes"},
		{[]string{"--nodes", "2", "-n", "3"}, "a node is a rank"},
		{[]string{"--nodes", "1000000"}, "too many"},
		{[]string{"--cpus", "0"}, "--cpus 0"},
		{[]string{"--latency", "soon"}, `--latency: "soon" is not a time`},
		{[]string{"--latency=-5us"}, `--latency: "-5us" is not a time`},
		{[]string{"--point", "NaN"}, `--point: "NaN" is not a time`},
		{[]string{"--start", "1e300s"}, "the cluster: links"},
		{[]string{"--bandwidth", "0Mbit"}, "nothing would ever arrive"},
		{[]string{"--bandwidth", "fast"}, "--bandwidth"},
		{[]string{"--overlap", "2"}, "overlap 2"},
		{[]string{"--overlap", "much"}, "--overlap much"},
		{[]string{"--cluster", broken}, `unknown field "lantency"`},
		{[]string{"--latency", "50"}, `--latency: "50" has no unit: write 50us`},
		{[]string{"--point", "5"}, `--point: "5" has no unit`},
		{[]string{"--bandwidth", "100"}, `--bandwidth: "100" has no unit: write 100Mbit`},
		{[]string{"--cluster", bare}, `"50" has no unit: write 50us`},
		{[]string{"--cluster", twice}, "there is more after the description"},
		{[]string{"--cluster", slow}, `"1 parsec" is not a time`},
		{[]string{"--cluster", broken + "x"}, "no such file"},
		{[]string{"--json", "--csv", "-"}, "two ways to print"},
		{[]string{"--transport", "pigeon"}, "pigeon"},
		{[]string{"--grid", "2x2x2"}, "a grid or CPU mesh must leave one loop whole"},
		{[]string{"-p", "X=here"}, `"here" is not an integer`},
	} {
		status, out, printed := simulate(t, pipelined(t), append([]string{"-p", "X=20,Y=20,Z=20"}, c.args...)...)
		if strings.HasPrefix(c.args[0], "-p") {
			status, out, printed = simulate(t, pipelined(t), c.args...)
		}
		if status != exitUsage || !strings.Contains(printed, c.want) || out != "" {
			t.Errorf("%v: exit status %d, want %q\n%s%s", c.args, status, c.want, out, printed)
		}
	}
}

// TestSimulateSlower requires of a run whose iterations are said to take longer
// than they do here that it takes longer: what tiles cost besides stays. And the
// output must say whose figures these are, and in what tiles they hold.
func TestSimulateSlower(t *testing.T) {
	file := filepath.Join(t.TempDir(), "machine.json")
	m := cost.DefaultMachine()
	m.Name, m.Measured = "two cores", "2026-01-02"
	m.Kernel.Tile, m.Kernel.Row = 10e-6, 200e-9
	m.Kernel.Point = []cost.Rate{{Bytes: 16 << 10, Seconds: 1e-9}, {Bytes: 1 << 20, Seconds: 2e-9}}
	if err := writeMachine(file, m); err != nil {
		t.Fatal(err)
	}
	seconds := func(args ...string) (float64, string) {
		args = append([]string{"--machine", file, "-p", "X=60,Y=60,Z=300", "--nodes", "2", "--tile", "30x30x30"}, args...)
		status, out, printed := simulate(t, pipelined(t), append(args, "--csv", "-")...)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if status != 0 || err != nil || len(rows) != 2 {
			t.Fatalf("exit status %d, %v\n%s%s", status, err, out, printed)
		}
		x, err := strconv.ParseFloat(rows[1][slices.Index(rows[0], "seconds")], 64)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := simulate(t, pipelined(t), args...)
		return x, text
	}
	here, said := seconds()
	if !strings.Contains(said, "an iteration in tiles of ") || !strings.Contains(said, "two cores, measured 2026-01-02 with another nest, not with pipeline") {
		t.Errorf("it says\n%s", said)
	}
	slower, said := seconds("--point", "3ns")
	if slower <= here {
		t.Errorf("%g s with iterations as here, %g s with slower ones", here, slower)
	}
	if !strings.Contains(said, "3 ns an iteration;") || !strings.Contains(said, "the time of an iteration is given") {
		t.Errorf("it says\n%s", said)
	}
	if _, said = seconds("--latency", "50us"); !strings.Contains(said, "a message takes 50 µs and its bytes no time, CPU time 0 s to send, 0 s to receive, overlap 1") {
		t.Errorf("it says\n%s", said)
	}
}

// TestSimulateMany simulates a hundred thousand nodes in seconds.
func TestSimulateMany(t *testing.T) {
	var status int
	var out, errors string
	took := irtest.Took(func() {
		status, out, errors = simulate(t, pipelined(t), "--nodes", "100000", "-p", "X=20000,Y=20000,Z=4096", "--tile", "64x64x512", "--map", "k", "--latency", "50us", "--point", "2ns")
	})
	if status != 0 || strings.Contains(out, "estimated") || !strings.Contains(out, "783752 tiles") {
		t.Errorf("exit status %d\n%s%s", status, out, errors)
	}
	if took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

// TestSimulateAsPlan requires that a run of this machine, of which nothing else is described,
// is predicted to take what loopc plan predicts, whatever kernel the nest has here.
func TestSimulateAsPlan(t *testing.T) {
	t.Setenv("LOOPC_MACHINE", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, nest := range []string{"jacobi3d", "diffusion2d", "seidel5"} {
		var seconds []float64
		for _, command := range []string{"plan", "simulate"} {
			var stdout, stderr bytes.Buffer
			a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, pass: "test"}
			file := filepath.Join("..", "..", "testdata", "peers", nest+".loop")
			if status := a.main([]string{command, file, "--cpus", "1", "--json"}); status != 0 {
				t.Fatalf("loopc %s %s: %s", command, nest, stderr.String())
			}
			var out struct {
				Prediction struct{ Seconds float64 }
			}
			if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
				t.Fatal(err)
			}
			seconds = append(seconds, out.Prediction.Seconds)
		}
		if seconds[0] != seconds[1] || seconds[0] == 0 {
			t.Errorf("%s: loopc plan predicts %g s, loopc simulate %g s", nest, seconds[0], seconds[1])
		}
	}
}
