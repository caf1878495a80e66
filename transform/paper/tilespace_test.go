package paper

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
)

var tileSpaces = flag.Int("tilespaces", 20_000, "number of random tile spaces on which closed forms are compared with enumeration")

// enumerated is a schedule of a tile space, tile by tile, found from the
// definitions of [P1] and [P2] alone, without their closed forms. Tiles are
// numbered in lexicographic order.
type enumerated struct {
	u      []int
	stride []int
	edge   []int // of each tile, the dimensions along which it is the first, as bits
	node   []int // of each tile
	worker []int // a CPU of a node, unique among all
	step   []int
	// group is the step of the whole supertile that a cluster's tile belongs to;
	// elsewhere it is step. Nodes exchange faces between groups.
	group []int
}

// A schedule says where and when a tile runs, by its coordinates: coordinates of
// its node and of its CPU, its step and, of a cluster, the number of its tile
// within the supertile.
type schedule func(tile, node, cpu []int) (step, sub int)

// enumerate lists a schedule. w is the number of tiles of a supertile.
func (e *enumerated) enumerate(u, m []int, w int, f schedule) {
	n := len(u)
	e.u = append(e.u[:0], u...)
	e.stride = append(e.stride[:0], u...)
	total := 1
	for x := n - 1; x >= 0; x-- {
		e.stride[x] = total
		total *= u[x]
	}
	resize := func(v []int) []int { return slices.Grow(v[:0], total)[:total] }
	e.edge, e.node, e.worker, e.step, e.group = resize(e.edge), resize(e.node), resize(e.worker), resize(e.step), resize(e.group)
	tile, node, cpu := make([]int, n), make([]int, n), make([]int, n)
	for i := range total {
		e.edge[i] = 0
		for x := range u {
			tile[x] = i / e.stride[x] % u[x]
			node[x], cpu[x] = 0, 0
			if tile[x] == 0 {
				e.edge[i] |= 1 << x
			}
		}
		step, sub := f(tile, node, cpu)
		id, c := 0, 0
		for x := range u {
			id, c = id*64+node[x], c*m[x]+cpu[x]
			if node[x] >= 64 || cpu[x] >= m[x] {
				panic("no such node or CPU")
			}
		}
		e.node[i], e.worker[i] = id, id*64+c
		e.step[i], e.group[i] = step*w+sub, step
	}
}

// makespan is the number of steps from the first tile to the last, in supertiles.
func (e *enumerated) makespan() int { return slices.Max(e.group) - slices.Min(e.group) + 1 }

// exclusive reports whether no CPU runs two tiles in one step.
func (e *enumerated) exclusive(scratch *[]uint64) bool {
	keys := (*scratch)[:0]
	for i := range e.step {
		keys = append(keys, uint64(e.worker[i])<<20|uint64(e.step[i]))
	}
	slices.Sort(keys)
	*scratch = keys
	for i := range len(keys) - 1 {
		if keys[i] == keys[i+1] {
			return false
		}
	}
	return true
}

// breaks returns a tile and one that it depends on which does not run early
// enough, or -1: a step earlier on the same node, and another one between for the
// faces if communication overlaps and the nodes differ. Tile dependences are all
// vectors of zeros and ones.
func (e *enumerated) breaks(c plan.Comm) (tile, from int) {
	var back [16]int // from a tile to the one at distance set
	sets := 1 << len(e.u)
	for set := range sets {
		for x, stride := range e.stride {
			back[set] += stride * (set >> x & 1)
		}
	}
	for i := range e.step {
		for set := 1; set < sets; set++ {
			if set&e.edge[i] != 0 {
				continue
			}
			from := i - back[set]
			least, when, before := 1, e.step[i], e.step[from]
			if e.worker[i] != e.worker[from] {
				when, before = e.group[i], e.group[from]
			}
			if c == plan.Overlap && e.node[i] != e.node[from] {
				least = 2
			}
			if when-before < least {
				return i, from
			}
		}
	}
	return -1, -1
}

