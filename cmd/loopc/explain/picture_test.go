package explain

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/transform"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// TestTilesDrawn counts the elements of pictures of two dimensions: one polygon for
// each tile that has iterations, and the steps that the plan has.
func TestTilesDrawn(t *testing.T) {
	path := regexp.MustCompile(`<path d="([^"]*)" class="tile[^"]*" data-s="(\d+)"`)
	seen, partial := 0, 0
	nests(t, 250, func(s *Subject, _ *rand.Rand) {
		p := s.Plan
		if p.Empty || len(p.Tiles) != 2 || p.Tiles[0] > mostAcross || p.Tiles[1] > mostAcross {
			return
		}
		want := map[int]int{} // tiles by step
		least := 1 << 30
		lo, hi := make([]int, 2), make([]int, 2)
		var steps []int
		for c := range p.Columns() {
			col := make([]int, 2)
			p.ColumnAt(c, col)
			for k := range p.Tiles[p.Map] {
				if p.PointsBox(col, k, lo, hi) {
					steps = append(steps, p.StepOf(col, k))
					least = min(least, steps[len(steps)-1])
				}
			}
		}
		for _, s := range steps {
			want[s-least]++
		}
		drawing, note, _ := spacePicture(p)
		got := map[int]int{}
		for _, m := range path.FindAllStringSubmatch(string(drawing), -1) {
			step, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			got[step] += strings.Count(m[1], "z")
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || note != "" {
			t.Errorf("drawn are %v, want %v, note %q", got, want, note)
		}
		seen++
		if len(steps) < p.Tiles[0]*p.Tiles[1] {
			partial++
		}
	})
	if seen < 30 || partial < 5 {
		t.Errorf("%d spaces, %d with tiles left out: the test proves little", seen, partial)
	}
}

// TestBoxesDrawn counts the faces of a box of tiles that can be seen.
func TestBoxesDrawn(t *testing.T) {
	s := subject(t, "pipeline.loop", example(t, "pipeline/pipeline.loop"), []int{12, 20, 60}, plan.Options{Ranks: 4, CPUs: 1, Tile: []int{3, 4, 5}, Map: "k"})
	drawing, note, last := spacePicture(s.Plan)
	a, b, c := 4, 5, 12
	if got, want := strings.Count(string(drawing), `class="tile`), a*b+b*c+c*a; got != want {
		t.Errorf("%d faces are drawn, want %d", got, want)
	}
	if note != "" || last != s.Plan.Steps()-1 {
		t.Errorf("the last step is %d of %d, note %q", last, s.Plan.Steps(), note)
	}
}

// TestArrows compares the arrows between ranks with the traffic of the plan between ranks. Traffic
// within a rank must have no arrow.
func TestArrows(t *testing.T) {
	s := subject(t, "editdistance.loop", example(t, "editdistance/editdistance.loop"), []int{400, 320}, plan.Options{Ranks: 3, CPUs: 2, Tile: []int{16, 10}, Map: "i", Assign: plan.Cyclic})
	p := s.Plan
	sum, inside := map[[2]int]int64{}, int64(0)
	for _, e := range p.Edges() {
		st, ok := p.Stream(&e)
		if !ok {
			continue
		}
		first, last := st.Tiles()
		for k := first; k <= last; k++ {
			if b := int64(st.Face(k).Bytes); e.Remote() {
				sum[e.Rank] += b
			} else {
				inside += b
			}
		}
	}
	if len(sum) != 3 || inside == 0 || sum[[2]int{2, 0}] == 0 {
		t.Fatalf("cyclic ranks exchange %v, and %d bytes stay", sum, inside)
	}
	drawing, note := meshPicture(p)
	for pair, b := range sum {
		if !strings.Contains(string(drawing), ">"+lengthText(b)+"</text>") {
			t.Errorf("no arrow for the %s of %v", lengthText(b), pair)
		}
	}
	if got := strings.Count(string(drawing), `flow head`); got != len(sum) || note != "" {
		t.Errorf("%d arrows for %d pairs of ranks, note %q", got, len(sum), note)
	}
}

// TestTurnedVectors draws dependences of a nest whose tiling matrix is not
// triangular: as written they stand on axes that are loops, and no loop is said to
// be skewed.
func TestTurnedVectors(t *testing.T) {
	const text = "param T, N = 8, 30\narray u[0..N+1] float64 inout\nfor t = 1..T, i = 1..N {\n\tu[i] = 0.25*u[i-1] + 0.5*u[i] + 0.25*u[i+1]\n}\n"
	nest, diags := frontend.Compile("wave.loop", []byte(text))
	if diag.HasErrors(diags) {
		t.Fatal(diags)
	}
	h, err := transform.ParseTiling("2,1;1,1")
	if err != nil {
		t.Fatal(err)
	}
	_, lowered, diags := transform.LowerTiled(nest, h)
	if diag.HasErrors(diags) {
		t.Fatal(diags)
	}
	if lowered.Triangular() {
		t.Fatal("the matrix is triangular: the test proves nothing")
	}
	s := &Subject{File: "wave.loop", Nest: nest, Plan: &plan.Plan{Nest: lowered}, Machine: cost.DefaultMachine(), Link: cost.LinkTCP}
	for _, along := range lowered.Dims {
		s.plan(t, []int{8, 30}, plan.Options{Ranks: 2, CPUs: 1, Map: along})
		r := New(s)
		written, turned := vectorsText(r, s.Plan, false), vectorsText(r, s.Plan, true)
		if !strings.Contains(written, ">t</text>") || !strings.Contains(written, ">i</text>") || strings.Index(written, ">t</text>") > strings.Index(written, ">i</text>") {
			t.Errorf("along %s: axes as written are not t and i: %s", along, written)
		}
		for _, name := range lowered.Dims {
			if !strings.Contains(turned, ">"+name+"</text>") {
				t.Errorf("along %s: no axis %s: %s", along, name, turned)
			}
		}
		for _, d := range r.Dependences {
			if len(d.Skews) > 0 {
				t.Errorf("%v is said to force a skew of %v", d.Distance, d.Skews)
			}
		}
	}
}

// TestIndependentTiles draws nests along a dimension that no dependence crosses:
// tiles that may run at once have one step, and the schedule says so.
func TestIndependentTiles(t *testing.T) {
	step := regexp.MustCompile(`data-s="(\d+)"`)
	for _, c := range []struct {
		read  string // beside which j is linked, or nothing
		along string
		steps int
	}{
		{"u[i,j]", "j", 1},
		{"u[i,j-1]", "j", 1},
		{"u[i,j]", "i", 1},
		{"u[i-1,j]", "j", 11}, // linked: two steps from rank to rank, one between CPUs
	} {
		text := "param N = 400\narray u[-1..N, -1..N] float64 inout\nfor i = 0..N, j = 0..N {\n\tu[i,j] = 0.5*" + c.read + "\n}\n"
		s := subject(t, "free.loop", text, []int{400}, plan.Options{Ranks: 4, CPUs: 2, Map: c.along, Tile: []int{51, 401}, Comm: plan.Overlap})
		if c.along == "i" {
			s.plan(t, []int{400}, plan.Options{Ranks: 4, CPUs: 2, Map: c.along, Tile: []int{401, 51}, Comm: plan.Overlap})
		}
		drawing, _, last := spacePicture(s.Plan)
		seen := map[string]bool{}
		for _, m := range step.FindAllStringSubmatch(string(drawing), -1) {
			seen[m[1]] = true
		}
		r := New(s)
		if last != c.steps-1 || r.Steps != c.steps || len(seen) != min(c.steps, 8) {
			t.Errorf("%s along %s: drawn are steps %v, the last is %d, of %d; want %d", c.read, c.along, seen, last, r.Steps, c.steps)
		}
		if free := c.steps == 1; free != slices.Contains(r.Grouping.Pi, 0) || free != (len(r.Closed) == 0) {
			t.Errorf("%s along %s: Π^G is %v, closed forms are %v", c.read, c.along, r.Grouping.Pi, r.Closed)
		}
	}
}

func vectorsText(r *Report, p *plan.Plan, skewed bool) string {
	drawing, _ := vectorsPicture(r, p, skewed)
	return string(drawing)
}
