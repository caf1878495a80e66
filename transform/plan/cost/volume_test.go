package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// stepsWalked is Steps, column by column.
func stepsWalked(p *plan.Plan) int {
	n := len(p.Tiles)
	col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
	least, most := math.MaxInt/2, -1
	for c := range p.Columns() {
		p.ColumnAt(c, col)
		if first, last := p.Active(col, lo, hi); first <= last {
			least, most = min(least, p.StepOf(col, first)), max(most, p.StepOf(col, last))
		}
	}
	return max(0, most-least+1)
}

// volumeWalked is Volume, tile by tile.
func volumeWalked(p *plan.Plan) (messages, bytes int64) {
	for _, e := range p.Edges() {
		s, ok := p.Stream(&e)
		if !ok || !e.Remote() {
			continue
		}
		first, last := s.Tiles()
		for k := first; k <= last; k++ {
			f := s.Face(k)
			bytes += int64(f.Bytes)
			if f.Ends {
				messages++
			}
		}
	}
	return messages, bytes
}

// TestStepsAndVolume compares both with those that are found column by column and tile by
// tile, for random plans.
func TestStepsAndVolume(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 4))
	boxes, oblique := 0, 0
	for plans := 0; plans < 20000; {
		s := plantest.RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, plantest.RandomOptions(rng, s.Nest))
		if err != nil || p.Empty {
			continue
		}
		plans++
		if got, want := p.Steps(), stepsWalked(p); got != want {
			t.Fatalf("%d steps, want %d\n%s", got, want, p)
		}
		wantMessages, wantBytes := volumeWalked(p)
		messages, bytes, exact := Volume(p)
		if !exact || messages != wantMessages || bytes != wantBytes {
			t.Fatalf("%d messages and %d bytes (exact: %v), want %d and %d\n%s", messages, bytes, exact, wantMessages, wantBytes, p)
		}
		if bytes > 0 && p.Space.BoxInside(p.Lo, p.Hi) {
			boxes++
		} else if bytes > 0 {
			oblique++
		}
	}
	if boxes < 500 || oblique < 500 {
		t.Errorf("%d boxes and %d other spaces have messages: too few to tell anything", boxes, oblique)
	}
}

// TestHugeRuns requires plans, with all left to the planner, where there are more
// workers than columns that a run can have, and that sub-tiles are no more than
// iterations.
func TestHugeRuns(t *testing.T) {
	p, err := plan.New(plantest.BoxNest(plantest.Units(3), "i", "j", "k"), []int{1e5, 1e6, 1e6}, plan.Options{Ranks: 100000, CPUs: 64})
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Columns(); c > 1<<20 || c < 1<<19 {
		t.Errorf("%d columns for 6,400,000 CPUs", c)
	}
	p, err = plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{10, 10}, plan.Options{Ranks: 2, Map: "i", Tile: []int{10, 5}, Group: plan.Vertical, Sub: 1 << 48})
	if err != nil {
		t.Fatal(err)
	}
	if p.Sub != 10 || p.Side[0] != 1 {
		t.Errorf("%d sub-tiles %d high of a tile of 10 iterations", p.Sub, p.Side[0])
	}
	if m, _, _ := Volume(p); m != 1 {
		t.Errorf("%d messages", m)
	}
}

// TestEmpty requires of a space without iterations that nothing is run, sent or
// written.
func TestEmpty(t *testing.T) {
	p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{0, 5}, plan.Options{Ranks: 3, CPUs: 2})
	if err != nil {
		t.Fatal(err)
	}
	points, exact := p.Points()
	if !p.Empty || p.Steps() != 0 || p.Edges() != nil || len(p.WorkerColumns(0, 0)) != 0 || points != 0 || !exact || p.Check() != nil {
		t.Errorf("an empty space: %+v", p)
	}
	if _, _, ok := p.ResultBox(0, 0); ok {
		t.Error("rank 0 writes cells")
	}
	if _, ok := p.Writer(0, []int{0, 0}); ok {
		t.Error("a cell has a writer")
	}
	if got, want := p.String(), "parameters      Ni = 0, Nj = 5\niterations      none\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAssignmentVolumes is the count of section 4 of [P2]: two nodes along one
