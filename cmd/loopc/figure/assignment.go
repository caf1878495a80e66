package figure

import (
	"fmt"

	"loopc/transform/paper"
	"loopc/transform/plan"
)

// The sides of the tiles of [P2] figure 6: along the mapping dimension, and along the two
// others. The paper does not give the tiles of figures 8 and 9; they are assumed to be the
// same.
const (
	tileHeight = 128
	tileWidth  = 32
)

// myrinet is the cluster of [P2] section 4.1: Pentium III of 1266 MHz, Myrinet with GM. The
// time of an iteration is that of [P1] scaled by the clocks: 25 ns, so that a tile takes
// 3.3 ms. The bandwidth is not in the paper; such cards reach 200 MB/s, and a face of 16
// KiB then takes 82 µs. According to section 4.3, starting a transfer and synchronization
// are negligible.
var myrinet = cluster{
	name:      "Pentium III 1266 MHz, Myrinet",
	point:     pointSeconds * 800 / 1266,
	bandwidth: 200e6,
}

// assigned are the assignments of [P2] in the order of its sections.
var assigned = []plan.Assign{plan.Cyclic, plan.Mirror, plan.Cluster, plan.Retile}

// A layout is a tile space u_1 × u_2 × u_3 on a grid of nodes with a mesh of CPUs each.
// Dimension 1 is the mapping dimension, and u_1 varies.
type layout struct {
	u2, u3     int
	nodes, cpu []int // of dimensions 1, 2 and 3
	u1         []int // the values drawn
}

var (
	layout6 = layout{4, 4, []int{1, 1, 2}, []int{1, 2, 1}, []int{4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256}}
	layout8 = layout{16, 16, []int{1, 4, 4}, []int{1, 2, 2}, []int{16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512}}
	layout9 = layout{22, 22, []int{1, 4, 4}, []int{1, 2, 2}, []int{24, 32, 48, 64, 96, 128, 192, 256, 384, 512}}
)

func assignments6(name string) (*Figure, error) {
	return assignments(name, "efficiency of four assignments, u₁ × 4 × 4 tiles on 2 nodes of 2 CPUs", layout6)
}

func assignments8(name string) (*Figure, error) {
	return assignments(name, "efficiency of four assignments, u₁ × 16 × 16 tiles on 4 × 4 nodes of 2 × 2 CPUs", layout8)
}

func assignments9(name string) (*Figure, error) {
	return assignments(name, "efficiency of four assignments, u₁ × 22 × 22 tiles on 4 × 4 nodes of 2 × 2 CPUs", layout9)
}

// assignments builds a figure of [P2]: efficiency (speedup divided by CPUs) over u_1 for
// the four assignments, with a panel for overlap and one for blocking.
func assignments(name, title string, l layout) (*Figure, error) {
	f := &Figure{
		Name: name, Title: title,
		XLabel: "u₁, tiles along the mapping dimension", YLabel: "speedup / CPUs", LogX: true,
		Setting: []string{
			fmt.Sprintf("Tiles of %d × %d × %d floats, unit dependences; %s: %.3g ns per iteration, which gives %.3g ms per tile; each node sends %.3g MB/s (assumed), which gives %.3g ms for the messages of a node in a step. Nothing else takes time.",
				tileHeight, tileWidth, tileWidth, myrinet.name, myrinet.point*1e9, l.tile()*1e3, myrinet.bandwidth/1e6, l.communicate()*1e3),
			"Theory: the steps of (3) to (10) of the paper times the time of a step, which is max(compute, communicate) with overlap, else compute + communicate. With cluster and retile a step communicates the fraction given in sections 3.3 and 3.4. The offset between chunks in (3) is corrected.",
			"Simulated: loopc's plans for these options and this space, with a rank for each node.",
		},
	}
	for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
		panel := Panel{Title: "communication overlapped"}
		if comm == plan.Blocking {
			panel.Title = "communication not overlapped"
		}
		for _, a := range assigned {
			theory := Series{Name: a.String(), Kind: Theory, Points: make([]Point, len(l.u1))}
			simulated := Series{Name: a.String(), Kind: Simulated, Points: make([]Point, len(l.u1))}
			err := each(len(l.u1), func(i int) error {
				u1 := l.u1[i]
				best := float64(u1*l.u2*l.u3) * l.tile() / float64(l.workers())
				theory.Points[i] = Point{X: float64(u1), Y: best / l.theory(u1, a, comm)}
				r := l.run(u1, a, comm)
				got, p, err := r.predict()
				if err != nil {
					return err
				}
				simulated.Points[i] = Point{X: float64(u1), Y: best / got.Seconds}
				if a == plan.Retile {
					simulated.Points[i].Note = fmt.Sprintf("tiles %dx%dx%d", p.Side[0], p.Side[1], p.Side[2])
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			panel.Series = append(panel.Series, theory, simulated)
		}
		f.Panels = append(f.Panels, panel)
	}
	return f, nil
}

// tile is the time of one tile, in seconds.
func (l *layout) tile() float64 {
	return tileHeight * tileWidth * tileWidth * myrinet.point
}

// workers is the number of CPUs of all nodes.
func (l *layout) workers() int {
	n := 1
	for k := range l.nodes {
		n *= l.nodes[k] * l.cpu[k]
	}
	return n
}

// communicate is the time in which an interior node sends the faces of a group of tiles. It
// sends one face for each CPU on the far side of the node, along every dimension with
// several nodes.
func (l *layout) communicate() float64 {
	faces := 0
	for k := 1; k < len(l.nodes); k++ {
		if l.nodes[k] > 1 {
			faces += l.cpu[1] * l.cpu[2] / l.cpu[k]
		}
	}
	return float64(faces) * tileHeight * tileWidth * floatBytes / myrinet.bandwidth
}

// theory is the time of a run by the closed forms of [P2], in seconds.
func (l *layout) theory(u1 int, a plan.Assign, comm plan.Comm) float64 {
	s := paper.TileSpace{U: []int{u1, l.u2, l.u3}, M: l.cpu, P: l.nodes}
	wide := 1.0 // tiles of a step
	if a == plan.Cluster {
		wide = float64(s.W())
	}
	steps := float64(s.Makespan(a, comm)) / wide
	return steps * paper.StepTime(comm, 0, wide*l.tile(), s.StepShare(a)*l.communicate(), 0)
}

// run is the run with this tile space.
func (l *layout) run(u1 int, a plan.Assign, comm plan.Comm) run {
	extent := []int{u1 * tileHeight, l.u2 * tileWidth, l.u3 * tileWidth}
	return run{
		nest: box([]string{"k", "i", "j"}, extent, axes(1, 1, 1), 1),
		options: plan.Options{
			Tile: []int{tileHeight, tileWidth, tileWidth}, Grid: l.nodes, Mesh: l.cpu, Map: "k",
			Assign: a, Comm: comm, Group: plan.Hyperplane,
		},
		cluster: &myrinet,
	}
}
