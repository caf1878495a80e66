package plan

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTrials has random plans of random nests tried, and requires that the fastest
// is chosen, whatever is predicted: of such a run, and of no other.
func TestTrials(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 9))
	chosen, excluded := 0, 0
	for range *choices / 2 {
		s := randomNest(rng)
		o := Options{Ranks: 1 + rng.IntN(3), CPUs: 1 + rng.IntN(2)}
		m := DefaultMachine()
		before, list, err := Choose(s.nest, s.params, o, m, LinkTCP)
		if err != nil || before.Empty {
			continue
		}
		var trials []Trial
		var want Options
		least := 2.0
		for range 1 + rng.IntN(4) {
			a := list[rng.IntN(len(list))]
			x := Trial{Nest: s.nest.Digest, Params: s.params, Options: a.Options, Link: LinkTCP, Seconds: rng.Float64() + 0.1}
			if x.Seconds < least {
				least, want = x.Seconds, a.Options
			}
			trials = append(trials, x)
		}
		m.SetTrials(s.nest, s.params, before.Ranks, before.CPUs, LinkTCP, trials)
		digest := func(p *Plan, _ []Alternative, err error) string {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			return p.Digest()
		}
		same, err := New(s.nest, s.params, want)
		if err != nil {
			t.Fatal(err)
		}
		p, list, err := Choose(s.nest, s.params, o, m, LinkTCP)
		if digest(p, list, err) != same.Digest() {
			t.Fatalf("%+v was fastest of\n%+v\nchosen is %+v", want, trials, p.Options())
		}
		if k := slices.IndexFunc(list, func(a Alternative) bool { return a.Chosen }); list[k].Measured != least {
			t.Fatalf("the choice took %g s: %+v", least, list[k])
		}
		if digest(p, list, err) != before.Digest() {
			chosen++
		}
		// What was tried of other runs does not matter.
		if before.Ranks > 1 && digest(Choose(s.nest, s.params, o, m, LinkInproc)) != digest(Choose(s.nest, s.params, o, DefaultMachine(), LinkInproc)) {
			t.Fatal("trials over TCP decide on a run within a process")
		}
		more := o
		more.CPUs++
		if digest(Choose(s.nest, s.params, more, m, LinkTCP)) != digest(Choose(s.nest, s.params, more, DefaultMachine(), LinkTCP)) {
			t.Fatal("trials on fewer CPUs decide")
		}
		if len(s.params) > 0 {
			others := slices.Clone(s.params)
			others[0]++
			if p, _, err := Choose(s.nest, others, o, DefaultMachine(), LinkTCP); err == nil && p.Digest() != digest(Choose(s.nest, others, o, m, LinkTCP)) {
				t.Fatal("trials with other parameters decide")
			}
		}
		// A grid with open entries excludes nothing.
		open := o
		open.Grid, open.Mesh = make([]int, len(want.Grid)), make([]int, len(want.Mesh))
		if digest(Choose(s.nest, s.params, open, m, LinkTCP)) != same.Digest() {
			t.Fatalf("%+v was fastest; it is not chosen if the grid is given as %v", want, open.Grid)
		}
		// Options that exclude the fastest leave it to predictions.
		other := o
		other.Comm = Blocking
		if want.Comm == Blocking {
			other.Comm = Overlap
		}
		if digest(Choose(s.nest, s.params, other, m, LinkTCP)) != digest(Choose(s.nest, s.params, other, DefaultMachine(), LinkTCP)) {
			t.Fatalf("%+v was fastest, %s is asked for", want, other.Comm)
		}
		excluded++
	}
	if chosen < *choices/8 || excluded < *choices/4 {
		t.Errorf("%d trials changed the choice; %d were excluded", chosen, excluded)
	}
}

// TestTrialFile writes and reads trials; a plan that cannot be made any more, and
// times that are none, do no harm.
func TestTrialFile(t *testing.T) {
	nest := boxNest(units(3), "i", "j", "k")
	params := []int{60, 20, 400}
	p, list, err := Choose(nest, params, Options{Ranks: 2}, DefaultMachine(), LinkTCP)
	if err != nil {
		t.Fatal(err)
	}
	m := DefaultMachine()
	last := list[len(list)-1].Options
	trial := func(o Options, seconds float64) Trial {
		return Trial{Nest: nest.Digest, Params: params, Options: o, Link: LinkTCP, Seconds: seconds}
	}
	impossible := last
	impossible.Grid = []int{1, 2}
	m.SetTrials(nest, params, 2, 1, LinkTCP, []Trial{trial(list[0].Options, 5), trial(last, 2), trial(impossible, 1)})
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseMachine(text)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := Choose(nest, params, Options{Ranks: 2}, read, LinkTCP)
	if want, _ := New(nest, params, last); err != nil || again.Digest() != want.Digest() || again.Digest() == p.Digest() {
		t.Errorf("%v: chosen is\n%v", err, again)
	}
	read.SetTrials(nest, params, 2, 1, LinkTCP, nil)
	if len(read.Trials) != 0 {
		t.Errorf("trials that are replaced stay: %+v", read.Trials)
	}
	for _, seconds := range []string{"0", "-1", "1e99"} {
		bad := strings.Replace(string(text), `"seconds":5}`, `"seconds":`+seconds+`}`, 1)
		if _, err := ParseMachine([]byte(bad)); err == nil || !strings.Contains(err.Error(), "trials[0].seconds") {
			t.Errorf("seconds %s: %v", seconds, err)
		}
	}
}
