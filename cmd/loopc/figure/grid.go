package figure

import (
	"fmt"
	"strings"

	"loopc/transform/paper"
	"loopc/transform/plan"
)

// ethernet is the cluster of [P3] section 5: 16 nodes with one Pentium III of 800 MHz, 100
// Mbit Ethernet, MPI. Two assumptions are not in the paper. An iteration of either kernel
// takes twice as long as one of [P1]'s test loop on the same CPU: ADI has two assignments,
// and diffusion a "similar computational complexity". A message costs 50 µs at either end,
// as usual for MPI over TCP on such machines.
var ethernet = cluster{
	name:      "Pentium III 800 MHz, 100 Mbit Ethernet",
	point:     2 * pointSeconds,
	start:     50e-6,
	receive:   50e-6,
	bandwidth: 100e6 / 8,
}

// A family is a kernel on the spaces of [P3] table 1, which differ in one side.
type family struct {
	kernel    string
	domains   []paper.Domain
	values    int // arrays whose results are sent
	processes int
	// reported are the times in the text of the paper, normalized to those of the
	// scheduling-aware grid, per domain; 0: the text has none.
	reported []float64
}

// set1 are the spaces {16..256} × 256 × 16k, set2 1k × {32..512} × 2k.
func set1(d ...int) []paper.Domain {
	var out []paper.Domain
	for x := 16; x <= 256; x *= 2 {
		out = append(out, paper.Domain{X: []int{x, 256}, D: d, Z: 16 << 10})
	}
	return out
}

func set2(d ...int) []paper.Domain {
	var out []paper.Domain
	for x := 32; x <= 512; x *= 2 {
		out = append(out, paper.Domain{X: []int{1 << 10, x}, D: d, Z: 2 << 10})
	}
	return out
}

// Dependences along Z have length 1 in ADI and DE-XYT, 3 in DE-TXY. They stay inside a
// process, and only the least height of a tile depends on their length.
func grids2(name string) (*Figure, error) {
	return grids(name, "ADI, set 1, 16 processes", family{"ADI", set1(1, 1), 2, 16, []float64{0.55, 0.81, 0.91, 0, 0.98}}, 1)
}

func grids3(name string) (*Figure, error) {
	return grids(name, "ADI, set 1, 12 processes", family{"ADI", set1(1, 1), 2, 12, []float64{0.59, 0, 0, 0, 0}}, 1)
}

func grids5(name string) (*Figure, error) {
	return grids(name, "diffusion XYT, set 1, 16 processes", family{"diffusion XYT", set1(3, 3), 1, 16, []float64{0.40, 0, 0, 0.95, 0}}, 1)
}

func grids6(name string) (*Figure, error) {
	return grids(name, "diffusion XYT, set 2, 16 processes", family{"diffusion XYT", set2(3, 3), 1, 16, make([]float64, 5)}, 1)
}

func grids7(name string) (*Figure, error) {
	return grids(name, "diffusion TXY, set 2, 16 processes", family{"diffusion TXY", set2(1, 3), 1, 16, make([]float64, 5)}, 3)
}

// tried are tile heights; [P3] tried all from 1 to 200, and kept the best. Heights with
// more than mostSteps tiles along Z are left out: messages dominate, and such heights are
// never the best.
var tried = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 200}

const mostSteps = 1 << 11

// heightsOf returns the heights to try in d. distance is the length of the dependences along Z,
// and no tile is shorter.
func heightsOf(d paper.Domain, distance int) []int {
	for i, h := range tried {
		if h >= distance && d.Z/h <= mostSteps {
			return tried[i:]
		}
	}
	return nil
}

// Names of the series.
const (
	schedulingAware    = "scheduling-aware"
	communicationAware = "communication-aware"
)

// grids builds a figure of [P3]: the time on the communication-aware grid,
// normalized to that on the scheduling-aware one, each at its best tile height.
func grids(name, title string, f family, along int) (*Figure, error) {
	out := &Figure{
		Name: name, Title: title, XLabel: "space", YLabel: "time / time of the scheduling-aware grid", FromZero: true,
		Bars:    &Bars{},
		Setting: f.setting(),
	}
	kinds := []Kind{Theory, Simulated}
	base := []Series{{Name: schedulingAware, Kind: Theory}, {Name: schedulingAware, Kind: Simulated}}
	aware := []Series{{Name: communicationAware, Kind: Theory}, {Name: communicationAware, Kind: Simulated}}
	reported := Series{Name: communicationAware, Kind: Reported}
	for i, d := range f.domains {
		from, to := d.Grid(f.processes, plan.ShapeScheduling), d.Grid(f.processes, plan.ShapeCommunication)
		out.Bars.Categories = append(out.Bars.Categories, sides(d))
		out.Bars.Over = append(out.Bars.Over, []string{strings.ReplaceAll(gridName(from), "x", "×"), strings.ReplaceAll(gridName(to), "x", "×")})
		for k, kind := range kinds {
			slow, slowHeight, err := f.best(kind, d, from, along)
			if err != nil {
				return nil, err
			}
			fast, fastHeight, err := f.best(kind, d, to, along)
			if err != nil {
				return nil, err
			}
			note := func(g []int, seconds float64, height int) string {
				return fmt.Sprintf("%s on %s, %.4g s at height %d", sides(d), gridName(g), seconds, height)
			}
			base[k].Points = append(base[k].Points, Point{float64(i), 1, note(from, slow, slowHeight)})
			aware[k].Points = append(aware[k].Points, Point{float64(i), fast / slow, note(to, fast, fastHeight)})
		}
		if r := f.reported[i]; r > 0 {
			reported.Points = append(reported.Points, Point{float64(i), r, "text of section 5"})
		}
	}
	panel := Panel{Series: append(base, aware...)}
	if len(reported.Points) > 0 {
		panel.Series = append(panel.Series, reported)
	}
	out.Panels = []Panel{panel}
	return out, nil
}

