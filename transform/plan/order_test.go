package plan_test

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

var orderPlans = flag.Int("order-plans", 3000, "random plans whose order is checked")

// TestOrder requires of random plans, non-rectangular spaces among them, that
// every tile, message and slot comes in an order that can be kept.
func TestOrder(t *testing.T) {
	kinds := map[string]int{}
	plantest.RandomPlans(t, 21, *orderPlans, func(_ *rand.Rand, s plantest.Tiled) {
		p := s.Plan
		if err := p.CheckOrder(nil); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if !p.Empty && p.Columns() > plan.Product(p.Grid)*plan.Product(p.Mesh) {
			kinds[p.Assign.String()+" "+p.Group.String()+" "+p.Comm.String()]++
		}
	})
	// Retile has as many columns as workers.
	if len(kinds) != (len(plan.Assign(plan.Any).All())-1)*len(plan.Group(plan.Any).All())*len(plan.Comm(plan.Any).All()) {
		t.Errorf("only these were seen with more columns than workers: %v", kinds)
	}
}

// TestOrderPapersOffset shows that [P2] (3) breaks a dependence where its
// condition fails: u = (7, 7), m = 2, p = 3, offset u_1; and that the offset of
// the plan, the least that keeps every dependence, is longer.
func TestOrderPapersOffset(t *testing.T) {
	p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{7, 7}, plan.Options{Tile: []int{1, 1}, Map: "i", Grid: []int{1, 3}, Mesh: []int{1, 2}, Assign: plan.Cyclic, Comm: plan.Overlap})
	if err != nil {
		t.Fatal(err)
	}
	if p.Offset != 9 {
		t.Errorf("offset %d, want (m+1)·p = 9", p.Offset)
	}
	for p.Offset = 7; p.Offset < 9; p.Offset++ {
		if err := p.CheckOrder(nil); err == nil || !strings.Contains(err.Error(), "reads at step") {
			t.Errorf("offset %d: %v", p.Offset, err)
		}
	}
	if err := p.CheckOrder(nil); err != nil {
		t.Error(err)
	}
}

// TestOrderFinds plants what CheckOrder must find.
func TestOrderFinds(t *testing.T) {
	make := func(o plan.Options) *plan.Plan {
		o.Tile, o.Map = []int{1, 1}, "i"
		p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 8}, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CheckOrder(nil); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		name  string
		plan  *plan.Plan
		plant func(*plan.Plan)
		want  string
	}{
		{"rounds that meet", make(plan.Options{Ranks: 2, Assign: plan.Mirror}), func(p *plan.Plan) { p.Offset = 8 }, "though it was at step"},
		{"steps of blocking communication", make(plan.Options{Ranks: 2, Assign: plan.Cyclic}), func(p *plan.Plan) { p.Offset = 4; p.Tiles[0] = 3; p.Hi[0] = p.Lo[0] + 2; p.Offset = 3 }, "reads at step"},
	} {
		c.plant(c.plan)
		if err := c.plan.CheckOrder(nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	cyclic := make(plan.Options{Ranks: 2, Assign: plan.Cyclic})
	for _, slots := range []int{0, 3} {
		err := cyclic.CheckOrder(func(plan.EdgeOf) int { return slots })
		if err == nil || !strings.Contains(err.Error(), "packs a message") {
			t.Errorf("%d slots: %v", slots, err)
		}
	}
}
