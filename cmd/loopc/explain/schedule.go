package explain

import (
	"fmt"
	"slices"

	"loopc/transform/paper"
	"loopc/transform/plan"
)

// Grouping says how the tiles of a time step are assigned to the CPUs of a rank.
type Grouping struct {
	H  [][]string `json:"h"`  // H^G: tile j^S belongs to group ⌊H^G·j^S⌋
	P  [][]int    `json:"p"`  // P^G = (H^G)^-1
	Pi []int      `json:"pi"` // Π^G: a group runs at step Π^G·j^G, counted from the first
}

// groupingOf returns the matrices of p. Hyperplane groups are those of [P1] (2) and
// (3); a vertical group, [P1] (4), has p.Sub tiles of each CPU of the mesh. Along a
// dimension that no dependence crosses, groups do not wait for one another, and
// the hyperplane is parallel to this dimension.
func groupingOf(p *plan.Plan) Grouping {
	s := paper.Of(p)
	g := Grouping{P: s.PG(), Pi: s.PiG(p.Comm)}
	for _, row := range s.HG() {
		var out []string
		for _, x := range row {
			out = append(out, x.String())
		}
		g.H = append(g.H, out)
	}
	for x := range p.Tiles {
		if x != p.Map && p.HaloWidth[x] == 0 {
			g.Pi[x], g.H[p.Map][x], g.P[p.Map][x] = 0, "0", 0
		}
	}
	if p.Group != plan.Vertical {
		return g
	}
	for x := range g.P {
		side := p.Mesh[x]
		switch {
		case x == p.Map:
			side, g.Pi[x] = p.Sub, 1
		case p.HaloWidth[x] == 0:
			g.Pi[x] = 0
		case p.Comm == plan.Blocking:
			g.Pi[x] = 1
		default:
			g.Pi[x] = 2
		}
		for y := range g.P[x] {
			g.P[x][y], g.H[x][y] = 0, "0"
		}
		g.P[x][x], g.H[x][x] = side, ratio(1, side)
	}
	return g
}

// A ClosedForm is a formula of the papers for the makespan.
type ClosedForm struct {
	Equation string `json:"equation"` // paper and number, such as "[P2] (1)"
	Formula  string `json:"formula"`
	Steps    int    `json:"steps"`
	// Exact: the space is a box, as the papers assume, so that Steps equals Report.Steps.
	Exact bool `json:"exact"`
}

// closedForms returns the closed form for the makespan of p, if the papers have one. They have
// none for several rounds with vertical groups, or with an assignment other than cyclic and mirror;
// nor if some dimension besides the mapping dimension has several tiles and is crossed by no
// dependence.
func closedForms(p *plan.Plan) []ClosedForm {
	s := paper.Of(p)
	for x, tiles := range p.Tiles {
		if x != p.Map && tiles > 1 && p.HaloWidth[x] == 0 {
			return []ClosedForm{}
		}
	}
	overlap := p.Comm == plan.Overlap
	pick := func(a, b string) string {
		if overlap {
			return a
		}
		return b
	}
	c := ClosedForm{Exact: p.Space.BoxInside(p.Lo, p.Hi)}
	number := map[plan.Assign]string{plan.Cyclic: pick("(3)", "(4)"), plan.Mirror: pick("(5)", "(6)")}[p.Assign]
	switch oneColumn := s.W() == 1; { // of each CPU
	case p.Chunked() && !oneColumn && (p.Group == plan.Vertical || number == ""):
		return []ClosedForm{}
	case p.Group == plan.Vertical:
		s.U = slices.Clone(s.U)
		s.U[p.Map] = plan.CeilDiv(s.U[p.Map], p.Sub)
		c.Equation, c.Formula = "[P1] 4.6", pick("u₁/N + 2ΣG − 2n + 2", "u₁/N + ΣG − n + 1")
		c.Steps = s.Merged().EnoughNodes(plan.Vertical, p.Comm)
	case p.Chunked() && !oneColumn:
		c.Steps = s.Makespan(p.Assign, p.Comm)
		c.Equation, c.Formula = "[P2] "+number, pick("Σ[(u−1) mod mp + (G−1) mod p] + L(W−1) + u₁", "Σ[(u−1) mod mp] + L(W−1) + u₁")
		c.Formula += fmt.Sprintf(" with L = %d, W = %d", p.Offset, s.W())
	case !oneColumn:
		c.Equation, c.Formula = "[P2] "+pick("(7)", "(8)"), pick("u₁ + Σ⌈u/c⌉ + Σ⌈u/mc⌉ − 2n + 2", "u₁ + Σ⌈u/c⌉ − n + 1")
		c.Formula += fmt.Sprintf(", each of W = %d tiles", s.W())
		c.Steps = s.Merged().EnoughNodes(plan.Hyperplane, p.Comm)
	default:
		c.Equation, c.Formula = "[P2] "+pick("(1)", "(2)"), pick("Σu + ΣG − 2n + 2", "Σu − n + 1")
		c.Steps = s.EnoughNodes(plan.Hyperplane, p.Comm)
	}
	return []ClosedForm{c}
}

func (c *ClosedForm) text() string {
	s := fmt.Sprintf("%s by %s: %s", count(int64(c.Steps)), c.Equation, c.Formula)
	if !c.Exact {
		s += "; for the bounding box, of which some tiles have no iterations"
	}
	return s
}
