package transform

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/lattice"
	"loopc/transform/plan"
)

// dimNames names the dimensions of the plan after the rows of T. If T is triangular, each
// dimension is a loop, shifted, and keeps its name; otherwise it is a sum of loops, such as i+t
// or 2*t-i.
func dimNames(n *ir.Nest, p *plan.Nest, shift int) []string {
	var names []string
	for k, row := range p.Skew[shift:] {
		if p.Triangular() {
			names = append(names, n.Loops[k].Name)
			continue
		}
		// Positive terms come first, so that few names begin with a minus.
		var plus, minus strings.Builder
		for x, c := range row[shift:] {
			b, sign := &plus, "+"
			if c < 0 {
				b, sign = &minus, "-"
			}
			if c == 0 {
				continue
			}
			if b.Len() > 0 || c < 0 {
				b.WriteString(sign)
			}
			if c != 1 && c != -1 {
				fmt.Fprintf(b, "%d*", max(c, -c))
			}
			b.WriteString(n.Loops[x].Name)
		}
		names = append(names, plus.String()+minus.String())
	}
	return names
}

// bound adds, for each coordinate, the inequalities that follow from those of p and have only that
// coordinate and parameters. The planner finds the bounding box of a space by narrowing one side
// after the other, so it must begin with an inequality that has a single coordinate. If T is
// triangular, the bounds of the outermost loop are such inequalities; otherwise there may be none.
// bound returns false if package lattice, within its limits, finds no lower or no upper bound of a
// coordinate.
func bound(p *plan.Nest) bool {
	params, dims := len(p.Params), len(p.Dims)
	all := lattice.New(params + dims)
	for _, f := range p.Space {
		row := make(lattice.Row, params+dims+1)
		for k, c := range f.Params {
			row[k] = int64(c)
		}
		for k, c := range f.Iters {
			row[params+k] = int64(c)
		}
		row[params+dims] = int64(f.Const)
		all.Add(row)
	}
	for k := range dims {
		// A projection that is not exact is too large: its rows hold nevertheless.
		projection, _ := all.Project(func(column int) bool { return column < params || column == params+k })
		if projection.Never() {
			p.Space = append(p.Space, plan.Affine{Const: -1}) // there is never an iteration
			return true
		}
		above, below := false, false
		for _, row := range projection.Minimal().Rows() {
			f := plan.Affine{Const: int(row[params+dims]), Params: make([]int, params), Iters: make([]int, dims)}
			for x := range params {
				f.Params[x] = int(row[x])
			}
			f.Iters[k] = int(row[params+k])
			above, below = above || f.Iters[k] < 0, below || f.Iters[k] > 0
			same := func(g plan.Affine) bool {
				return g.Const == f.Const && slices.Equal(trimmed(g.Params), trimmed(f.Params)) && slices.Equal(trimmed(g.Iters), trimmed(f.Iters))
			}
			if f.Iters[k] != 0 && !slices.ContainsFunc(p.Space, same) {
				p.Space = append(p.Space, f)
			}
		}
		if !above || !below {
			return false
		}
	}
	return true
}
