package explain

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/transform/plan"
)

// A Place is a place in the source: line and column from 1.
type Place struct {
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Text string `json:"text"` // the source text there
}

// A Dependence is a uniform dependence of the sequential program.
type Dependence struct {
	Kind     string `json:"kind"` // flow, anti or output
	Array    string `json:"array"`
	Distance []int  `json:"distance"` // d, per loop
	Skewed   []int  `json:"skewed"`   // the skew matrix times d, per dimension
	From     Place  `json:"from"`
	To       Place  `json:"to"`
	// Carried reports whether the dependence is in D: a flow dependence between iterations.
	// Each result has its own cell, so anti and output dependences constrain nothing.
	Carried bool `json:"carried"`
	// Skews are the loops along which the dependence has a negative component, which forces
	// a skew.
	Skews []string `json:"skews"`
	// Sides are the dimensions along which this dependence is the longest: it bounds the
	// tile side there from below.
	Sides []string `json:"sides"`
	// Crosses are the directions, by Face.Name, in which the dependence leaves a column of
	// tiles.
	Crosses []string `json:"crosses"`
	// Stays: the dependence leads from a tile to the next one of its column.
	Stays bool `json:"stays"`
}

// dependences returns what the analysis found, flow dependences first.
func dependences(s *Subject) []Dependence {
	out := []Dependence{}
	p, n := s.Plan, s.Nest
	extra := s.extraDims()
	for _, d := range n.Analysis.Deps {
		x := Dependence{
			Kind: d.Kind.String(), Array: n.Arrays[d.Array].Name, Distance: d.Dist,
			From: s.place(d.Src), To: s.place(d.Dst), Carried: d.Kind == ir.Flow && d.Dist.Sign() != 0,
			Skews: []string{}, Sides: []string{}, Crosses: []string{},
		}
		// Along dimensions of the plan that are no loops, the distance is 0.
		padded := make([]int, extra, extra+len(d.Dist))
		x.Skewed = times(p.Nest.Skew, append(padded, d.Dist...))
		if x.Carried {
			forces(s, &x)
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b Dependence) int {
		rank := func(d Dependence) int { return slices.Index([]string{"flow", "anti", "output"}, d.Kind) }
		return rank(a) - rank(b)
	})
	return out
}

// forces fills in what a carried dependence forces: Skews, Sides, Crosses and Stays.
func forces(s *Subject, x *Dependence) {
	p := s.Plan
	// With a matrix from the user (--tiling), no single component forces the skew along its
	// loop.
	for k, c := range x.Distance {
		if c < 0 && p.Nest.Triangular() && s.skewed(k) {
			x.Skews = append(x.Skews, s.Nest.Loops[k].Name)
		}
	}
	for k, c := range x.Skewed {
		if k >= s.extraDims() && c > 0 && c == p.HaloWidth[k] {
			x.Sides = append(x.Sides, p.Nest.Dims[k])
		}
	}
	if p.Empty {
		return
	}
	for _, dir := range p.Directions() {
		if leaves(x.Skewed, dir.Step) && leads(p, dir.Step) {
			x.Crosses = append(x.Crosses, directionName(p, dir.Step))
		}
	}
	x.Stays = x.Skewed[p.Map] > 0 && p.Tiles[p.Map] > 1
}

// skewed reports whether loop k is skewed by another.
func (s *Subject) skewed(k int) bool {
	for x, c := range s.Plan.Nest.Skew[s.extraDims()+k] {
		if x != s.extraDims()+k && c != 0 {
			return true
		}
	}
	return false
}

// leaves reports whether distance d can lead out of a tile along every dimension
// of step at once.
func leaves(d, step []int) bool {
	for k, c := range step {
		if c == 1 && d[k] == 0 {
			return false
		}
	}
	return true
}

// leads reports whether any column of tiles has a neighbor in a direction.
func leads(p *plan.Plan, step []int) bool {
	for k, c := range step {
		if c == 1 && p.Tiles[k] == 1 {
			return false
		}
	}
	return true
}

// directionName returns "i" for the next column along i, "i+j" for the column across the
// corner.
func directionName(p *plan.Plan, step []int) string {
	var names []string
	for k, c := range step {
		if c == 1 {
			names = append(names, p.Nest.Dims[k])
		}
	}
	return strings.Join(names, "+")
}

// place describes a span of the source.
func (s *Subject) place(at diag.Span) Place {
	x := Place{Line: at.Line, Col: at.Col}
	if at.Line >= 1 && at.Line <= len(s.Nest.Source) {
		line := []rune(s.Nest.Source[at.Line-1])
		if from := at.Col - 1; from >= 0 && from < len(line) {
			x.Text = string(line[from:min(from+max(at.Len, 1), len(line))])
		}
	}
	return x
}

func (p Place) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// why says in words what x forces.
func (x *Dependence) why() string {
	if !x.Carried {
		if x.Kind == "flow" {
			return "within an iteration"
		}
		return "nothing"
	}
	var parts []string
	add := func(what string, names []string, sep string) {
		if len(names) > 0 {
			parts = append(parts, what+" "+strings.Join(names, sep))
		}
	}
	add("skew", x.Skews, ", ")
	add("side", x.Sides, ", ")
	add("face", x.Crosses, ", ")
	if x.Stays {
		parts = append(parts, "next tile")
	}
	if len(parts) == 0 {
		return "nothing more"
	}
	return strings.Join(parts, "; ")
}

// times returns m·v.
func times(m [][]int, v []int) []int {
	out := make([]int, len(m))
	for k, row := range m {
		for x, c := range row {
			out[k] += c * v[x]
		}
	}
	return out
}
