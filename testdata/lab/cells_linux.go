package main

import (
	"fmt"
	"strings"

	"loopc/transform/plan"
)

// A cell is one run: a nest, its sizes and its plan.
type cell struct {
	what   string // what tells it from the others of its part
	nest   string // the file without .loop
	params []int  // of the nest
	nodes  int
	mesh   []int       // CPUs of each node, per loop
	grid   []int       // of nodes
	tile   []int       // sides
	along  string      // the loop that is mapped
	group  plan.Group  // of CPUs
	sub    int         // sub-tiles, with vertical grouping
	assign plan.Assign // of columns to nodes
	comm   plan.Comm
	point  float64 // s that a virtual CPU takes for an iteration
	mpi    string  // variant of the MPI program that runs instead; "": loopc's
}

// options are those of a plan that leaves nothing open.
func (c *cell) options() plan.Options {
	return plan.Options{Ranks: c.nodes, Mesh: c.mesh, Grid: c.grid, Tile: c.tile, Map: c.along, Group: c.group, Sub: c.sub, Assign: c.assign, Comm: c.comm}
}

// flags are the same for the command line of a program.
func (c *cell) flags(params []string) []string {
	var values []string
	for k, name := range params {
		values = append(values, fmt.Sprintf("%s=%d", name, c.params[k]))
	}
	o := c.options()
	return append([]string{"-p", strings.Join(values, ",")}, o.Flags()...)
}

// A part is one reproduction.
type part struct {
	name, title, about string
	link               link
	nodes              int
	known              []cell // that the figures of the network are fitted to: none of cells
	cells              []cell
}

// Networks are those of [P3], 100 Mbit/s and a switch. Frames are longer than on real
// ones, so that few processors keep up with the nodes.
var (
	ofFour    = link{rate: 100e6, latency: 100e-6, mtu: 4000}
	ofSixteen = link{rate: 100e6, latency: 100e-6, mtu: 9000}
)

// parts are all reproductions, in the order of the report.
func parts() []part {
	return []part{
		{
			name: "balance", title: "Communication as long as computation",
			about: "4 nodes of one CPU in a row, the pipeline kernel, tiles of 64 x 16 x 256 iterations at 20.6 ns, which take 5.4 ms; their faces of 64 KiB take 5.4 ms as well.",
			link:  ofFour, nodes: 4, known: known4(), cells: balanceCells(32768),
		},
		{
			name: "P1", title: "[P1]: grouping and overlap",
			about: "2 x 2 nodes of 2 CPUs; the pipeline kernel, 96 x 48 x 49152 iterations at 39.6 ns in tiles of 24 x 24 x z. A tile takes z x 22.8 µs, and the three faces of a node take z x 23.4 µs. Vertical groups have 8 sub-tiles.",
			link:  ofFour, nodes: 4, known: known4(), cells: p1Cells(),
		},
		{
			name: "P2", title: "[P2]: four assignments",
			about: "2 nodes of 2 CPUs, the pipeline kernel, 96 x 4 x 4 tiles of 32 x 32 x 128 iterations at 25 ns as in figure 6: a tile takes 3.3 ms, a face 1.3 ms; and 12 x 4 x 4 tiles, 8 times as high. The CPUs of a node are adjacent along j, the nodes along i.",
			link:  ofFour, nodes: 4, known: known4(), cells: p2Cells(),
		},
		{
			name: "P3", title: "[P3]: grids",
			about: "16 nodes of one CPU, spaces of table 1 with 79.2 ns per iteration and blocking communication, as in the paper; wide spaces are shorter along t. For each grid, the height of a tile is the best by prediction.",
			link:  ofSixteen, nodes: 16, known: known16(), cells: p3Cells(),
		},
		{
			name: "MPI", title: "Against MPI",
			about: "2 nodes of one CPU, the pipeline kernel and testdata/peers/pipeline_whole_mpi.c with Open MPI, tiles of 64 x 32 x 256 iterations; runs of both alternate, on the same network. Ranks of MPI poll while they wait: more ranks than processors would delay one another.",
			link:  ofFour, nodes: 4, known: known4(), cells: mpiCells(),
		},
	}
}

// row is a cell of 4 nodes in a row, with tiles of 64 x 16 x height iterations.
func row(length, height int, point float64, comm plan.Comm) cell {
	return cell{
		what: comm.String(), nest: "pipeline", params: []int{64, 64, length}, nodes: 4, mesh: []int{1, 1, 1}, grid: []int{1, 4, 1},
		tile: []int{64, 16, height}, along: "k", group: plan.Hyperplane, assign: plan.Retile, comm: comm, point: point,
	}
}

// balancedPoint makes a tile of a row as long as its face.
const balancedPoint = 20.6e-9

// schemes are all ways to communicate, the slowest first.
var schemes = []plan.Comm{plan.Blocking, plan.Buffered, plan.Overlap}

func balanceCells(length int) (out []cell) {
	for _, comm := range schemes {
		out = append(out, row(length, 256, balancedPoint, comm))
	}
	return out
}

// known4 are runs of other sizes, on up to four nodes.
func known4() (out []cell) {
	for _, comm := range []plan.Comm{plan.Blocking, plan.Overlap} {
		out = append(out, row(9600, 160, balancedPoint, comm), row(12000, 200, 35e-9, comm))
		for _, c := range []cell{p1Cell(320, comm, plan.Vertical), p1Cell(192, comm, plan.Hyperplane), p1Cell(400, comm, plan.Hyperplane)} {
			c.params = []int{96, 48, 48 * c.tile[2]}
			out = append(out, c)
		}
		for _, assign := range []plan.Assign{plan.Cyclic, plan.Retile} {
			c := p2Cell(comm, assign)
			c.params, c.tile = []int{96, 96, 4096}, []int{24, 24, 128}
			out = append(out, c)
		}
	}
	return out
}

