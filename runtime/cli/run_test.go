package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"loopc/runtime/sched"
	"loopc/runtime/transport/shm"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// lastLine matches the line that a run prints on standard output, if it prints nothing else there.
var lastLine = regexp.MustCompile(`^[a-z]+: [0-9]+ points in [0-9.e+-]+ s, [0-9.e+-]+ GPts/s on [0-9]+ ranks? x [0-9]+ CPUs? \((inproc|shm|tcp), (overlap|blocking|buffered), [0-9]+ steps?\)\n$`)

// TestRuns runs emitted programs in several ways, and requires that each run
// equals the sequential loops and that all give the same files.
func TestRuns(t *testing.T) {
	cases := []struct{ program, params, result string }{
		{"adi", "T=4,N=23", "X"},
		{"diffusion", "T=7,N=33", "u"},
		{"seidel", "T=5,N=27", "u"},
		{"editdistance", "M=45,N=70", "D"},
		{"pipeline", "X=9,Y=14,Z=200", "A"},
		{"triangle", "N=31", "C"},
	}
	within := byTCP // what ranks of one host use if nobody says
	if shm.Supported() == nil {
		within = bySHM
	}
	ways := []struct {
		carrier string
		args    []string
	}{
		{"inproc", []string{"-n", "1"}},
		{"inproc", []string{"-n", "3", "--transport", "inproc", "--cpus", "2"}},
		{within, []string{"-n", "4", "--cpus", "1"}},
		{within, []string{"-n", "3", "--comm", "blocking", "--cpus", "2"}},
		{within, []string{"-n", "3", "--transport", within}},
		{"tcp", []string{"-n", "3", "--transport", "tcp", "--comm", "blocking"}},
		{"tcp", []string{"-n", "3", "--transport", "tcp", "--comm", "buffered"}},
		{"tcp", []string{"-n", "1", "--transport", "tcp"}},
	}
	for _, c := range cases {
		t.Run(c.program, func(t *testing.T) {
			nest := programs[c.program].Nest
			first := ""
			for k, way := range ways {
				dir := t.TempDir()
				args := append([]string{"-p", c.params, "--random", "7", "--check"}, way.args...)
				var names []string
				for i := range nest.Arrays {
					if a := &nest.Arrays[i]; a.Returned() {
						args = append(args, "--out", a.Name+"="+a.Name+".npy")
						names = append(names, a.Name+".npy")
					}
				}
				o := run(t, c.program, dir, args...)
				o.expect(t, 0, "result equals the sequential loops")
				if !lastLine.MatchString(o.stdout) || !strings.Contains(o.stdout, "("+way.carrier+", ") {
					t.Errorf("standard output is %q", o.stdout)
				}
				all := ""
				for _, name := range names {
					all += read(t, dir, name)
				}
				if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(names) {
					t.Errorf("%d files are left, want %d; %v", len(entries), len(names), err)
				}
				if k == 0 {
					first = all
				}
				if all != first {
					t.Errorf("%v gives other files than %v", way.args, ways[0].args)
				}
			}
		})
	}
}

// TestInPlace updates a file: input and result have the same name, and the run
// over TCP starts from a copy of it.
func TestInPlace(t *testing.T) {
	var after [2]string
	for k, transport := range []string{"inproc", "tcp"} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "u.npy"), 22, 22)
		before := read(t, dir, "u.npy")
		o := run(t, "seidel", dir, "-n", "3", "-p", "T=4,N=20", "--in", "u=u.npy", "--out", "u=u.npy", "--check", "--transport", transport)
		o.expect(t, 0, "equals")
		expectFiles(t, dir, "u.npy")
		if after[k] = read(t, dir, "u.npy"); after[k] == before || len(after[k]) != len(before) {
			t.Errorf("%s: the file has %d bytes after, %d before, and is it the same: %v", transport, len(after[k]), len(before), after[k] == before)
		}
	}
	if after[0] != after[1] {
		t.Error("the two transports give different files")
	}
}

