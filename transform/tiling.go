package transform

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A Tiling is a tiling matrix H = D⁻¹·U as a user gives it: U is unimodular and becomes ir.Lowered.Skew;
// D is diagonal, with the sides of the tiles as entries. Tiles are parallelepipeds of iterations,
// which U maps to rectangles.
type Tiling struct {
	U [][]int
	// Sides are the sides of a tile along the rows of U, in iterations; a side of 0 is left to the
	// planner.
	Sides []int
}

// ParseTiling reads a tiling matrix: rows separated by semicolons, entries by
// commas or spaces, each an integer or a fraction, perhaps with "H=" in front:
//
//	H=1/8,0;1/8,1/8
//
// Each row is 1/s times coprime integers, where s is the tile side; the matrix of these integers is
// unimodular. A row of integers, s = 1, leaves the side to the planner; a tile side of one iteration
// can be given at launch.
//
// Errors say what is wrong in the text, with a correction.
func ParseTiling(text string) (*Tiling, error) {
	body := strings.TrimSpace(text)
	if name, rest, ok := strings.Cut(body, "="); ok {
		if strings.TrimSpace(name) != "H" {
			return nil, fmt.Errorf("%q is no tiling matrix: it is written H=1/8,0;1/8,1/8, a row for each loop", text)
		}
		body = rest
	}
	t := &Tiling{}
	rows := strings.Split(strings.TrimSuffix(strings.TrimSpace(body), ";"), ";")
	for k, row := range rows {
		entries := strings.FieldsFunc(row, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
		if len(entries) != len(rows) {
			return nil, fmt.Errorf("the tiling matrix is not square: row %d (%s) has %s, and there are %d rows; rows are separated by semicolons, and there is one for each loop",
				k+1, strings.TrimSpace(row), plural(len(entries), "entry", "entries"), len(rows))
		}
		u, side, err := parseRow(entries)
		if err != nil {
			return nil, fmt.Errorf("row %d of the tiling matrix (%s): %w", k+1, strings.TrimSpace(row), err)
		}
		t.U, t.Sides = append(t.U, u), append(t.Sides, side)
	}
	det, inverse := invert(t.U, farthest)
	switch {
	case det.Sign() == 0:
		return nil, errors.New("the tiling matrix is singular: its rows are the normals of the tile faces, and must be independent")
	case det.CmpAbs(big.NewInt(1)) != 0:
		return nil, fmt.Errorf("the tiling matrix is not diagonal times unimodular: without the tile sides it is U = %s, with the determinant %s, not 1 or -1; "+
			"its tiles would not all hold the same points", matrixText(t.U), det)
	case inverse == nil:
		return nil, fmt.Errorf("the inverse of the tiling matrix has entries beyond %d", farthest)
	}
	return t, nil
}

// parseRow returns the coprime integers u and the side s with row = u/s; s = 1
// is returned as 0. Entries are rational numbers.
func parseRow(entries []string) (u []int, side int, err error) {
	var row []*big.Rat
	common := big.NewInt(1) // the least common multiple of the denominators
	for _, e := range entries {
		x, ok := new(big.Rat).SetString(e)
		if !ok || strings.ContainsAny(e, ".eEpPxXoObB_") {
			return nil, 0, fmt.Errorf("%q is no integer or fraction, such as -1 or 1/32", e)
		}
		if x.Num().CmpAbs(big.NewInt(farthest)) > 0 || x.Denom().CmpAbs(big.NewInt(farthest)) > 0 {
			return nil, 0, fmt.Errorf("%s is out of range: numerators and denominators are at most %d", e, farthest)
		}
		row = append(row, x)
		g := new(big.Int).GCD(nil, nil, common, x.Denom())
		common.Mul(common, new(big.Int).Quo(x.Denom(), g))
		if common.CmpAbs(big.NewInt(farthest)) > 0 {
			return nil, 0, fmt.Errorf("the tile side would exceed %d", farthest)
		}
	}
	for _, x := range row {
		scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(common))
		if scaled.Num().CmpAbs(big.NewInt(farthest)) > 0 {
			return nil, 0, fmt.Errorf("its integers would exceed %d", farthest)
		}
		u = append(u, int(scaled.Num().Int64()))
	}
	s, g := int(common.Int64()), gcd(u)
	switch {
	case g == 0:
		return nil, 0, errors.New("it is zero, and the matrix singular")
	case g > 1:
		for k := range u {
			u[k] /= g
		}
		// The row is g/s times u. g and s are coprime, because s is the least common denominator of the row.
		by := fmt.Sprint(g)
		if s > 1 {
			by = fmt.Sprintf("%d/%d", g, s)
		}
		return nil, 0, fmt.Errorf("it is %s times the integers (%s), and must be one over the tile side times integers without a common divisor, such as %s",
			by, strings.Join(spelled(u), ", "), rowText(u, max(1, s/g)))
	case s == 1:
		s = 0
	}
	return u, s, nil
}

