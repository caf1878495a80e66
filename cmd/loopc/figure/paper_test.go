package figure

import (
	"math"
	"testing"

	"loopc/transform/paper"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

func near(a, b, part float64) bool { return math.Abs(a-b) <= part*max(math.Abs(a), math.Abs(b)) }

// predicted simulates a run, or fails.
func predicted(t *testing.T, r run) (cost.Prediction, *plan.Plan) {
	t.Helper()
	got, p, err := r.predict()
	if err != nil {
		t.Fatal(err)
	}
	return got, p
}

// TestAssumptions uses the papers' assumptions: a tile takes a step; a face takes one more step if
// communication is overlapped, else its time counts apart. Then runs of the figures' layouts take
// as many steps as the closed forms: [P2] (1) and (2) with enough nodes, cyclic (3), (4) and retile
// (9), (10). The simulations of mirror and cluster are never later than their own closed forms, (5)
// to (8), and sometimes earlier.
func TestAssumptions(t *testing.T) {
	early := 0
	for _, l := range []layout{
		layout6, layout8,
		{6, 4, []int{1, 3, 2}, []int{1, 2, 2}, nil}, // a node for every group
	} {
		for _, u1 := range []int{16, 40} {
			for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
				ideal := cluster{name: "a step for each tile", point: 1.0 / (tileHeight * tileWidth * tileWidth)}
				if comm == plan.Overlap {
					ideal.latency = 1
				}
				for _, a := range assigned {
					r := l.run(u1, a, comm)
					r.cluster = &ideal
					got, _ := predicted(t, r)
					s := paper.TileSpace{U: []int{u1, l.u2, l.u3}, M: l.cpu, P: l.nodes}
					want := float64(s.Makespan(a, comm))
					switch a {
					case plan.Cyclic, plan.Retile:
						if !near(got.Seconds, want, 1e-6) {
							t.Errorf("u_1 = %d, %s, %s: %g steps simulated, %g in theory", u1, a, comm, got.Seconds, want)
						}
					default:
						if got.Seconds > want*(1+1e-6) {
							t.Errorf("u_1 = %d, %s, %s: %g steps simulated, %g in theory", u1, a, comm, got.Seconds, want)
						}
						if got.Seconds < want-0.5 {
							early++
						}
					}
					if s.W() == 1 && !near(got.Seconds, float64(s.EnoughNodes(plan.Hyperplane, comm)), 1e-6) {
						t.Errorf("u_1 = %d, %s, %s with enough nodes: %g steps", u1, a, comm, got.Seconds)
					}
				}
			}
		}
	}
	if early == 0 {
		t.Error("mirror and cluster are nowhere early")
	}
}

// TestEfficiencyLimits lets u_1 grow. With overlap, the efficiency tends to the part of the
// mesh's places that have a column, or to 1 for retile. Without overlap, the part of a step
// that is not communication is a further factor.
func TestEfficiencyLimits(t *testing.T) {
	const long = 4096
	for _, l := range []layout{layout8, layout9} {
		taken := float64(l.u2*l.u3) / float64(l.workers()) // columns per CPU
		places := float64(plan.CeilDiv(l.u2, 8) * plan.CeilDiv(l.u3, 8))
		for _, a := range assigned {
			limit := taken / places
			if a == plan.Retile {
				limit = 1
			}
			best := long * taken * l.tile()
			if e := best / l.theory(long, a, plan.Overlap); !near(e, limit, 0.01) {
				t.Errorf("u_1 × %d × %d, %s, theory: %g, want %g", l.u2, l.u3, a, e, limit)
			}
			share := paper.TileSpace{U: []int{long, l.u2, l.u3}, M: l.cpu, P: l.nodes}.StepShare(a)
			if a == plan.Cluster {
				share /= places
			}
			if e, want := best/l.theory(long, a, plan.Blocking), limit*l.tile()/(l.tile()+share*l.communicate()); !near(e, want, 0.01) {
				t.Errorf("u_1 × %d × %d, %s, blocking, theory: %g, want %g", l.u2, l.u3, a, e, want)
			}
		}
	}
	// Simulated, for one of each kind: a million tiles.
	for _, c := range []struct {
		a     plan.Assign
		comm  plan.Comm
		limit float64
	}{
		{plan.Retile, plan.Overlap, 1},
		{plan.Mirror, plan.Overlap, 1},
		// A CPU at the far corner of a node waits only for its own faces, half of the node's.
		{plan.Cyclic, plan.Blocking, layout8.tile() / (layout8.tile() + layout8.communicate()/2)},
	} {
		got, _ := predicted(t, layout8.run(long, c.a, c.comm))
		if e := long * 4 * layout8.tile() / got.Seconds; !near(e, c.limit, 0.01) {
			t.Errorf("%s, %s: %g simulated, want %g", c.a, c.comm, e, c.limit)
		}
	}
}

