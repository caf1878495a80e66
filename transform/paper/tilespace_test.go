package paper

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

var tileSpaces = flag.Int("tilespaces", 20_000, "number of random tile spaces on which closed forms are compared with enumeration")

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
		plantest.EachPoint(make([]int, len(s.U)), last, func(tile []int) { chunks = append(chunks, chunk(tile)) })
		slices.SortFunc(chunks, slices.Compare[[]int])
		chunks = slices.CompactFunc(chunks, slices.Equal[[]int])
		if len(chunks) != s.W() {
			t.Errorf("%+v: W = %d, there are %d chunks", s, s.W(), len(chunks))
		}
		plantest.EachPoint(make([]int, len(s.U)), last, func(tile []int) {
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
		p, err := plan.New(plantest.BoxNest(plantest.Units(n), names[:n]...), s.U, plan.Options{Tile: ones, Grid: s.P, Mesh: s.M, Map: names[s.Map], Assign: a, Comm: c})
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