// fits refuses a tiling that nest n cannot have: of another depth, against a dependence, or
// with sides shorter than a dependence.
func (t *Tiling) fits(n *ir.Nest) []diag.Diagnostic {
	illegal := func(at diag.Span, format string, args ...any) diag.Diagnostic {
		return diag.Diagnostic{Code: diag.TileIllegal, At: at, Message: fmt.Sprintf(format, args...)}
	}
	if len(t.U) != n.Depth() {
		d := illegal(n.Loops[0].Span, "the tiling matrix is %d × %d, but the nest has %s", len(t.U), len(t.U), plural(n.Depth(), "loop", "loops"))
		d.Hint = legalTiling(n)
		return []diag.Diagnostic{d}
	}
	var out []diag.Diagnostic
	seen := map[string]bool{}
	for k, r := range n.Analysis.Reads {
		for _, s := range r.Sources {
			if s.Dist.Sign() == 0 {
				continue
			}
			read, write := n.Reads[k], n.Body[s.Stmt].(*ir.Assign)
			key := fmt.Sprint(read.At, write.Span, s.Dist)
			if seen[key] {
				continue
			}
			seen[key] = true
			array := n.Arrays[read.Array].Name
			for i, x := range apply(t.U, s.Dist) {
				side := t.Sides[i]
				var d diag.Diagnostic
				switch {
				case x < 0:
					d = illegal(read.At, "the tiling runs against the flow dependence %v of %s: row %d of H, (%s), times %[1]v is %[5]s, and must not be negative",
						s.Dist, array, i+1, rowText(t.U[i], side), fraction(x, side))
				case side > 0 && x > side:
					d = illegal(read.At, "tiles are too short for the flow dependence %v of %s: row %d of H, (%s), times %[1]v is %[5]s, and must be 1 at most",
						s.Dist, array, i+1, rowText(t.U[i], side), fraction(x, side))
				default:
					continue
				}
				d.Notes = []diag.Note{{At: write.Span, Message: "the value is computed here"}}
				d.Hint = legalTiling(n)
				out = append(out, d)
				break // one diagnostic per dependence
			}
		}
	}
	diag.Sort(out)
	return out
}

// legalTiling returns a hint: a legal tiling of the nest.
func legalTiling(n *ir.Nest) string {
	return fmt.Sprintf(`--tiling "H=%s" is legal, with tile sides left to the planner`, rowsText(SkewOf(n, flow(n)), nil))
}

// flow returns the distances of the flow dependences of n between different iterations,
// with repetitions.
func flow(n *ir.Nest) []ir.Vec {
	var dists []ir.Vec
	for _, r := range n.Analysis.Reads {
		for _, s := range r.Sources {
			if s.Dist.Sign() != 0 {
				dists = append(dists, s.Dist)
			}
		}
	}
	return dists
}

// rowsText returns a tiling matrix as the user types it.
func rowsText(u [][]int, sides []int) string {
	var rows []string
	for k, row := range u {
		side := 0
		if sides != nil {
			side = sides[k]
		}
		rows = append(rows, rowText(row, side))
	}
	return strings.Join(rows, ";")
}

// rowText returns the text of a row of H = D⁻¹·U; a side of 0 counts as 1.
func rowText(u []int, side int) string {
	var out []string
	for _, x := range u {
		out = append(out, fraction(x, side))
	}
	return strings.Join(out, ",")
}

// fraction returns the text of x/side in lowest terms; a side of 0 counts as 1.
func fraction(x, side int) string { return big.NewRat(int64(x), int64(max(1, side))).RatString() }

// matrixText returns the text of a matrix of integers, "[1 0; 1 1]".
func matrixText(m [][]int) string {
	var rows []string
	for _, row := range m {
		rows = append(rows, strings.Join(spelled(row), " "))
	}
	return "[" + strings.Join(rows, "; ") + "]"
}

func spelled(v []int) []string {
	var out []string
	for _, x := range v {
		out = append(out, fmt.Sprint(x))
	}
	return out
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