// TestOrder is section 5 of [P2]: retile is best; else cyclic if communication
// overlaps, and in long spaces cluster if not. Both kinds of numbers must agree.
func TestOrder(t *testing.T) {
	for _, name := range []string{"P2.6", "P2.8", "P2.9"} {
		f := built(t, name)
		for i := range f.Panels {
			for _, kind := range []Kind{Theory, Simulated} {
				series := func(a plan.Assign) *Series { return f.Panels[i].series(a.String(), kind) }
				retile := series(plan.Retile)
				for k, p := range retile.Points {
					for _, a := range assigned {
						if e := series(a).Points[k].Y; e > p.Y*(1+1e-9) {
							t.Errorf("%s, %s, u_1 = %g: %s has %g, retile %g", name, kind, p.X, a, e, p.Y)
						}
					}
					cyclic, cluster, mirror := series(plan.Cyclic).Points[k].Y, series(plan.Cluster).Points[k].Y, series(plan.Mirror).Points[k].Y
					last := k == len(retile.Points)-1
					if i == 0 && cyclic <= max(cluster, mirror) {
						t.Errorf("%s, %s, u_1 = %g: overlapped, cyclic has %g, cluster %g, mirror %g", name, kind, p.X, cyclic, cluster, mirror)
					}
					if i == 1 && last && cluster <= max(cyclic, mirror) {
						t.Errorf("%s, %s, u_1 = %g: blocking, cyclic has %g, cluster %g, mirror %g", name, kind, p.X, cyclic, cluster, mirror)
					}
				}
			}
		}
	}
}

// TestShift checks an observation of [P2] section 4.3 on figure 8: the cluster's curve is the curve
// of retile, moved along the axis by the factor W in u_1.
func TestShift(t *testing.T) {
	p := overlapped(built(t, "P2.8"))
	retile, cluster := p.series("retile", Theory), p.series("cluster", Theory)
	compared := 0
	for _, at := range retile.Points {
		if 4*at.X > 512 {
			continue
		}
		compared++
		if got := cluster.at(4 * at.X); !near(got, at.Y, 1e-12) {
			t.Errorf("retile has %g at %g, cluster %g at four times that", at.Y, at.X, got)
		}
	}
	if compared < 5 {
		t.Errorf("%d points", compared)
	}
	if theory := p.series("cyclic", Theory); theory.at(64) != retile.at(64) {
		t.Error("cyclic is not retile")
	}
}

// TestVolumes compares the volumes sent by the runs of figure 6 with figure 7 of [P2].
func TestVolumes(t *testing.T) {
	var sent []int64
	for _, a := range assigned {
		got, p := predicted(t, layout6.run(16, a, plan.Overlap))
		if _, bytes, _ := cost.Volume(p); bytes != got.Bytes {
			t.Errorf("%s: %d bytes simulated, %d planned", a, got.Bytes, bytes)
		}
		sent = append(sent, got.Bytes)
	}
	one := int64(16 * tileHeight * 4 * tileWidth * floatBytes) // the faces that four neighboring columns send in one direction
	for i, want := range []int64{3, 2, 1, 1} {
		if sent[i] != want*one {
			t.Errorf("%s sends %d bytes, want %d columns of faces of %d", assigned[i], sent[i], want, one)
		}
	}
}

// TestEquationOne has points of the theoretical curve of [P1] figures 13 and 14 by
// hand: (3X/2x + 2Y/x + Z/z - 4)·(100 µs + x²·z·39.6 ns).
func TestEquationOne(t *testing.T) {
	hyperplane := built(t, "P1.13").Panels[0].series("overlapping + hyperplane", Theory)
	for _, z := range []float64{256, 4096, 32768} {
		want := (6 + 8 + 1048576/z - 4) * (100e-6 + 16*z*39.6e-9)
		if got := hyperplane.at(z); !near(got, want, 1e-9) {
			t.Errorf("z = %g: %g s, want %g", z, got, want)
		}
	}
	// [P1] 4.6 in three dimensions: nodes of two CPUs, 2 × 4 of them.
	c := experiment{16, 1 << 20, nil}
	a := 16 * 4096 * 39.6e-9
	b := a + 2*math.Sqrt(a*11e-6)
	send := 3 * 4 * 4096 * 4 / 85e6
	for s, want := range map[scheme]float64{
		{plan.Vertical, plan.Blocking}:   (256 + 2 + 4 - 2) * (b + 100e-6 + send),
		{plan.Vertical, plan.Overlap}:    (256 + 4 + 8 - 4) * (100e-6 + b),
		{plan.Hyperplane, plan.Overlap}:  (256 + 10) * (100e-6 + a),
		{plan.Hyperplane, plan.Blocking}: (256 + 4 + 4 - 2) * (a + 100e-6 + send),
	} {
		if got := c.theory(4096, s); !near(got, want, 1e-9) {
			t.Errorf("%s: %g s, want %g", s, got, want)
		}
	}
}

