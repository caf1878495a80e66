package search

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/plantest"
)

// TestTrials adds trials of random plans of random nests. The choice must be the plan with the
// fastest trial of the same run, whatever is predicted. Trials of other runs must not matter.
func TestTrials(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 9))
	chosen, excluded := 0, 0
	for range *choices / 2 {
		s := plantest.RandomNest(rng)
		o := plan.Options{Ranks: 1 + rng.IntN(3), CPUs: 1 + rng.IntN(2)}
		m := cost.DefaultMachine()
		before, list, err := Choose(t.Context(), s.Nest, s.Params, o, m, cost.LinkTCP)
		if err != nil || before.Empty {
			continue
		}
		var trials []cost.Trial
		var want plan.Options
		least := 2.0
		for range 1 + rng.IntN(4) {
			a := list[rng.IntN(len(list))]
			x := cost.Trial{Nest: s.Nest.Digest, Params: s.Params, Options: a.Options, Link: cost.LinkTCP, Seconds: rng.Float64() + 0.1}
			if x.Seconds < least {
				least, want = x.Seconds, a.Options
			}
			trials = append(trials, x)
		}
		m.SetTrials(s.Nest, s.Params, before.Ranks, before.CPUs, cost.LinkTCP, trials)
		digest := func(p *plan.Plan, _ []Alternative, err error) string {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			return p.Digest()
		}
		same, err := plan.New(s.Nest, s.Params, want)
		if err != nil {
			t.Fatal(err)
		}
		p, list, err := Choose(t.Context(), s.Nest, s.Params, o, m, cost.LinkTCP)
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
		if before.Ranks > 1 && digest(Choose(t.Context(), s.Nest, s.Params, o, m, cost.LinkInproc)) != digest(Choose(t.Context(), s.Nest, s.Params, o, cost.DefaultMachine(), cost.LinkInproc)) {
			t.Fatal("trials over TCP decide on a run within a process")
		}
		more := o
		more.CPUs++
		if digest(Choose(t.Context(), s.Nest, s.Params, more, m, cost.LinkTCP)) != digest(Choose(t.Context(), s.Nest, s.Params, more, cost.DefaultMachine(), cost.LinkTCP)) {
			t.Fatal("trials on fewer CPUs decide")
		}
		if len(s.Params) > 0 {
			others := slices.Clone(s.Params)
			others[0]++
			if p, _, err := Choose(t.Context(), s.Nest, others, o, cost.DefaultMachine(), cost.LinkTCP); err == nil && p.Digest() != digest(Choose(t.Context(), s.Nest, others, o, m, cost.LinkTCP)) {
				t.Fatal("trials with other parameters decide")
			}
		}
		// A grid with open entries excludes nothing.
		open := o
		open.Grid, open.Mesh = make([]int, len(want.Grid)), make([]int, len(want.Mesh))
		if digest(Choose(t.Context(), s.Nest, s.Params, open, m, cost.LinkTCP)) != same.Digest() {
			t.Fatalf("%+v was fastest; it is not chosen if the grid is given as %v", want, open.Grid)
		}
		// Options that exclude the fastest leave it to predictions.
		other := o
		other.Comm = plan.Blocking
		if want.Comm == plan.Blocking {
			other.Comm = plan.Overlap
		}
		if digest(Choose(t.Context(), s.Nest, s.Params, other, m, cost.LinkTCP)) != digest(Choose(t.Context(), s.Nest, s.Params, other, cost.DefaultMachine(), cost.LinkTCP)) {
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
	nest := plantest.BoxNest(plantest.Units(3), "i", "j", "k")
	params := []int{60, 20, 400}
	p, list, err := Choose(t.Context(), nest, params, plan.Options{Ranks: 2}, cost.DefaultMachine(), cost.LinkTCP)
	if err != nil {
		t.Fatal(err)
	}
	m := cost.DefaultMachine()
	last := list[len(list)-1].Options
	trial := func(o plan.Options, seconds float64) cost.Trial {
		return cost.Trial{Nest: nest.Digest, Params: params, Options: o, Link: cost.LinkTCP, Seconds: seconds}
	}
	impossible := last
	impossible.Grid = []int{1, 2}
	m.SetTrials(nest, params, 2, 1, cost.LinkTCP, []cost.Trial{trial(list[0].Options, 5), trial(last, 2), trial(impossible, 1)})
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	read, err := parse(t, text)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := Choose(t.Context(), nest, params, plan.Options{Ranks: 2}, read, cost.LinkTCP)
	if want, _ := plan.New(nest, params, last); err != nil || again.Digest() != want.Digest() || again.Digest() == p.Digest() {
		t.Errorf("%v: chosen is\n%v", err, again)
	}
	read.SetTrials(nest, params, 2, 1, cost.LinkTCP, nil)
	if len(read.Trials) != 0 {
		t.Errorf("trials that are replaced stay: %+v", read.Trials)
	}
	for _, seconds := range []string{"0", "-1", "1e99"} {
		bad := strings.Replace(string(text), `"seconds":5}`, `"seconds":`+seconds+`}`, 1)
		if _, err := parse(t, []byte(bad)); err == nil || !strings.Contains(err.Error(), "trials[0].seconds") {
			t.Errorf("seconds %s: %v", seconds, err)
		}
	}
}

// parse reads a machine from a file with the given content.
func parse(t *testing.T, text []byte) (*cost.Machine, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "machine.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	m, _, err := cost.FindMachine(path)
	return m, err
}