// enough is the schedule with a node for every group: groups are ⌊H^G·j⌋, their
// steps Π^G·j^G, [P1] (2), [P2] section 2.
func enough(s TileSpace, c plan.Comm) schedule {
	return func(tile, node, cpu []int) (int, int) {
		step := 0
		for x, j := range tile {
			step += j
			if x == s.Map {
				continue
			}
			node[x], cpu[x] = j/s.M[x], j%s.M[x]
			if c == plan.Overlap {
				step += node[x]
			}
		}
		return step, 0
	}
}

// chunked is cyclic or mirror assignment with chunks L steps apart: the time in
// the chunk is j_1 + Σ j_i mod m_i·p_i, and + Σ j^G_i mod p_i if overlapped.
func chunked(s TileSpace, a plan.Assign, c plan.Comm, l int) schedule {
	return func(tile, node, cpu []int) (int, int) {
		step := tile[s.Map]
		number := 0 // of the chunk, in lexicographic order
		for x, j := range tile {
			if x == s.Map {
				continue
			}
			in := s.M[x] * s.P[x]
			chunks := 0
			for first := 0; first < s.U[x]; first += in {
				chunks++
			}
			step += j % in
			group := j / s.M[x]
			if c == plan.Overlap {
				step += group % s.P[x]
			}
			cpu[x], node[x] = j%s.M[x], group%s.P[x]
			if a == plan.Mirror && group/s.P[x]%2 == 1 {
				node[x] = s.P[x] - 1 - node[x]
			}
			number = number*chunks + j/in
		}
		return step + l*number, 0
	}
}

// clustered merges c_i tiles along each dimension, so that there is one supertile
// for each CPU at most, and runs them as if there were enough nodes, tile by tile.
func clustered(s TileSpace, c plan.Comm) schedule {
	merge := make([]int, len(s.U))
	for x := range merge {
		for merge[x] = 1; x != s.Map && merge[x]*s.M[x]*s.P[x] < s.U[x]; merge[x]++ {
		}
	}
	inner := enough(s, c)
	super := make([]int, len(s.U))
	return func(tile, node, cpu []int) (int, int) {
		sub := 0
		for x, j := range tile {
			super[x] = j / merge[x]
			sub = sub*merge[x] + j%merge[x]
		}
		step, _ := inner(super, node, cpu)
		return step, sub
	}
}

// randomSpace returns a tile space of two to four dimensions, any of them mapped.
// Every other time the mapped one is the longest, as the papers assume.
func randomSpace(rng *rand.Rand) TileSpace {
	n := 2 + rng.IntN(3)
	s := TileSpace{U: make([]int, n), M: make([]int, n), P: make([]int, n), Map: rng.IntN(n)}
	most := []int{0, 0, 12, 6, 4}[n]
	for x := range n {
		s.U[x] = 1 + rng.IntN(most)
		s.M[x], s.P[x] = 1+rng.IntN(3), 1+rng.IntN(3)
	}
	s.M[s.Map], s.P[s.Map] = 1, 1
	if rng.IntN(2) == 0 {
		s.U[s.Map] = slices.Max(s.U)
	}
	return s
}

