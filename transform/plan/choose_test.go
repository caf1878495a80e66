package plan_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestOptions requires of random plans that their options make them again.
func TestOptions(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 9))
	same := func(p *plan.Plan) {
		t.Helper()
		again, err := plan.New(p.Nest, p.Params, p.Options())
		if err != nil {
			t.Fatalf("%+v: %v\n%s", p.Options(), err, p)
		}
		if again.Digest() != p.Digest() {
			t.Fatalf("%+v\nmakes\n%snot\n%s", p.Options(), again, p)
		}
		text, err := json.Marshal(p.Options())
		if err != nil {
			t.Fatal(err)
		}
		var o plan.Options
		if err := json.Unmarshal(text, &o); err != nil || !reflect.DeepEqual(o, p.Options()) {
			t.Fatalf("%+v is written %s and read %+v, %v", p.Options(), text, o, err)
		}
	}
	plans := 0
	for plans < 4000 {
		s := plantest.RandomNest(rng)
		o := plantest.RandomOptions(rng, s.Nest)
		if rng.IntN(4) == 0 {
			o.CPUs += rng.IntN(2)
		}
		if p, err := plan.New(s.Nest, s.Params, o); err == nil {
			same(p)
			plans++
		}
		// The same, with a dimension in front that is no loop of the user's.
		if p, err := plan.New(plantest.Levelled(s.Nest), s.Params, plan.Options{Ranks: o.Ranks, CPUs: o.CPUs, Assign: o.Assign, Group: o.Group, Comm: o.Comm}); err == nil {
			same(p)
		}
	}
}

// TestNarrowFirstRefused requires an error for first tiles that there cannot be.
func TestNarrowFirstRefused(t *testing.T) {
	turns := plan.Options{CPUs: 2, Map: "i", Assign: plan.Cyclic, Mesh: []int{1, 2}, Tile: []int{0, 5}}
	for _, c := range []struct {
		change func(o *plan.Options)
		want   string
	}{
		{func(o *plan.Options) { o.First = []int{0, 3} }, ""},
		{func(o *plan.Options) { o.First = []int{0, 5} }, ""},
		{func(o *plan.Options) { o.First = []int{0, 6} }, "the side of tiles is 5"},
		{func(o *plan.Options) { o.First = []int{0, -1} }, "first: -1 is negative"},
		{func(o *plan.Options) { o.First = []int{3} }, "first has 1 entry"},
		{func(o *plan.Options) { o.First = []int{3, 0} }, "only where CPUs of one rank take tiles in turn"},
		{func(o *plan.Options) { o.First, o.Assign, o.Mesh, o.Map = []int{0, 3}, plan.Any, nil, "" }, ""},
		{func(o *plan.Options) { o.First, o.Assign = []int{0, 3}, plan.Cluster }, "only where CPUs of one rank take tiles in turn"},
		{func(o *plan.Options) { o.First, o.Mesh, o.CPUs = []int{0, 3}, nil, 1 }, "only where CPUs of one rank take tiles in turn"},
	} {
		o := turns
		c.change(&o)
		p, err := plan.New(plantest.BoxNest([][]int{{1, 0}, {0, 1}}, "i", "j"), []int{20, 21}, o)
		switch {
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)), err == nil && c.want != "":
			t.Errorf("%v: %v, want %q", o.First, err, c.want)
		case err == nil && (p.Tiles[1] != map[int]int{3: 5, 5: 5}[o.First[1]] || p.FirstSide(1) != o.First[1]):
			t.Errorf("%v: %s", o.First, p)
		}
	}
}