func (f *family) setting() []string {
	return []string{
		fmt.Sprintf("%s, %d processes, results of %d bytes per iteration, blocking; %s: each process sends %.3g MB/s; an iteration takes %.3g ns, and a message takes %.3g µs on the sending and on the receiving CPU (both assumed). Each grid has the best tile height up to 200.",
			f.kernel, f.processes, f.values*floatBytes, ethernet.name, ethernet.bandwidth/1e6, ethernet.point*1e9, ethernet.start*1e6),
		"Theory: the number of blocking steps, [P2] (2), times the time of a step: an interior process computes a tile and sends V_comm of the published (6), which charges both faces on every grid.",
		"Simulated: loopc's plans for the grids that `--shape scheduling` and `--shape communication` choose.",
	}
}

// best returns the least time over the heights tried, and the height.
func (f *family) best(kind Kind, d paper.Domain, grid []int, along int) (seconds float64, height int, err error) {
	heights := heightsOf(d, along)
	times := make([]float64, len(heights))
	if err := each(len(heights), func(i int) (err error) {
		times[i], err = f.time(kind, d, grid, along, heights[i])
		return err
	}); err != nil {
		return 0, 0, err
	}
	for i, t := range times {
		if i == 0 || t < seconds {
			seconds, height = t, heights[i]
		}
	}
	return seconds, height, nil
}

// time is the time of a run with tiles of the given height, in seconds.
func (f *family) time(kind Kind, d paper.Domain, grid []int, along, height int) (float64, error) {
	if kind == Theory {
		return f.theory(d, grid, height), nil
	}
	r := f.run(d, grid, along, height)
	got, _, err := r.predict()
	return got.Seconds, err
}

// theory is steps times step time. [P3] has no closed form for the time; this is the closed
// form of [P2] for blocking, with (6) of [P3] for the volume that a process sends.
func (f *family) theory(d paper.Domain, grid []int, height int) float64 {
	space := paper.TileSpace{U: append([]int{plan.CeilDiv(d.Z, height)}, grid...), M: []int{1, 1, 1}, P: append([]int{1}, grid...)}
	points := float64(height)
	for i, x := range d.X {
		points *= float64(plan.CeilDiv(x, grid[i]))
	}
	part := float64(height) / float64(d.Z)
	communicate := part*d.VComm(grid)*float64(f.values*floatBytes)/ethernet.bandwidth + float64(len(grid))*(ethernet.start+ethernet.receive)
	return float64(space.EnoughNodes(plan.Hyperplane, plan.Blocking)) * paper.StepTime(plan.Blocking, 0, points*ethernet.point, communicate, 0)
}

// run is the run on the given grid. distance is the length of the dependences along Z.
func (f *family) run(d paper.Domain, grid []int, distance, height int) run {
	o := plan.Options{
		Grid: append(append([]int(nil), grid...), 1), Mesh: []int{1, 1, 1}, Tile: []int{0, 0, height}, Map: "k",
		Assign: plan.Retile, Comm: plan.Blocking,
	}
	distances := axes(append(append([]int(nil), d.D...), distance)...)
	return run{nest: box([]string{"i", "j", "k"}, append(append([]int(nil), d.X...), d.Z), distances, f.values), options: o, cluster: &ethernet}
}

// grids4 is the granularity of ADI on 16 processes: time against the height of
// tiles on both grids, a panel for each of four spaces.
func grids4(name string) (*Figure, error) {
	f := family{"ADI", set1(1, 1), 2, 16, nil}
	out := &Figure{
		Name: name, Title: "ADI, set 1, 16 processes: granularity",
		XLabel: "tile height, iterations", YLabel: "total time, s", FromZero: true,
		Setting: f.setting(),
	}
	for _, d := range f.domains[:4] {
		heights := heightsOf(d, 1)
		panel := Panel{Title: sides(d)}
		for _, by := range []plan.Shape{plan.ShapeScheduling, plan.ShapeCommunication} {
			grid := d.Grid(f.processes, by)
			for _, kind := range []Kind{Theory, Simulated} {
				s := Series{Name: by.String() + "-aware", Kind: kind, Points: make([]Point, len(heights))}
				err := each(len(heights), func(i int) error {
					seconds, err := f.time(kind, d, grid, 1, heights[i])
					s.Points[i] = Point{float64(heights[i]), seconds, gridName(grid)}
					return err
				})
				if err != nil {
					return nil, err
				}
				panel.Series = append(panel.Series, s)
			}
		}
		out.Panels = append(out.Panels, panel)
	}
	return out, nil
}

// sides returns text such as "16 × 256 × 16k".
func sides(d paper.Domain) string {
	short := func(x int) string {
		if x >= 1<<10 && x%(1<<10) == 0 {
			return fmt.Sprintf("%dk", x>>10)
		}
		return fmt.Sprint(x)
	}
	s := ""
	for _, x := range d.X {
		s += short(x) + " × "
	}
	return s + short(d.Z)
}

// gridName returns text such as "2x8".
func gridName(grid []int) string {
	s := ""
	for k, p := range grid {
		if k > 0 {
			s += "x"
		}
		s += fmt.Sprint(p)
	}
	return s
}