// TestClosedForms compares [P2] (1)-(10), and the rules that go with them, with
// enumeration of the schedules over random tile spaces. Each schedule must respect
// every tile dependence with its communication step, and run one tile per CPU and
// step at most.
func TestClosedForms(t *testing.T) {
	const seed = 20_04
	t.Logf("%d tile spaces, seed %d", *tileSpaces, seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	var e enumerated
	var scratch []uint64
	var s TileSpace
	later, asPublished, whole, crowded := 0, 0, 0, 0
	for i := range 2 * *tileSpaces {
		comm := plan.Overlap
		if i%2 == 0 {
			s = randomSpace(rng)
		} else {
			comm = plan.Blocking
		}
		check := func(what string, want int) {
			t.Helper()
			if !e.exclusive(&scratch) {
				t.Fatalf("%+v, %s, %s: a CPU runs two tiles in a step", s, what, comm)
			}
			if tile, from := e.breaks(comm); tile >= 0 {
				t.Fatalf("%+v, %s, %s: tile %d depends on %d and runs %d steps later", s, what, comm, tile, from, e.step[tile]-e.step[from])
			}
			if got := e.makespan(); got != want {
				t.Fatalf("%+v, %s, %s: %d steps enumerated, %d by the closed form", s, what, comm, got, want)
			}
		}
		placed := func(a plan.Assign) {
			t.Helper()
			tile := make([]int, len(s.U))
			for i := range e.step {
				for x := range tile {
					tile[x] = i / e.stride[x] % e.u[x]
				}
				id := 0
				for _, x := range s.Node(a, tile) {
					id = id*64 + x
				}
				cpu := 0
				for x, c := range s.CPU(a, tile) {
					cpu = cpu*s.M[x] + c
				}
				if id != e.node[i] || id*64+cpu != e.worker[i] {
					t.Fatalf("%+v, %s: tile %v runs on CPU %d, Node and CPU say %d", s, a, tile, e.worker[i], id*64+cpu)
				}
			}
		}

		e.enumerate(s.U, s.M, 1, enough(s, comm))
		check("enough nodes", s.EnoughNodes(plan.Hyperplane, comm))

		w := s.W()
		if w > 1 {
			crowded++
		}
		// plan.Cyclic: L breaks no dependence, one step less does unless it is u_1, and
		// where it is, the makespan is as published.
		l := s.Offset(plan.Cyclic, comm)
		e.enumerate(s.U, s.M, 1, chunked(s, plan.Cyclic, comm, l))
		check("cyclic", s.Makespan(plan.Cyclic, comm))
		placed(plan.Cyclic)
		u1 := s.U[s.Map]
		if l == u1 {
			if got, want := s.Makespan(plan.Cyclic, comm), published(s, plan.Cyclic, comm); got != want {
				t.Fatalf("%+v, cyclic, %s: %d steps, published %d", s, comm, got, want)
			}
			asPublished++
		} else {
			e.enumerate(s.U, s.M, 1, chunked(s, plan.Cyclic, comm, l-1))
			if tile, _ := e.breaks(comm); tile < 0 {
				t.Fatalf("%+v, cyclic, %s: L = %d breaks no dependence, %d is not the least", s, comm, l-1, l)
			}
			later++
		}

		e.enumerate(s.U, s.M, 1, chunked(s, plan.Mirror, comm, publishedMirror(s, comm)))
		check("mirror", s.Makespan(plan.Mirror, comm))
		placed(plan.Mirror)

		e.enumerate(s.U, s.M, w, clustered(s, comm))
		if got, want := w*e.makespan(), s.Makespan(plan.Cluster, comm); got != want {
			t.Fatalf("%+v, cluster, %s: %d steps enumerated, %d by the closed form", s, comm, got, want)
		}
		check("cluster, in its steps", s.Makespan(plan.Cluster, comm)/w)
		placed(plan.Cluster)

		again, exact := s.Retiled()
		e.enumerate(again.U, s.M, 1, enough(again, comm))
		check("retile", s.Makespan(plan.Retile, comm))
		if exact {
			whole++
		}
		for _, a := range []plan.Assign{plan.Mirror, plan.Cluster, plan.Retile} {
			if got, want := s.Makespan(a, comm), published(s, a, comm); (a != plan.Retile || exact) && got != want {
				t.Fatalf("%+v, %s, %s: %d steps, published %d", s, a, comm, got, want)
			}
		}
	}
	for what, count := range map[string]int{
		"with L > u_1": 3 * later, "with L = u_1": asPublished, "with several chunks": crowded, "that retile without rest": whole,
	} {
		if count < *tileSpaces/3 {
			t.Errorf("too few spaces %s: %d of %d", what, count, *tileSpaces)
		}
	}
}

// published returns the makespans of [P2] (3)-(10) as they are printed there.
func published(s TileSpace, a plan.Assign, c plan.Comm) int {
	n, u1 := len(s.U), s.U[s.Map]
	var residues, nodes, places, supertiles, supergroups int
	w, product, divisor := 1, u1, 1
	for x, u := range s.U {
		if x == s.Map {
			continue
		}
		m, p := s.M[x], s.P[x]
		g := plan.CeilDiv(u, m)
		chunk := plan.CeilDiv(u, m*p)
		residues += (u - 1) % (m * p)
		nodes += (g - 1) % p
		places += m * p
		supertiles += plan.CeilDiv(u, chunk)
		supergroups += plan.CeilDiv(u, m*chunk)
		w *= chunk
		product *= u
		divisor *= m * p
	}
	withNodes := 0 // Σ (m_i+1)·p_i
	for x := range s.U {
		if x != s.Map {
			withNodes += (s.M[x] + 1) * s.P[x]
		}
	}
	switch {
	case a == plan.Cyclic && c == plan.Overlap:
		return residues + nodes + u1*w // (3)
	case a == plan.Cyclic:
		return residues + u1*w // (4)
	case a == plan.Mirror && c == plan.Overlap:
		return residues + nodes - withNodes + 2*n - 2 + publishedMirror(s, c)*w // (5)
	case a == plan.Mirror:
		return residues - places + n - 1 + publishedMirror(s, c)*w // (6)
	case a == plan.Cluster && c == plan.Overlap:
		return w * (u1 - 2*n + 2 + supertiles + supergroups) // (7)
	case a == plan.Cluster:
		return w * (u1 - n + 1 + supertiles) // (8)
	case c == plan.Overlap:
		return withNodes - 2*n + 2 + product/divisor // (9)
	}
	return places - n + 1 + product/divisor // (10)
}

// publishedMirror is the L of [P2] section 3.2.
func publishedMirror(s TileSpace, c plan.Comm) int {
	n := len(s.U)
	l := s.U[s.Map] - n + 1
	if c == plan.Overlap {
		l -= n - 1
	}
	for x := range s.U {
		switch {
		case x == s.Map:
		case c == plan.Overlap:
			l += (s.M[x] + 1) * s.P[x]
		default:
			l += s.M[x] * s.P[x]
		}
	}
	return l
}

// TestCyclicCounterexample is the space for which [P2] (3) breaks a dependence:
// u = (7, 7), two CPUs, three nodes, chunks u_1 = 7 steps apart. Nine are needed.
func TestCyclicCounterexample(t *testing.T) {
	s := TileSpace{U: []int{7, 7}, M: []int{1, 2}, P: []int{1, 3}}
	var e enumerated
	for l := 7; l <= 9; l++ {
		e.enumerate(s.U, s.M, 1, chunked(s, plan.Cyclic, plan.Overlap, l))
		tile, from := e.breaks(plan.Overlap)
		switch {
		case l < 9 && tile < 0:
			t.Errorf("L = %d breaks no dependence", l)
		case l < 9 && (from%7 != 5 || tile%7 != 6 || e.step[tile]-e.step[from] != l-7):
			t.Errorf("L = %d: tile %d depends on %d, %d steps before", l, tile, from, e.step[tile]-e.step[from])
		case l == 9 && tile >= 0:
			t.Errorf("L = 9: tile %d depends on %d", tile, from)
		}
	}
	if l := s.Offset(plan.Cyclic, plan.Overlap); l != 9 {
		t.Errorf("L = %d, want 9", l)
	}
	if l := s.Offset(plan.Cyclic, plan.Blocking); l != 7 {
		t.Errorf("blocking: L = %d, want 7", l)
	}
	if got, want := s.Makespan(plan.Cyclic, plan.Overlap), published(s, plan.Cyclic, plan.Overlap)+2; got != want {
		t.Errorf("%d steps, want %d", got, want)
	}
}

// TestChunkNumbers counts the chunks of tile spaces in lexicographic order.
func TestChunkNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	several := 0
	for range 600 {
		s := randomSpace(rng)
		last := make([]int, len(s.U))
		for x, u := range s.U {
			last[x] = u - 1
		}
		var chunks [][]int
		chunk := func(tile []int) []int {
			c := make([]int, len(tile))
			for x, j := range tile {
				if x != s.Map {
					c[x] = j / s.M[x] / s.P[x]
				}
			}
			return c
		}
		eachPoint(make([]int, len(s.U)), last, func(tile []int) { chunks = append(chunks, chunk(tile)) })
		slices.SortFunc(chunks, slices.Compare[[]int])
		chunks = slices.CompactFunc(chunks, slices.Equal[[]int])
		if len(chunks) != s.W() {
			t.Errorf("%+v: W = %d, there are %d chunks", s, s.W(), len(chunks))
		}
		eachPoint(make([]int, len(s.U)), last, func(tile []int) {
			want, _ := slices.BinarySearchFunc(chunks, chunk(tile), slices.Compare[[]int])
			if got := s.Chunk(tile); got != want {
				t.Errorf("%+v: tile %v is in chunk %d, not %d", s, tile, want, got)
			}
		})
		if len(chunks) > 3 {
			several++
		}
	}
	if several < 50 {
		t.Errorf("only %d spaces with more than three chunks", several)
	}
}