// TestSummary: the counts of the JSON summary must be those of the plan.
func TestSummary(t *testing.T) {
	for _, transport := range []string{"inproc", "tcp"} {
		dir := t.TempDir()
		o := run(t, "diffusion", dir, "-n", "3", "-p", "T=5,N=30", "--random", "1", "--transport", transport, "--summary", "sum.json", "--cpus", "1")
		o.expect(t, 0, "note: result u is computed and dropped; --out u=file.npy keeps it")
		var sum sched.Summary
		if err := json.Unmarshal([]byte(read(t, dir, "sum.json")), &sum); err != nil {
			t.Fatal(err)
		}
		p, _, err := search.Choose(t.Context(), programs["diffusion"].Nest, []int{5, 30}, plan.Options{Ranks: 3, CPUs: 1}, programs["diffusion"].Costs([]int{5, 30}, cost.DefaultMachine()), transport)
		if err != nil {
			t.Fatal(err)
		}
		messages, bytes, _ := cost.Volume(p)
		if sum.Points != 5*30*30 || sum.Messages != messages || sum.Bytes != bytes || messages == 0 || len(sum.Ranks) != 3 || sum.Rank != -1 {
			t.Errorf("%s: summary %+v, want %d points, %d messages, %d bytes", transport, sum, 5*30*30, messages, bytes)
		}
	}
	o := run(t, "pipeline", t.TempDir(), "-p", "X=3,Y=3,Z=9", "--summary", "-")
	if o.code != 0 || !strings.HasPrefix(o.stdout, "{\n") {
		t.Errorf("exit code %d, standard output %q", o.code, o.stdout)
	}
}

// TestProgress requires that the JSON lines of progress grow up to the end.
func TestProgress(t *testing.T) {
	t.Parallel() // it does little but wait
	for _, transport := range []string{"inproc", "tcp"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			o := run(t, "slow", t.TempDir(), "-n", "2", "--cpus", "1", "-p", "T=8,N=40", "--tile", "1x20x20", "--random", "1", "--transport", transport, "--progress", "json")
			last, lines := int64(0), 0
			in := bufio.NewScanner(strings.NewReader(o.stderr))
			for in.Scan() {
				var line struct {
					Done, Total int64
					Seconds     float64
				}
				if !strings.HasPrefix(in.Text(), "{") {
					continue
				}
				if err := json.Unmarshal(in.Bytes(), &line); err != nil {
					t.Fatalf("%q: %v", in.Text(), err)
				}
				if line.Done < last || line.Done > line.Total || line.Total != 8*40*40 {
					t.Errorf("%q after %d", in.Text(), last)
				}
				last, lines = line.Done, lines+1
			}
			if o.code != 0 || last != 8*40*40 || lines < 3 {
				t.Errorf("%s: exit code %d, %d lines, the last with %d points\n%s", transport, o.code, lines, last, o.stderr)
			}
		})
	}
}

