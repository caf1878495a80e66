package explain

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"loopc/ir/irtest"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// nests calls f with random nests under random plans, and returns how many.
func nests(t *testing.T, tries int, f func(s *Subject, rng *rand.Rand)) (planned int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	for range tries {
		s, ok := compile("random.loop", irtest.RandomNest(rng))
		if !ok {
			continue
		}
		o := plan.Options{
			Ranks: 1 + rng.IntN(8), CPUs: 1 + rng.IntN(4), Group: plan.Group(rng.IntN(3)),
			Assign: plan.Assign(rng.IntN(1 + len(plan.Assign(plan.Any).All()))), Comm: plan.Comm(rng.IntN(3)), Shape: plan.Shape(rng.IntN(4)),
		}
		if rng.IntN(2) == 0 {
			for range s.Nest.Loops {
				o.Tile = append(o.Tile, rng.IntN(6))
			}
		}
		if o.Group == plan.Vertical && rng.IntN(4) > 0 {
			o.Sub = 2 + rng.IntN(2)
		}
		p, err := plan.New(s.Plan.Nest, irtest.RandomParams(rng, s.Nest), o)
		if err != nil {
			continue
		}
		s.Plan, s.Asked = p, o
		planned++
		f(s, rng)
	}
	return planned
}

// TestRandom explains random nests under random plans. Nothing may panic, figures that can be
// counted in two ways must agree, lines must fit the terminal, JSON must read back as the same
// report, and pages must be small.
func TestRandom(t *testing.T) {
	exact, empty, vertical, faced, subs, locals := 0, 0, 0, 0, 0, 0
	planned := nests(t, irtest.OfAll(650, 250), func(s *Subject, rng *rand.Rand) {
		text, object, page := render(t, s, s.predicted())
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(line) > textWidth+1 {
				t.Errorf("too long: %q", line)
			}
		}
		var back Report
		if err := json.Unmarshal([]byte(object), &back); err != nil {
			t.Fatalf("%v in %s", err, object)
		}
		r := New(s)
		if !reflect.DeepEqual(&back, r) {
			t.Errorf("read back: %+v, want %+v", &back, r)
		}
		if len(page) > 1_000_000 || !strings.Contains(page, "</html>") {
			t.Errorf("the page has %d bytes", len(page))
		}
		if r.Empty {
			empty++
			return
		}
		if r.Group == "vertical" {
			vertical++
		}
		for _, c := range r.Closed {
			if c.Exact {
				exact++
				if r.Sub > 1 && r.Tiles[len(r.Tiles)-1] > 2 {
					subs++
				}
				if c.Steps != r.Steps {
					t.Errorf("%s is %d steps, the tiles take %d: %s", c.Equation, c.Steps, r.Steps, object)
				}
			}
		}
		messages, bytes, _ := cost.Volume(s.Plan)
		var sum [2]int64
		for _, f := range r.Faces {
			if product(r.Mesh) == 1 && f.LocalBytes+f.LocalMessages > 0 {
				t.Errorf("a rank of one CPU has faces between CPUs: %+v", f)
			}
			if f.LocalBytes > 0 {
				locals++
			}
			sum[0] += f.Messages
			sum[1] += f.Bytes
		}
		if sum != [2]int64{messages, bytes} || r.Messages != messages || r.Bytes != bytes {
			t.Errorf("faces have %v messages and bytes, the report %d, %d, the plan %d, %d", sum, r.Messages, r.Bytes, messages, bytes)
		}
		if bytes > 0 {
			faced++
		}
	})
	if share := irtest.OfAll(10, 3); 10*planned < 150*share || 10*exact < 30*share || empty < 1 || 10*vertical < 20*share || 10*faced < 50*share || 10*subs < 3*share || 10*locals < 20*share {
		t.Errorf("%d planned, %d exact, %d empty, %d vertical (%d exact with sub-tiles), %d with faces, %d with faces in a rank: the test proves little", planned, exact, empty, vertical, subs, faced, locals)
	}
}

// TestTileDependences enumerates D^S by its definition.
func TestTileDependences(t *testing.T) {
	longest := 0
	nests(t, 150, func(s *Subject, _ *rand.Rand) {
		p := s.Plan
		if p.Empty || product(p.Side) > 5000 {
			return
		}
		want := map[string]bool{}
		at := make([]int, len(p.Side))
		for range product(p.Side) {
			for _, d := range p.Nest.Distances() {
				tile, zero := make([]int, len(d)), true
				for k := range d {
					if p.Tiles[k] > 1 {
						tile[k] = (at[k] + d[k]) / p.Side[k]
					}
					zero = zero && tile[k] == 0
				}
				if !zero {
					want[vector(tile)] = true
				}
			}
			for k := range at {
				if at[k]++; at[k] < p.Side[k] {
					break
				}
				at[k] = 0
			}
		}
		got := map[string]bool{}
		for _, d := range New(s).Tiling.TileDependences {
			got[vector(d)] = true
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("D^S is %v, want %v: sides %v, D %v", got, want, p.Side, p.Nest.Distances())
		}
		longest = max(longest, len(want))
	})
	if longest < 3 {
		t.Errorf("no D^S has more than %d vectors", longest)
	}
}