// TestOrderOfAssignments is what [P2] says of the makespans of its assignments,
// where u_1 ≥ u_i and L = u_1: cyclic is never slower than mirror or cluster, and
// where m_i·p_i divides u_i it takes as long as retile, overlapped or not.
func TestOrderOfAssignments(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	even := 0
	for range 5000 {
		s := randomSpace(rng)
		s.U[s.Map] += 12 // (m_i+1)·p_i at most
		divides := true
		for x, u := range s.U {
			divides = divides && (x == s.Map || u%(s.M[x]*s.P[x]) == 0)
		}
		for _, c := range []plan.Comm{plan.Overlap, plan.Blocking} {
			if s.Offset(plan.Cyclic, c) != s.U[s.Map] {
				t.Fatalf("%+v: L = %d", s, s.Offset(plan.Cyclic, c))
			}
			cyclic, mirror, cluster, retile := s.Makespan(plan.Cyclic, c), s.Makespan(plan.Mirror, c), s.Makespan(plan.Cluster, c), s.Makespan(plan.Retile, c)
			if cyclic > mirror || cyclic > cluster {
				t.Errorf("%+v, %s: cyclic %d, mirror %d, cluster %d", s, c, cyclic, mirror, cluster)
			}
			if s.W() == 1 && (cyclic != mirror || cyclic != cluster) {
				t.Errorf("%+v, %s, one chunk: cyclic %d, mirror %d, cluster %d", s, c, cyclic, mirror, cluster)
			}
			if divides && cyclic != retile {
				t.Errorf("%+v, %s: cyclic %d, retile %d", s, c, cyclic, retile)
			}
		}
		if divides {
			even++
		}
	}
	if even < 500 {
		t.Errorf("only %d spaces that the CPUs divide", even)
	}
}

