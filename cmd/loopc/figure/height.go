package figure

import (
	"fmt"

	"loopc/transform/paper"
	"loopc/transform/plan"
)

// Constants of [P1] section 5.
const (
	stepSeconds = 100e-6 // t_start_dma + t_synchro
	syncSeconds = 11e-6  // t_synch_in, between the CPUs of a node
)

// sci is the cluster of [P1] section 5: 8 nodes with two Pentium III of 800 MHz, on an SCI
// ring. In the paper, starting transfers and synchronization take 100 µs per step. The CPU
// with most messages sends two and receives one, or the reverse, and hands a face to the
// other CPU: 3·29.7 + 11 µs. The bandwidth is not in the papers; a PCI bus of 32 bits and
// 33 MHz reaches 85 MB/s.
var sci = cluster{
	name:      "Pentium III 800 MHz, SCI",
	point:     pointSeconds,
	start:     (stepSeconds - syncSeconds) / 3,
	receive:   (stepSeconds - syncSeconds) / 3,
	bandwidth: 85e6,
	sync:      syncSeconds,
}

// A scheme is a way to group tiles and to communicate, [P1] 4.6.
type scheme struct {
	group plan.Group
	comm  plan.Comm
}

func (s scheme) String() string {
	if s.comm == plan.Blocking {
		return "blocking + " + s.group.String()
	}
	return "overlapping + " + s.group.String()
}

// schemes are those of [P1] 4.6.
var schemes = []scheme{{plan.Vertical, plan.Blocking}, {plan.Vertical, plan.Overlap}, {plan.Hyperplane, plan.Overlap}}

// An experiment is a space of X × X × Z iterations on 4 × 4 CPUs: tiles are X/4 wide, and nodes
// of 2 × 1 CPUs form a mesh of 2 × 4. The height of the tiles varies.
type experiment struct {
	x, z    int
	heights []int // of the points of the curves
}

// across is the number of tiles along each dimension other than the mapping dimension.
const across = 4

// The nodes of an experiment, and the CPUs of a node, along k, i and j.
var (
	meshOfNodes = []int{1, 2, across}
	cpusOfNode  = []int{1, 2, 1}
)

func heights16(name string) (*Figure, error) {
	return heights(name, "time against tile height, 16 × 16 × 1024k iterations on 8 nodes of 2 CPUs",
		experiment{16, 1 << 20, []int{256, 512, 1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768}})
}

func heights32(name string) (*Figure, error) {
	return heights(name, "time against tile height, 32 × 32 × 256k iterations on 8 nodes of 2 CPUs",
		experiment{32, 1 << 18, []int{64, 128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192}})
}

// heights builds a figure of [P1]: the time of a run over the height of its tiles, for the
// three schemes.
func heights(name, title string, e experiment) (*Figure, error) {
	w := e.x / across
	f := &Figure{
		Name: name, Title: title,
		XLabel: "tile height z, iterations", YLabel: "total time, s", LogX: true, FromZero: true,
		Setting: []string{
			fmt.Sprintf("Tiles of %d × %d × z floats, unit dependences, on 2 × %d nodes of 2 × 1 CPUs; %s: as measured in the paper, %.3g ns per iteration, %.3g µs per step for starting transfers and synchronization, %.3g µs for a synchronization inside a node; each node sends %.3g MB/s (assumed).",
				w, w, across, sci.name, sci.point*1e9, stepSeconds*1e6, syncSeconds*1e6, sci.bandwidth/1e6),
			"Theory: the steps of section 4.6 for three dimensions times the time of a step, eq. (1), with b_min of (5) for vertical groups. A blocking step takes b_min + 100 µs + the time of a node's three faces.",
			"Simulated: loopc's plans for these options, with the number N of sub-tiles in vertical groups that is best by (4). A message takes 29.7 µs on the sending and on the receiving CPU, and a face between CPUs of a node 11 µs, which adds up to 100 µs for the busiest CPU of a step.",
		},
	}
	panel := Panel{}
	for _, s := range schemes {
		theory := Series{Name: s.String(), Kind: Theory, Points: make([]Point, len(e.heights))}
		simulated := Series{Name: s.String(), Kind: Simulated, Points: make([]Point, len(e.heights))}
		err := each(len(e.heights), func(i int) error {
			z := e.heights[i]
			theory.Points[i] = Point{X: float64(z), Y: e.theory(z, s)}
			r := e.run(z, s)
			got, p, err := r.predict()
			if err != nil {
				return err
			}
			simulated.Points[i] = Point{X: float64(z), Y: got.Seconds}
			if s.group == plan.Vertical {
				simulated.Points[i].Note = fmt.Sprintf("%d sub-tiles", p.Sub)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		panel.Series = append(panel.Series, theory, simulated)
	}
	f.Panels = []Panel{panel}
	return f, nil
}

// tile is the time t_comp of a tile of height z, in seconds.
func (e *experiment) tile(z int) float64 {
	w := e.x / across
	return float64(w*w*z) * sci.point
}

// theory is the time of a run by [P1] 4.6 and eq. (1), in seconds.
func (e *experiment) theory(z int, s scheme) float64 {
	space := paper.TileSpace{U: []int{plan.CeilDiv(e.z, z), across, across}, M: cpusOfNode, P: meshOfNodes}
	compute := e.tile(z)
	if s.group == plan.Vertical {
		_, compute = paper.VerticalLeast(compute, syncSeconds, 1)
	}
	// A node sends three faces: each of its two CPUs sends one along one dimension, and one
	// of the CPUs sends another along the other dimension.
	communicate := 3 * float64(e.x/across*z*floatBytes) / sci.bandwidth
	if s.comm == plan.Blocking {
		communicate += stepSeconds
	}
	return float64(space.EnoughNodes(s.group, s.comm)) * paper.StepTime(s.comm, stepSeconds, compute, communicate, 0)
}

// run is the run with tiles of height z.
func (e *experiment) run(z int, s scheme) run {
	w := e.x / across
	o := plan.Options{Tile: []int{z, w, w}, Grid: meshOfNodes, Mesh: cpusOfNode, Map: "k", Assign: plan.Retile, Group: s.group, Comm: s.comm}
	if s.group == plan.Vertical {
		o.Sub = min(z, paper.VerticalSub(e.tile(z), syncSeconds, 1))
	}
	return run{nest: box([]string{"k", "i", "j"}, []int{e.z, e.x, e.x}, axes(1, 1, 1), 1), options: o, cluster: &sci}
}