// TestSchemes checks the conclusions of [P1] from its figures: hyperplane groups with overlap have
// the least time, and overlap is faster than blocking at every height.
func TestSchemes(t *testing.T) {
	for _, name := range []string{"P1.13", "P1.14"} {
		p := &built(t, name).Panels[0]
		for _, kind := range []Kind{Theory, Simulated} {
			blocking, vertical, hyperplane := p.series(schemes[0].String(), kind), p.series(schemes[1].String(), kind), p.series(schemes[2].String(), kind)
			if !(hyperplane.least().Y < vertical.least().Y && vertical.least().Y < blocking.least().Y) {
				t.Errorf("%s, %s: least times %g, %g, %g", name, kind, hyperplane.least().Y, vertical.least().Y, blocking.least().Y)
			}
			for i, b := range blocking.Points {
				if v := vertical.Points[i]; v.Y >= b.Y {
					t.Errorf("%s, %s, z = %g: %g s overlapping, %g s blocking", name, kind, b.X, v.Y, b.Y)
				}
			}
			// Neither end of the axis is best: the trade-off that the figures show.
			if x := hyperplane.least().X; x == hyperplane.Points[0].X || x == hyperplane.Points[len(hyperplane.Points)-1].X {
				t.Errorf("%s, %s: the best height is at the end, %g", name, kind, x)
			}
		}
	}
}

// TestPublishedGrids compares grids with those in the text of [P3], and requires that the
// planner's options choose the grids of the figures.
func TestPublishedGrids(t *testing.T) {
	names := func(d []paper.Domain, processes int) (out []string) {
		for i := range d {
			out = append(out, gridName(d[i].Grid(processes, plan.ShapeCommunication)))
		}
		return out
	}
	got := names(set1(1, 1), 12)
	for i, want := range []string{"1x12", "1x12", "2x6", "3x4", "3x4"} { // 2x6 ties with 3x4 at X = 128
		if got[i] != want {
			t.Errorf("ADI on 12 processes, space %d: %s, want %s", i, got[i], want)
		}
	}
	for _, f := range []family{
		{"ADI", set1(1, 1), 2, 16, nil}, {"ADI", set1(1, 1), 2, 12, nil}, {"XYT", set1(3, 3), 1, 16, nil},
		{"XYT", set2(3, 3), 1, 16, nil}, {"TXY", set2(1, 3), 1, 16, nil},
	} {
		for _, d := range f.domains {
			for _, by := range []plan.Shape{plan.ShapeScheduling, plan.ShapeCommunication} {
				want := d.Grid(f.processes, by)
				r := f.run(d, want, 1, 64)
				r.options.Grid, r.options.Ranks, r.options.Shape = nil, f.processes, by
				p, err := plan.New(r.nest, nil, r.options)
				if err != nil {
					t.Fatal(err)
				}
				if got := gridName(p.Grid[:2]); got != gridName(want) {
					t.Errorf("%s, %s, %s: the planner takes %s, the figure %s", f.kernel, sides(d), by, got, gridName(want))
				}
			}
		}
	}
}