// TestPlanKeepsClosedForms requires of plans of rectangular spaces that the steps
// walked over their tiles are those of the closed forms, and that the same CPUs of
// the same nodes run them.
func TestPlanKeepsClosedForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	names := []string{"i", "j", "k", "l"}
	for range 500 {
		s := randomSpace(rng)
		n := len(s.U)
		ones := slices.Repeat([]int{1}, n)
		a := []plan.Assign{plan.Cluster, plan.Cyclic, plan.Mirror}[rng.IntN(3)]
		c := []plan.Comm{plan.Overlap, plan.Blocking}[rng.IntN(2)]
		p, err := plan.New(boxNest(units(n), names[:n]...), s.U, plan.Options{Tile: ones, Grid: s.P, Mesh: s.M, Map: names[s.Map], Assign: a, Comm: c})
		if err != nil {
			t.Fatal(err)
		}
		want := s.Makespan(a, c)
		if a == plan.Cluster {
			want /= s.W() // a step of the plan runs a tile of each column
		} else if got := s.Offset(a, c); got != p.Offset {
			t.Errorf("%+v, %s, %s: L = %d, the plan has %d", s, a, c, got, p.Offset)
		}
		if got := p.Steps(); got != want {
			t.Errorf("%+v, %s, %s: %d steps, the plan has %d", s, a, c, want, got)
		}
		col := make([]int, n)
		for i := range p.Columns() {
			p.ColumnAt(i, col)
			rank, cpu := 0, 0
			for x, k := range s.Node(a, col) {
				rank = rank*s.P[x] + k
			}
			for x, k := range s.CPU(a, col) {
				cpu = cpu*s.M[x] + k
			}
			if r, c := p.Worker(col); r != rank || c != cpu {
				t.Errorf("%+v, %s: column %v is of rank %d, CPU %d; the plan has %d, %d", s, a, col, rank, cpu, r, c)
			}
		}
		if got := Of(p); !slices.Equal(got.U, s.U) || !slices.Equal(got.M, s.M) || !slices.Equal(got.P, s.P) || got.Map != s.Map {
			t.Errorf("%+v: the plan's space is %+v", s, got)
		}
	}
}