// dimension with G columns of groups send G - 1 : ⌊G/2⌋ : 1 : 1 columns of faces
// when columns are assigned cyclicly, mirrored, in clusters, or tiled again.
func TestAssignmentVolumes(t *testing.T) {
	const high = 10 // iterations of a column of faces, of 8 bytes each
	for g := 2; g <= 9; g++ {
		for _, m := range []int{1, 2} {
			for assign, want := range map[plan.Assign]int{plan.Cyclic: g - 1, plan.Mirror: g / 2, plan.Cluster: 1, plan.Retile: 1} {
				p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{high, g * m}, plan.Options{Tile: []int{1, 1}, Grid: []int{1, 2}, Mesh: []int{1, m}, Map: "i", Assign: assign})
				if err != nil {
					t.Fatal(err)
				}
				if _, bytes, _ := Volume(p); bytes != int64(want*high*8) {
					t.Errorf("%s, %d columns of groups of %d: %d bytes, want %d columns of faces", assign, g, m, bytes, want)
				}
			}
		}
	}
}

// TestFacesAreThin requires that faces hold nothing that no neighbor could need,
// are consistent with their lengths, and fit their slots.
func TestFacesAreThin(t *testing.T) {
	full := 0
	plantest.RandomPlans(t, 4, 600, func(_ *rand.Rand, s plantest.Tiled) {
		p := s.Plan
		n := len(p.Side)
		lo, hi := make([]int, n), make([]int, n)
		var messages, bytes int64
		for _, e := range p.Edges() {
			from, to := make([]int, n), make([]int, n)
			p.ColumnAt(e.From, from)
			p.ColumnAt(e.To, to)
			dir := &p.Directions()[e.Dir]
			first, last := p.Active(to, lo, hi)
			message := -1
			for k := range p.Tiles[p.Map] {
				want := 0
				for v := range dir.Width {
					if !(p.PointsBox(from, k, lo, hi) && p.FaceBox(from, dir, v, lo, hi)) {
						continue
					}
					want += plan.BoxCells(lo, hi) * s.Nest.Arrays[v].Size
					for x, step := range dir.Step {
						end := p.Origin[x] + (from[x]+1)*p.Side[x] - 1
						if step == 1 && (lo[x] <= end-p.HaloWidth[x] || hi[x] > end) {
							t.Fatalf("%s: face %v..%v of a tile that ends at %d along %d", p, lo, hi, end, x)
						}
					}
				}
				if got := p.FaceBytes(from, k, dir, lo, hi); got != want {
					t.Fatalf("%s: FaceBytes = %d, the boxes have %d", p, got, want)
				}
				if c := p.MessageCapacity(dir, false); want > c {
					t.Fatalf("%s: a face of %d bytes, slots of %d", p, want, c)
				} else if want == c {
					full++
				}
				got, ok := plantest.Sends(p, from, k, dir, first, last, lo, hi)
				if should := want > 0 && k >= first && k <= last; ok != should || ok && got != want {
					t.Fatalf("%s: Sends = %d, %t; the face has %d bytes, tiles %d..%d receive, this is %d", p, got, ok, want, first, last, k)
				}
				if ok && e.Remote() {
					bytes += int64(want)
					if m := k / p.Sub; m != message {
						messages, message = messages+1, m
					}
				}
			}
		}
		if m, b, _ := Volume(p); m != messages || b != bytes {
			t.Fatalf("%s: Volume = %d, %d; the faces are %d, %d", p, m, b, messages, bytes)
		}
	})
	if full == 0 {
		t.Error("no face filled its slot")
	}
}

// TestText checks the description of a plan, warnings included.
func TestText(t *testing.T) {
	p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), []int{20, 6}, plan.Options{Tile: []int{5, 2}, Map: "i", Ranks: 4, Comm: plan.Blocking})
	if err != nil {
		t.Fatal(err)
	}
	const want = `parameters      Ni = 20, Nj = 6
tile            5 × 2 iterations, 4 × 3 tiles
mapping         tiles along i share a worker; 3 columns
ranks           4 ranks as 1 × 3, 1 CPU each as 1 × 1
schedule        blocking, retile, hyperplane grouping, 6 steps
messages        8 between ranks, 320 bytes
warning         3 columns of tiles on 4 ranks: 1 rank stays idle
`
	if got := Describe(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
