package cost

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"loopc/transform/plan"
)

// TestMachineFile writes a machine, and requires it to be the same when read.
func TestMachineFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machine.json")
	m := DefaultMachine()
	m.Kernels = map[string]Kernel{"abc": {Point: []Rate{{0, 1e-9}, {1 << 40, 2.5e-9}}, Contention: []float64{1, 1.25, 1.5}}}
	text, err := FormatMachine(m)
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := readMachine(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, m) {
		t.Errorf("read %+v, wrote %+v", got, m)
	}
	m.Stream = math.NaN()
	if _, err := FormatMachine(m); err == nil || !strings.Contains(err.Error(), "stream is NaN") {
		t.Errorf("a machine that streams NaN bytes: %v", err)
	}
}

// TestMachineRefusals has the ways in which a file can be wrong; the error names
// the file and the field.
func TestMachineRefusals(t *testing.T) {
	good, err := json.Marshal(DefaultMachine())
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("%s is not in %s", old, good)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	path := filepath.Join(t.TempDir(), "m.json")
	for _, c := range []struct{ text, want string }{
		{"", "not the figures"},
		{"[]", "not the figures"},
		{"{}", "schema is missing"},
		{`{"schema":2,"later":1}`, "schema is 2"},
		{string(good) + "{}", "after top-level value"},
		{change(`"cores"`, `"kores"`), `unknown field "kores"`},
		{change(`"cores":2`, `"cores":0`), "cores is 0"},
		{change(`"stream":24000000000`, `"stream":-1`), "stream is -1"},
		{change(`"stream":24000000000`, `"stream":1e999`), "stream"},
		{change(`"tile":0.000002`, `"tile":-2`), "kernel.tile is -2"},
		{change(`"cache":[32768`, `"cache":[3276800000`), "cache[1]"},
		{change(`"bytes":32768`, `"bytes":400000`), "kernel.point[1].bytes is 393216"},
		{change(`"seconds":1.5e-9`, `"seconds":-1.5e-9`), "kernel.point[0].seconds"},
		{change(`"busy":[1,`, `"busy":[0,`), "kernel.busy[0] is 0"},
		{change(`"overlap":0.5`, `"overlap":1.5`), `links["tcp"].overlap is 1.5`},
		{change(`"wakeup":0.000015`, `"wakeup":1e30`), `links["tcp"].wakeup is 1e+30`},
		{change(`"bandwidth":3000000000`, `"bandwidth":1e-9`), `links["tcp"].bandwidth is 1e-09`},
		{change(`"links"`, `"kernels":{"x":{}},"links"`), `kernels["x"].point is empty`},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := readMachine(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s\n\tgot %v, want the file and %q", c.text, err, c.want)
		}
	}
	if _, err := readMachine(path + "x"); err == nil || !strings.Contains(err.Error(), path+"x") {
		t.Errorf("a missing file: %v", err)
	}
}

// TestPointAt checks the interpolation: exact at entries, between its neighbors elsewhere, and
// constant beyond the first and the last entry.
func TestPointAt(t *testing.T) {
	k := Kernel{Point: []Rate{{1 << 10, 1}, {1 << 12, 3}, {1 << 20, 2}}}
	for _, c := range []struct {
		bytes int
		want  float64
	}{{0, 1}, {1 << 10, 1}, {1 << 11, 2}, {1 << 12, 3}, {1 << 16, 2.5}, {1 << 20, 2}, {1 << 60, 2}} {
		if got := k.PointAt(c.bytes); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("an iteration in %d bytes takes %g, want %g", c.bytes, got, c.want)
		}
	}
	k = Kernel{Point: []Rate{{0, 1}, {1, 2}, {2, 3}}}
	for b, want := range []float64{1, 2, 3, 3} {
		if got := k.PointAt(b); got != want {
			t.Errorf("an iteration in %d bytes takes %g, want %g", b, got, want)
		}
	}
}

// TestBusyFactor checks the factor for several busy CPUs, and for more than
// there are cores.
func TestBusyFactor(t *testing.T) {
	k := Kernel{Contention: []float64{1, 1.2}}
	for _, c := range []struct {
		cpus, cores int
		want        float64
	}{{1, 2, 1}, {2, 2, 1.2}, {3, 4, 1.2}, {4, 2, 2.4}, {0, 2, 1}} {
		if got := k.contentionOf(c.cpus, c.cores); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d busy CPUs of %d: factor %g, want %g", c.cpus, c.cores, got, c.want)
		}
	}
}

// FuzzParseMachine: every accepted file can be written and read again, and gives finite times.
func FuzzParseMachine(f *testing.F) {
	good, err := json.Marshal(DefaultMachine())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"schema":1,"cores":1,"stream":1e18,"kernel":{"point":[{"bytes":0,"seconds":1e18}]}}`))
	f.Add([]byte(`{"schema":1,"cores":1,"kernel":{"point":[{"bytes":0},{"bytes":1},{"bytes":9223372036854775807}],"busy":[1e-300]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseMachine(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseMachine(again); err != nil {
			t.Errorf("%s is read, but not when it is written again: %v", data, err)
		}
		for _, b := range []int{0, 1, 2, 1 << 20, 1 << 60} {
			if x := m.Kernel.PointAt(b) * m.Kernel.contentionOf(3, m.Cores); math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
				t.Errorf("%s: an iteration in %d bytes takes %g", data, b, x)
			}
		}
	})
}

// TestShapeFactor checks the definition: tiles like a measured one deviate as it
// does, those far from all do not, and runs over another link do not either.
func TestShapeFactor(t *testing.T) {
	k := Kernel{Near: []NearTile{
		{Side: []int{10, 100}, Weight: math.Log(2)},
		{Side: []int{10, 100}, Weight: math.Log(3), Link: LinkTCP, Map: 1},
	}}
	half := math.Exp(-math.Pow(math.Log(2)/0.6, 2) / 2)
	for _, c := range []struct {
		side  []int
		ranks int
		along int
		link  string
		want  float64
	}{
		{[]int{10, 100}, 1, 1, LinkTCP, 2},
		{[]int{20, 100}, 1, 1, LinkTCP, math.Pow(2, half)},
		{[]int{1000, 1}, 2, 1, LinkTCP, 1},
		{[]int{10, 100}, 2, 1, LinkTCP, 6},
		{[]int{10, 100}, 2, 1, LinkInproc, 2},
		{[]int{10, 100}, 2, 0, LinkTCP, 2},
		{[]int{20, 100}, 2, 1, LinkTCP, math.Pow(6, half)},
	} {
		p := &plan.Plan{Side: c.side, Grid: []int{c.ranks, 1}, Map: c.along}
		if got := k.shapeFactor(p, c.link); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%+v: factor %g", c, got)
		}
	}
}