// TestPlan prints a plan and runs nothing: the array that is missing does not
// matter.
func TestPlan(t *testing.T) {
	o := run(t, "diffusion", t.TempDir(), "--plan", "-n", "4", "-p", "T=10", "-p", "N=100")
	if o.code != 0 || !strings.Contains(o.stdout, "T = 10, N = 100") || !strings.Contains(o.stdout, "4 ranks") {
		t.Errorf("exit code %d, standard output:\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestUsage gives wrong command lines. The exit code must be 2, and the message must say what is
// wrong.
func TestUsage(t *testing.T) {
	for _, c := range []struct{ program, args, want string }{
		{"diffusion", "--frobnicate", "no such flag: --frobnicate"},
		{"diffusion", "--tyle 3x3x3", `no such flag: --tyle; did you mean --tile\?`},
		{"diffusion", "-p M=3", `no such parameter: M.*; diffusion has T, N`},
		{"diffusion", "-p u0=3", `no such parameter: u0, which is an array: cells are given by --in u0=file.npy`},
		{"pipeline", "-p XX=3", `no such parameter: XX; did you mean X\?`},
		{"diffusion", "-p N=99999999999999999999", `parameter N: 99999999999999999999 is out of range, beyond 64 bits`},
		{"diffusion", "-p N=many", `parameter N: "many" is not an integer`},
		{"diffusion", "-p N", `-p N: "N" is not of the form name=value, as in -p T=1000,N=2000\n`},
		{"diffusion", "--random 1 --in x.npy", `--in x.npy: "x.npy" is not of the form name=value, as in --in u0=file.npy\n`},
		{"diffusion", "--random 1 --out", `--out: its value is missing, as in --out u=file.npy\n`},
		{"diffusion", "--random 1 --tile 3xb", `--tile 3xb: "b" is not a size: .*`},
		{"diffusion", "--random 1 --check=x", `--check x: it is true or false\n`},
		{"diffusion", "--random 1 -n two", `-n two: not a number\n`},
		{"diffusion", "--random 1 --plans 3", `--plans is for --verify\n`},
		{"diffusion", "--random 1 --out u=x --summary ./x", `\./x is named for a result and for the summary\n`},
		{"diffusion", "--random 1 --out u=x --trace x", `x is named for a result and for the trace\n`},
		{"diffusion", "--in u0=x --summary x", `x is named for a given array and for the summary\n`},
		{"diffusion", "--in u0=x --trace x", `x is named for a given array and for the trace\n`},
		{"diffusion", "--random 1 --trace x --summary x", `x is named for the trace and for the summary\n`},
		{"diffusion", "", "array u0 must be given: --in u0=file.npy"},
		{"editdistance", "--random 1", `parameters M, N have no default; give them: -p M=\.\.\.,N=\.\.\.`},
		{"diffusion", "--random 1 --in v=x.npy", "no such array: v; .*u0"},
		{"diffusion", "--random 1 --in u=x.npy", "--in u: that array is not given by the caller"},
		{"diffusion", "--random 1 --out u0=x.npy", "--out u0: that array is not given back"},
		{"diffusion", "--random 1 --snapshot u=%d.npy --every 2", "--snapshot u: that array is given back in part, when the run ends; an array without the dimension of the levels, which is updated in place, has snapshots"},
		{"diffusion", "--random x", `^diffusion: --random x: not a seed, which is a number from 0\n$`},
		{"diffusion", "--random 1 --tile 3x3", "tile has 2 entries, but the nest has 3 loops"},
		{"diffusion", "--random 1 --tile 3x1x1", "tile side 1 along i is less than the dependence distance 2"},
		{"diffusion", "--random 1 --map x", "map x: no such loop; the loops are t, i, j"},
		{"diffusion", "--random 1 --comm fast", "no such communication scheme"},
		{"diffusion", "--random 1 --transport udp", "no such transport"},
		{"diffusion", "--random 1 -n 2 --grid 1x2x2", "the grid 1x2x2 needs 4 ranks, there are 2"},
		{"diffusion", "--random 1 -n -3", "one rank at least"},
		{"diffusion", "--random 1 -n 0", "-n 0: there must be one rank at least"},
		{"diffusion", "--random 1 --sub 0", "--sub 0: there must be one sub-tile at least"},
		{"diffusion", "--random 1 --cpus 0", "not a number of CPUs"},
		{"diffusion", "--random 1 -p N=99999999999999999", "out of range"},
		{"diffusion", "--random 1 --progress loud", "it is one of auto, json, lines, none"},
		{"diffusion", "--random 1 more", `unexpected argument "more"`},
		{"diffusion", "--verify --out u=u.npy", "it takes no files"},
	} {
		dir := t.TempDir()
		o := run(t, c.program, dir, strings.Fields(c.args)...)
		o.expect(t, 2, c.want)
		if o.stdout != "" {
			t.Errorf("%s: standard output %q", c.args, o.stdout)
		}
		expectFiles(t, dir)
	}
	// Several mistakes are told in one go.
	o := run(t, "diffusion", t.TempDir(), "-p", "M=3", "--random", "x", "--transport", "udp")
	if n := strings.Count(o.stderr, "diffusion: "); n != 3 {
		t.Errorf("%d mistakes told, want 3:\n%s", n, o.stderr)
	}
	if o := run(t, "diffusion", t.TempDir(), "--help"); o.code != 0 || !strings.Contains(o.stdout, "u0 float64, 2 dimensions (--in)") || !strings.Contains(o.stdout, "T (1000)") {
		t.Errorf("exit code %d, help:\n%s", o.code, o.stdout)
	}
}

// TestSuggest covers what is near enough to be meant.
func TestSuggest(t *testing.T) {
	for _, c := range []struct{ word, want string }{{"tyle", "tile"}, {"gird", "grid"}, {"zzzzzz", ""}, {"n", "N"}, {"width", "Width"}, {"Widht", "Width"}, {"K", ""}} {
		got := suggest(c.word, []string{"tile", "grid", "map", "T", "N", "Width"}, "")
		if want := fmt.Sprintf("; did you mean %s?", c.want); c.want != "" && got != want || c.want == "" && got != "" {
			t.Errorf("suggest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

// TestEmpty runs nests without iterations, or with hardly any, on more ranks than they can use.
// Cells that no iteration writes must come back with their initial content.
func TestEmpty(t *testing.T) {
	for _, c := range []struct{ program, params string }{
		{"diffusion", "T=0,N=5"}, {"diffusion", "T=2,N=0"}, {"editdistance", "M=0,N=4"}, {"editdistance", "M=0,N=0"},
		{"seidel", "T=3,N=1"}, {"seidel", "T=0,N=3"}, {"adi", "T=0,N=0"}, {"pipeline", "X=1,Y=1,Z=1"},
	} {
		for _, way := range [][]string{{"-n", "1"}, {"-n", "3"}, {"-n", "3", "--transport", "inproc"}} {
			args := append([]string{"-p", c.params, "--random", "3", "--check"}, way...)
			o := run(t, c.program, t.TempDir(), args...)
			if o.code != 0 || !strings.Contains(o.stderr, "equals") {
				t.Errorf("%s %v: exit code %d\n%s", c.program, args, o.code, o.stderr)
			}
		}
	}
}
