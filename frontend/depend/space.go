package depend

import (
	"fmt"

	"loopc/ir"
	"loopc/ir/lattice"
)

// A direction says which write an access is paired with: the last one before it, at iteration
// j-d, or the next one after it, at j+d.
type direction int

const (
	backward direction = -1
	forward  direction = 1
)

// A space is the iteration space J of a nest, with known facts about the parameters, as rows of
// systems. The columns are the parameters, the loops (iteration j), and further variables of a
// question.
type space struct {
	params, depth int
	step          []int           // of each loop: 1, or -1 if it runs backward
	constraints   []ir.Constraint // of J
	guard         []ir.Constraint // of the iterations at hand, which are some of J: see under
	// assumed holds for the parameters of every launch that runs: no extent of an array is
	// negative, and the numbers of repeats are within their bounds.
	assumed []ir.Constraint
	// single[k] is the only value of loop k, affine in the parameters and the outer loops, if J
	// implies one; else nil.
	single []*ir.Affine
}

// newSpace returns the space of n.
func newSpace(n *ir.Nest) *space {
	s := &space{params: len(n.Params), depth: n.Depth()}
	for k, l := range n.Loops {
		s.step = append(s.step, l.Step())
		for _, lo := range l.Lo {
			s.constraints = append(s.constraints, minus(iterator(k, s.depth), lo))
		}
		for _, hi := range l.Hi {
			s.constraints = append(s.constraints, minus(hi, iterator(k, s.depth)))
		}
	}
	said := map[string]bool{} // arrays often have the same extents
	for _, arr := range n.Arrays {
		for d := range arr.Lo {
			extent := minus(arr.Hi[d], arr.Lo[d])
			extent.Const++
			if key := fmt.Sprint(extent); !said[key] {
				said[key] = true
				s.assumed = append(s.assumed, extent)
			}
		}
	}
	s.assumed = append(s.assumed, n.NumbersWithin()...)
	inside := s.iterations(0)
	s.single = make([]*ir.Affine, s.depth)
	for k, l := range n.Loops {
		for _, lo := range l.Lo {
			if s.in(inside).implies(minus(lo, iterator(k, s.depth))) {
				s.single[k] = &lo
				break
			}
		}
	}
	return s
}

// iterator returns the affine form x_k, with n coefficients.
func iterator(k, n int) ir.Affine {
	a := ir.Affine{Iters: make([]int, n)}
	a.Iters[k] = 1
	return a
}

// minus returns a - b.
func minus(a, b ir.Affine) ir.Affine { return a.PlusTimes(-1, b) }

// parameters returns a system that contains the assumptions. Its columns are the parameters, and
// more other columns.
func (s *space) parameters(more int) *lattice.System {
	sys := lattice.New(s.params + more)
	for _, f := range s.assumed {
		s.in(sys).add(f)
	}
	return sys
}

// iterations returns the system "j lies in J, and satisfies the guard". Behind j it has as many further columns as more
// says.
func (s *space) iterations(more int) *lattice.System {
	sys := s.parameters(s.depth + more)
	for _, c := range s.constraints {
		s.in(sys).add(c)
	}
	for _, c := range s.guard {
		s.in(sys).add(c)
	}
	return sys
}

// under returns the space for questions about the iterations at which a piece of a guard holds. The iterations
// at a distance from them are any of J.
func (s *space) under(piece []ir.Constraint) *space {
	if len(piece) == 0 {
		return s
	}
	x := *s
	x.guard = piece
	return &x
}

// at returns a row for sys: constraint c of J at iteration j + dir·d.
func (s *space) at(sys *lattice.System, c ir.Constraint, dir direction, d ir.Vec) lattice.Row {
	return s.in(sys).row(plusConst(c, slope(c, dir, d)))
}

// slope is the growth of constraint c from iteration j to j + dir·d.
func slope(c ir.Constraint, dir direction, d ir.Vec) int {
	sum := 0
	for k, x := range d {
		sum += c.Iter(k) * x
	}
	return int(dir) * sum
}

// reach returns the system "j and j + dir·d lie in J".
func (s *space) reach(dir direction, d ir.Vec) *lattice.System {
	sys := s.iterations(0)
	for _, c := range s.constraints {
		if slope(c, dir, d) < 0 {
			sys.Add(s.at(sys, c, dir, d))
		}
	}
	return sys
}

// maxTests bounds the systems that one walk of outside may test.
const maxTests = 4000

// outside calls visit for systems whose union is base without the iterations j for which some
// j + dir·d, with d in holes, lies in J. base must imply that j lies in J. Systems that are known
// to be empty are left out. The walk ends when visit returns false. If the walk grows too long,
// outside visits base itself: the union is then larger than it should be, never smaller.
func (s *space) outside(base *lattice.System, dir direction, holes []ir.Vec, visit func(*lattice.System) bool) {
	tests, over := 0, false
	var walk func(sys *lattice.System, holes []ir.Vec) bool
	walk = func(sys *lattice.System, holes []ir.Vec) bool {
		if tests++; tests > maxTests {
			over = true
			return false
		}
		if sys.Empty() {
			return true
		}
		if len(holes) == 0 {
			return visit(sys)
		}
		for _, c := range s.constraints {
			if slope(c, dir, holes[0]) >= 0 {
				continue // holds at j, so it holds at j + dir·d
			}
			if !walk(sys.Without(s.at(sys, c, dir, holes[0])), holes[1:]) {
				return false
			}
		}
		return true
	}
	walk(base, holes)
	if over {
		visit(base)
	}
}

// covered reports whether every iteration has one of the sources in J.
func (s *space) covered(sources []ir.Source, dir direction) bool {
	covered := true
	s.outside(s.iterations(0), dir, distances(sources), func(*lattice.System) bool {
		covered = false
		return false
	})
	return covered
}

// distances returns the distances of sources.
func distances(sources []ir.Source) []ir.Vec {
	var out []ir.Vec
	for _, s := range sources {
		out = append(out, s.Dist)
	}
	return out
}

// image returns the cells that subs reaches from J, as constraints on the parameters and the
// cell's indices, and whether these describe exactly that set.
func (s *space) image(subs []ir.Affine) (cells []ir.Constraint, exact bool) {
	cell, first := s.params, s.params+len(subs)
	iteration := point{lattice.New(first + s.depth), first}
	for _, c := range s.constraints {
		iteration.add(c)
	}
	iteration.reach(subs, cell)
	projection, exact := iteration.sys.Project(func(column int) bool { return column < first })
	if projection.Never() {
		return []ir.Constraint{{Const: -1}}, true
	}
	for _, r := range projection.Minimal().Rows() {
		cells = append(cells, constraint(r, s.params, len(subs)))
	}
	return cells, exact
}
