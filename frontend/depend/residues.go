package depend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/lattice"
)

// Writes with subscripts such as 2*t-1 and 2*t reach every cell together, but the cells of one of them are no projection of a
// convex set: each has the cells of one residue. So cells are compared residue by residue: cell[d] = spacing[d]·q[d] + rest[d], and
// systems have q in the columns of cells.

// A residue is the cells with the given remainders.
type residue struct{ spacing, rest []int64 }

// mostResidues bounds the residues that are compared, over all dimensions.
const mostResidues = 64

// residues returns the residues of an array that keep the cells of each access apart: subscripts divided by their spacing have
// coefficients of 1 where they had the spacing.
func residues(accesses []TimedAccess) []residue {
	if len(accesses) == 0 {
		return []residue{{}}
	}
	spacing := make([]int64, len(accesses[0].Subs))
	all := int64(1)
	for d := range spacing {
		spacing[d] = 1
		for _, w := range accesses {
			for _, c := range coefficients(w.Nest, w.Subs[d]) {
				if c = max(c, -c); c > 1 && c <= mostResidues {
					spacing[d] = leastCommon(spacing[d], c)
				}
			}
		}
		if all*spacing[d] > mostResidues {
			spacing[d] = 1
		}
		all *= spacing[d]
	}
	if all == 1 {
		return []residue{{}}
	}
	out := []residue{{spacing: spacing}}
	for d := range spacing {
		var next []residue
		for _, r := range out {
			for k := range spacing[d] {
				next = append(next, residue{spacing, append(slices.Clone(r.rest), k)})
			}
		}
		out = next
	}
	return out
}

// coefficients returns those of a subscript's loops and numbers of repeats.
func coefficients(n *ir.Nest, sub ir.Affine) (all []int64) {
	for k := range n.Loops {
		all = append(all, int64(sub.Iter(k)))
	}
	for _, x := range n.Numbers {
		all = append(all, int64(sub.Param(x.Param)))
	}
	return all
}

func leastCommon(a, b int64) int64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// of returns sys with q in place of the cells, which begin at column cell.
func (r residue) of(sys *lattice.System, cell int) *lattice.System {
	if sys == nil || r.spacing == nil {
		return sys
	}
	out := lattice.New(sys.Columns())
	if sys.Never() {
		out.Add(never(out.Columns()))
	}
	for _, row := range sys.Rows() {
		row = slices.Clone(row)
		for d, by := range r.spacing {
			row[len(row)-1] += row[cell+d] * r.rest[d]
			row[cell+d] *= by
		}
		out.Add(row)
	}
	return out
}