func p1Cell(z int, comm plan.Comm, group plan.Group) cell {
	c := cell{
		what: fmt.Sprintf("z = %d, %s + %s", z, comm, group), nest: "pipeline", params: []int{96, 48, 49152},
		nodes: 4, mesh: []int{2, 1, 1}, grid: []int{2, 2, 1}, tile: []int{24, 24, z}, along: "k", group: group, assign: plan.Retile, comm: comm, point: 39.6e-9,
	}
	if group == plan.Vertical {
		c.sub = 8
	}
	return c
}

func p1Cells() (out []cell) {
	for _, s := range []struct {
		z     int
		point float64
	}{{256, 39.6e-9}, {512, 39.6e-9}, {256, 79.2e-9}} {
		for _, w := range []struct {
			comm  plan.Comm
			group plan.Group
		}{{plan.Blocking, plan.Vertical}, {plan.Buffered, plan.Vertical}, {plan.Overlap, plan.Vertical}, {plan.Overlap, plan.Hyperplane}} {
			c := p1Cell(s.z, w.comm, w.group)
			if s.point != c.point {
				c.point, c.what = s.point, c.what+", twice the computation"
				c.params = []int{96, 48, 24576}
			}
			out = append(out, c)
		}
	}
	return out
}

func p2Cell(comm plan.Comm, assign plan.Assign) cell {
	return cell{
		what: fmt.Sprintf("%s, %s", comm, assign), nest: "pipeline", params: []int{128, 128, 12288},
		nodes: 2, mesh: []int{1, 2, 1}, grid: []int{2, 1, 1}, tile: []int{32, 32, 128}, along: "k", group: plan.Hyperplane, assign: assign, comm: comm, point: 25e-9,
	}
}

// p2Cells are the assignments in a long space, of 96 tiles along k, and overlapped in
// a short one, of 12 that are 8 times as high.
func p2Cells() (out []cell) {
	assigns := []plan.Assign{plan.Cyclic, plan.Mirror, plan.Cluster, plan.Retile}
	for _, comm := range []plan.Comm{plan.Blocking, plan.Overlap} {
		for _, assign := range assigns {
			out = append(out, p2Cell(comm, assign))
		}
	}
	for _, assign := range assigns {
		c := p2Cell(plan.Overlap, assign)
		c.what, c.tile = c.what+", u = 12", []int{32, 32, 1024}
		out = append(out, c)
	}
	return out
}

// A grid of [P3] is 4 x 4 or what its (4) gives.
func p3Cell(nest string, x, t, height int, grid [2]int, comm plan.Comm) cell {
	return cell{
		what: fmt.Sprintf("%s %d x 256 x %d, %d x %d", nest, x, t, grid[0], grid[1]), nest: nest, params: []int{x, 256, t},
		nodes: 16, mesh: []int{1, 1, 1}, grid: []int{1, grid[0], grid[1]}, tile: []int{height, x / grid[0], 256 / grid[1]},
		along: "t", group: plan.Hyperplane, assign: plan.Retile, comm: comm, point: 79.2e-9,
	}
}

// openHeight stands for a height that is to be chosen.
const openHeight = 0

// open reports whether the height of a cell's tiles is still to be chosen.
func (c *cell) open() bool { return c.tile[0] == openHeight }

func p3Cells() (out []cell) {
	for _, s := range []struct {
		nest string
		x, t int
		grid [2]int
	}{
		{"adi", 16, 16384, [2]int{1, 16}}, {"adi", 32, 16384, [2]int{1, 16}}, {"adi", 64, 8192, [2]int{2, 8}}, {"adi", 128, 4096, [2]int{2, 8}},
		{"diffusion", 16, 16384, [2]int{1, 16}}, {"diffusion", 32, 16384, [2]int{1, 16}}, {"diffusion", 64, 8192, [2]int{2, 8}}, {"diffusion", 128, 4096, [2]int{2, 8}},
	} {
		for _, grid := range [][2]int{{4, 4}, s.grid} {
			out = append(out, p3Cell(s.nest, s.x, s.t, openHeight, grid, plan.Blocking))
		}
	}
	return out
}

func known16() (out []cell) {
	for _, comm := range []plan.Comm{plan.Blocking, plan.Overlap} {
		out = append(out, p3Cell("adi", 24, 8192, 288, [2]int{4, 4}, comm), p3Cell("adi", 24, 10240, 320, [2]int{1, 16}, comm), p3Cell("diffusion", 48, 6400, 160, [2]int{2, 8}, comm), p3Cell("diffusion", 24, 8192, 224, [2]int{4, 4}, comm))
	}
	return out
}

func mpiCells() (out []cell) {
	for _, s := range []struct {
		what  string
		point float64
	}{{"balanced", balancedPoint}, {"twice the computation", 2 * balancedPoint}, {"twice the communication", balancedPoint / 2}} {
		for _, comm := range []plan.Comm{plan.Overlap, plan.Blocking} {
			ours := row(16384, 256, s.point/2, comm)
			ours.nodes, ours.grid, ours.tile = 2, []int{1, 2, 1}, []int{64, 32, 256}
			ours.what = s.what + ", " + ours.what
			peer := ours
			peer.mpi, peer.what = comm.String(), peer.what+", MPI"
			out = append(out, ours, peer)
		}
	}
	return out
}