// hostile is a name that tries to break out of HTML, scripts and terminals.
const hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`{{.}}\x1b[2J\u202e&amp;"

// TestHostile puts text that a browser or a terminal would obey wherever text
// of the user's can be.
func TestHostile(t *testing.T) {
	s := subject(t, "seidel.loop", example(t, "seidel/seidel.loop"), []int{10, 40}, plan.Options{Ranks: 4, CPUs: 1, Tile: []int{5, 10, 10}})
	chart := s.predicted()
	_, _, tame := render(t, s, chart)
	s.File, s.Nest.Name, s.Machine.Name, s.Link = hostile, hostile, hostile, hostile
	for k := range s.Nest.Arrays {
		s.Nest.Arrays[k].Name = hostile
	}
	for k := range s.Nest.Source {
		s.Nest.Source[k] = strings.Repeat(hostile, 3)
	}
	for k := range s.Nest.Loops {
		s.Nest.Loops[k].Name = hostile
	}
	nest := *s.Plan.Nest
	nest.Dims, nest.Params = slices.Repeat([]string{hostile}, 3), slices.Repeat([]string{hostile}, 2)
	nest.Values = slices.Clone(nest.Values)
	nest.Values[0].Name = hostile
	p := *s.Plan
	p.Nest, p.Warnings = &nest, []string{hostile}
	s.Plan = &p
	s.Alternatives = []search.Alternative{{Chosen: true, Seconds: 1}, {Seconds: 2, What: hostile}}
	text, object, page := render(t, s, chart)
	for _, element := range []string{"<script", "<img", "</script", "<svg"} {
		if got, want := strings.Count(page, element), strings.Count(tame, element); got != want {
			t.Errorf("the page has %s %d times, want %d", element, got, want)
		}
	}
	if !strings.Contains(page, "&lt;/script&gt;&lt;script&gt;alert(1)") {
		t.Error("the page does not have the name")
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("the text has %U", r)
		}
	}
	if !strings.Contains(text, "alert(1)") {
		t.Error("the text does not have the name")
	}
	var back Report
	if err := json.Unmarshal([]byte(object), &back); err != nil || back.Nest != hostile || back.File != hostile || back.Alternatives[1].What != hostile {
		t.Errorf("%v: the JSON reads as %q", err, back.Nest)
	}
	if strings.Contains(object, "<") {
		t.Error("the JSON has a bare <")
	}
}

// TestPageSize keeps pages of many tiles under a megabyte.
func TestPageSize(t *testing.T) {
	const flat = "param M, N\narray a[0..M, 0..N] float64 out\ninit a[i, j] = 1\nfor i = 1..M, j = 1..N {\n\ta[i,j] = a[i-1,j] + a[i,j-1] + a[i-1,j-1]\n}\n"
	const cube = "param N\narray a[0..N, 0..N, 0..N] float64 out\ninit a[i, j, k] = 1\nfor i = 1..N, j = 1..N, k = 1..N {\n\ta[i,j,k] = a[i-1,j,k] + a[i,j-1,k] + a[i,j,k-1]\n}\n"
	for _, c := range []struct {
		name   string
		text   string
		params []int
		o      plan.Options
		tiles  int
		merged bool
	}{
		{"flat", flat, []int{500, 500}, plan.Options{Ranks: 10, CPUs: 2, Tile: []int{5, 5}}, 10_000, false},
		{"cube", cube, []int{110}, plan.Options{Ranks: 4, CPUs: 4, Tile: []int{5, 5, 5}}, 10_648, false},
		{"thin", cube, []int{100}, plan.Options{Ranks: 4, CPUs: 1, Tile: []int{1, 1, 100}, Map: "i"}, 10_000, false},
		{"many", flat, []int{1500, 1500}, plan.Options{Ranks: 20, CPUs: 2, Tile: []int{3, 3}}, 250_000, true},
	} {
		s := subject(t, c.name+".loop", c.text, c.params, c.o)
		if n := product(s.Plan.Tiles); n != c.tiles {
			t.Errorf("%s: %d tiles, want %d", c.name, n, c.tiles)
		}
		_, _, page := render(t, s, s.predicted())
		t.Logf("%s: %d tiles, %d bytes", c.name, c.tiles, len(page))
		if len(page) > 1_000_000 {
			t.Errorf("%s: the page has %d bytes", c.name, len(page))
		}
		if c.merged && (!strings.Contains(page, "Each box stands for") || !strings.Contains(page, "are merged")) {
			t.Errorf("%s: the page does not say what it leaves out", c.name)
		}
	}
}