// TestGains compares the gains of [P3] with the reported ones. The sign must agree, and the size to
// seven percentage points; gains must be larger for diffusion than for ADI, and zero if both grids
// are the same.
func TestGains(t *testing.T) {
	reported := 0
	for _, name := range []string{"P3.2", "P3.3", "P3.5", "P3.6", "P3.7"} {
		f := built(t, name)
		p := &f.Panels[0]
		for i := range f.Bars.Categories {
			same := f.Bars.Over[i][0] == f.Bars.Over[i][1]
			for _, kind := range []Kind{Theory, Simulated} {
				y := p.series(communicationAware, kind).at(float64(i))
				if same && y != 1 || !same && y >= 1 {
					t.Errorf("%s, %s, %s: time %g on %s against %s", name, kind, f.Bars.Categories[i], y, f.Bars.Over[i][1], f.Bars.Over[i][0])
				}
			}
		}
		if s := p.series(communicationAware, Reported); s != nil {
			for _, at := range s.Points {
				reported++
				if y := p.series(communicationAware, Simulated).at(at.X); math.Abs(y-at.Y) > 0.07 {
					t.Errorf("%s, %s: %.3f simulated, %.2f reported", name, f.Bars.Categories[int(at.X)], y, at.Y)
				}
			}
		}
	}
	if reported != 7 {
		t.Errorf("%d reported gains, want 7", reported)
	}
	adi, diffusion := built(t, "P3.2").Panels[0], built(t, "P3.5").Panels[0]
	for i := range 3 {
		if a, d := adi.series(communicationAware, Simulated).Points[i].Y, diffusion.series(communicationAware, Simulated).Points[i].Y; d >= a {
			t.Errorf("space %d: diffusion takes %g, ADI %g", i, d, a)
		}
	}
	// The published remark on ties: within a percent of one another.
	for _, c := range []struct {
		f    family
		a, b []int
	}{
		{family{"ADI", set1(1, 1), 2, 12, nil}, []int{3, 4}, []int{2, 6}},
		{family{"XYT", set1(3, 3), 1, 16, nil}, []int{4, 4}, []int{2, 8}},
	} {
		x, _, err := c.f.best(Simulated, c.f.domains[3], c.a, 1)
		if err != nil {
			t.Fatal(err)
		}
		y, _, err := c.f.best(Simulated, c.f.domains[3], c.b, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !near(x, y, 0.01) {
			t.Errorf("%s: %g s on %v, %g s on %v", c.f.kernel, x, c.a, y, c.b)
		}
	}
}

// TestGridsNeverLater checks that the runs behind the bars are never later than their closed
// forms, at a few heights. TestNeverLater cannot check bars, because bars are normalized.
func TestGridsNeverLater(t *testing.T) {
	for _, f := range []family{{"ADI", set1(1, 1), 2, 12, nil}, {"TXY", set2(1, 3), 1, 16, nil}} {
		for _, d := range f.domains {
			for _, by := range []plan.Shape{plan.ShapeScheduling, plan.ShapeCommunication} {
				grid := d.Grid(f.processes, by)
				for _, height := range []int{32, 128} {
					got, err := f.time(Simulated, d, grid, 1, height)
					if err != nil {
						t.Fatal(err)
					}
					if theory := f.theory(d, grid, height); got > theory*(1+1e-9) || got < theory/2 {
						t.Errorf("%s, %s on %v, height %d: %g s simulated, %g in theory", f.kernel, sides(d), grid, height, got, theory)
					}
				}
			}
		}
	}
}

// TestPublishedVolumes is the example of [P3] section 3.2: X = 4Y, dependences of
// length 2, 16 processes. The planned messages of the two grids are 6XT + 6YT and
// 2XT + 14YT, 27 % less. The tiles run in 6 + T/p and 8 + T/p steps, counted from 1.
func TestPublishedVolumes(t *testing.T) {
	const x, y, z, height = 128, 32, 64, 8
	f := family{"example", []paper.Domain{{X: []int{x, y}, D: []int{2, 2}, Z: z}}, 1, 16, nil}
	volume := func(by plan.Shape, grid string, steps int) int64 {
		r := f.run(f.domains[0], nil, 2, height)
		r.options.Grid, r.options.Ranks, r.options.Shape = nil, 16, by
		got, p := predicted(t, r)
		if gridName(p.Grid[:2]) != grid {
			t.Errorf("%s: grid %v, want %s", by, p.Grid, grid)
		}
		// Coordinates from 1 make the last step 8 + T/p; (1, 1, 1) is in step 3.
		if got.Steps != steps+z/height-2 {
			t.Errorf("%s: %d steps, want %d", by, got.Steps, steps+z/height-2)
		}
		return got.Bytes / floatBytes
	}
	square, long := volume(plan.ShapeScheduling, "4x4", 8), volume(plan.ShapeCommunication, "8x2", 10)
	if square != 6*x*z+6*y*z || long != 2*x*z+14*y*z {
		t.Errorf("%d and %d elements, want %d and %d", square, long, 6*x*z+6*y*z, 2*x*z+14*y*z)
	}
	if less := 1 - float64(long)/float64(square); math.Abs(less-0.27) > 0.005 {
		t.Errorf("%.3f less, want 27 %%", less)
	}
}
