package transform

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/transform/plan"
)

// version goes into the digest of every program: ranks must not run programs of compilers that
// decide differently.
const version = 1

// Lower decides where the values of an analysed nest live.
//
// Each assignment becomes a value: one result per iteration, stored in the
// block at the skewed coordinates of its iteration. Storing results by
// iteration, and not cells by index, makes every array single-assignment: anti
// and output dependences disappear, D is the flow distances alone, and a block
// holds only the levels of the array that are still read (plan.Value). A read
// finds its value at the location of the last write that it may see. If no
// iteration has that location, the runtime fills it in advance with the
// content of the cell.
//
// T is the skew; or another order of loops, if rows then lie along the arrays that are written (rowOrder); or
// another unimodular matrix, from the cone of the dependences, that sends less (Communication) and takes
// less time (PredictedTime).
func Lower(n *ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) {
	return lowerCheapest(n, PredictedTime)
}

// lowerCheapest does what Lower does, with the given cost of a nest. T is the skew, or the cheapest of
// the candidates that send less and cost at most worthwhile times as much. T is the skew if the skew's
// cost is not known.
func lowerCheapest(n *ir.Nest, cost func(*plan.Nest) float64) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) {
	if n.Analysis == nil {
		panic("BUG: lower: the nest is not analysed")
	}
	dists := flow(n)
	skew := SkewOf(n, dists)
	best, nest, diags := lowerAs(n, skew, nil, "")
	if diag.HasErrors(diags) {
		return best, nest, diags
	}
	if t := rowOrder(n, dists, skew); t != nil {
		if l, p, more := lowerAs(n, t, nil, AlongRows); !diag.HasErrors(more) {
			return l, p, more
		}
	}
	var least float64 // the lowest cost so far, once the skew's is known
	sends := Communication(nest)
	for _, t := range candidates(n.Depth(), dists, skew) {
		l, p, more := lowerAs(n, t, nil, "chosen: it sends less than the skew "+matrixText(skew))
		if diag.HasErrors(more) || Communication(p) >= sends {
			continue
		}
		if least == 0 {
			if least = worthwhile * cost(nest); math.IsInf(least, 1) {
				break
			}
		}
		if c := cost(p); c < least {
			best, nest, diags, least = l, p, more, c
		}
	}
	return best, nest, diags
}

// LowerTiled does what Lower does, with the tiling t that the user gives. If the tiling does not
// fit the nest, LowerTiled returns only diagnostics.
func LowerTiled(n *ir.Nest, t *Tiling) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) {
	if n.Analysis == nil {
		panic("BUG: lower: the nest is not analysed")
	}
	if diags := t.fits(n); diag.HasErrors(diags) {
		return nil, nil, diags
	}
	return lowerAs(n, t.U, t.Sides, "given")
}

// lowerAs lowers n with T given by loops, a unimodular matrix over the loops. sides are
// tile sides, 0 or nil for sides that the planner chooses. why says who chose this
// tiling; it is "" for the skew.
func lowerAs(n *ir.Nest, loops [][]int, sides []int, why string) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) {
	l, shift := transformed(n, loops)
	l.Why = why
	if d := tooFar(n, l, shift); d != nil {
		return nil, nil, []diag.Diagnostic{*d}
	}
	p := &plan.Nest{Name: n.Name, Title: n.Title, Levelled: l.Levelled, Skew: l.Skew}
	p.Reversed = shift == 0 && n.Steps(l.Skew[0])[0] < 0
	lowerParams(n.Params, p)
	lowerFloats(n.Floats, p)
	lowerNarrow(n, p)
	if d := lowerSpace(n, l, p, shift); d != nil {
		return nil, nil, []diag.Diagnostic{*d}
	}
	if slices.ContainsFunc(sides, func(s int) bool { return s > 0 }) {
		p.Tile = sides
	}
	lowerArrays(n, p)
	lowerIndexes(n, p)
	lowerValues(n, l, p, shift)
	for _, r := range n.Reduces() {
		p.Reduces = append(p.Reduces, plan.Reduce{Name: r.Name, Op: r.Word(), Elem: r.Type.String()})
	}
	lowerReads(n, l, p, shift)
	p.Schedule = schedule(n)
	lowerGiven(n, l, p, shift)
	lowerRowDims(n, l, p)
	p.Varies = varies(n)
	lowerChecks(n, p)
	lowerNumbers(n, p)
	lowerExtends(&ir.Program{Params: n.Params, Arrays: n.Arrays, Nests: []*ir.Nest{n}, Steps: []ir.Step{{}}}, p)
	p.Whole = p.Numbers == nil && keepsWhole(n, l, p)
	p.InPlace = p.Whole && inPlace(n, l, p)
	trim(reflect.ValueOf(p))
	for v, s := range l.Values {
		a := n.Body[s].(*ir.Assign).Array
		l.Dead = append(l.Dead, len(p.Values[v].Flow) == 0 && !n.Arrays[a].Returned())
	}
	p.Digest = digest(n, p)
	return l, p, failsByDefault(n)
}

// transformed returns a lowered nest with only its T, and the number of dimensions in
// front of the loops: a nest of one loop gets a dimension of one level.
func transformed(n *ir.Nest, loops [][]int) (l *ir.Lowered, shift int) {
	l = &ir.Lowered{Levelled: n.Depth() == 1}
	if l.Levelled {
		shift = 1
	}
	l.Skew = identity(n.Depth() + shift)
	for k, row := range loops {
		copy(l.Skew[k+shift][shift:], row)
	}
	if _, l.Unskew = invert(l.Skew, 1<<40); l.Unskew == nil {
		panic(fmt.Sprintf("BUG: lower: %v is not unimodular", l.Skew))
	}
	return l, shift
}

// lowerParams copies the parameters and their defaults.
func lowerParams(params []ir.Param, p *plan.Nest) {
	for _, x := range params {
		p.Params = append(p.Params, x.Name)
		if x.Default == nil {
			continue
		}
		if p.Defaults == nil {
			p.Defaults = map[string]int{}
		}
		p.Defaults[x.Name] = *x.Default
	}
}

// lowerFloats copies the float parameters and their defaults.
func lowerFloats(floats []ir.FloatParam, p *plan.Nest) {
	for _, x := range floats {
		if x.Of != nil {
			break
		}
		p.Floats = append(p.Floats, x.Name)
		if x.Default == nil {
			continue
		}
		if p.FloatDefaults == nil {
			p.FloatDefaults = map[string]float64{}
		}
		p.FloatDefaults[x.Name] = *x.Default
	}
}

// lowerNarrow adds the float parameters that n rounds to float32.
func lowerNarrow(n *ir.Nest, p *plan.Nest) {
	n.FloatRefs(func(f *ir.FloatRef) {
		if f.T == ir.Float32 && f.Float < len(p.Floats) && !slices.Contains(p.Narrow, f.Float) {
			p.Narrow = append(p.Narrow, f.Float)
		}
	})
	slices.Sort(p.Narrow)
}

// lowerSpace names the dimensions, and bounds the skewed space. It refuses a T for which bound finds
// no bounds of a coordinate.
func lowerSpace(n *ir.Nest, l *ir.Lowered, p *plan.Nest, shift int) *diag.Diagnostic {
	if l.Levelled {
		p.Dims = append(p.Dims, "level")
		p.Space = append(p.Space, plan.Affine{Iters: []int{1, 0}}, plan.Affine{Iters: []int{-1, 0}})
	}
	p.Dims = append(p.Dims, dimNames(n, p, shift)...)
	for _, c := range n.Analysis.Space {
		p.Space = append(p.Space, skewedAffine(l, c, shift))
	}
	if p.Triangular() {
		return nil
	}
	for _, l := range n.Loops {
		p.Loops = append(p.Loops, l.Name)
	}
	if !bound(p) {
		return &diag.Diagnostic{
			Code: diag.TileIllegal, At: n.Loops[0].Span,
			Message: "the bounds of the loops are too many to be bounds of this tiling",
		}
	}
	return nil
}

// lowerChecks copies the checks for launch.
func lowerChecks(n *ir.Nest, p *plan.Nest) {
	for _, c := range n.Analysis.Checks {
		check := plan.Check{Message: fmt.Sprintf("%s:%d:%d: %s", n.File, c.At.Line, c.At.Col, c.Message)}
		for _, f := range c.Fails {
			check.Fails = append(check.Fails, plan.Affine{Const: f.Const, Params: f.Params})
		}
		p.Checks = append(p.Checks, check)
	}
}

// lowerExtends names the parameters of which a greater value only makes a run of a program longer.
func lowerExtends(of *ir.Program, p *plan.Nest) {
	for k, extends := range of.Extends() {
		if extends {
			p.Extends = append(p.Extends, of.Params[k].Name)
		}
	}
}

// lowerNumbers copies the bounds of the numbers of repeats, if these decide more than values: see numbered.
func lowerNumbers(n *ir.Nest, p *plan.Nest) {
	if !numbered(n, p) {
		return
	}
	forms := func(list []ir.Affine) (out []plan.Affine) {
		for _, f := range list {
			out = append(out, plan.Affine{Const: f.Const, Params: f.Params})
		}
		return out
	}
	first := n.Numbers[0].Param
	for _, x := range n.Numbers {
		first = min(first, x.Param)
	}
	p.Numbers = make([][2][]plan.Affine, len(n.Params)-first)
	for _, x := range n.Numbers {
		p.Numbers[x.Param-first] = [2][]plan.Affine{forms(x.Lo), forms(x.Hi)}
	}
}

// numbered reports whether the space, the cells, the reads or the checks of a nest depend on the numbers of repeats.
func numbered(n *ir.Nest, p *plan.Nest) bool {
	forms := slices.Clone(p.Space)
	for _, v := range p.Values {
		forms = slices.Concat(forms, v.Cell, v.Written)
	}
	for _, r := range p.Reads {
		forms = append(forms, r.Subs...)
	}
	for _, c := range p.Checks {
		forms = append(forms, c.Fails...)
	}
	for _, x := range n.Numbers {
		if slices.ContainsFunc(forms, func(f plan.Affine) bool { return x.Param < len(f.Params) && f.Params[x.Param] != 0 }) {
			return true
		}
	}
	return false
}

// digest identifies the source and the decisions about it.
func digest(n *ir.Nest, p *plan.Nest) string {
	decided, err := json.Marshal(p)
	if err != nil {
		panic("BUG: lower: " + err.Error())
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", version, n, decided))
	return hex.EncodeToString(sum[:])
}

// farthest bounds distances and skews: block margins are allocated for them.
const farthest = 1 << 20

// tooFar refuses dependences so long that no tile could hold them.
func tooFar(n *ir.Nest, l *ir.Lowered, shift int) *diag.Diagnostic {
	for k, r := range n.Analysis.Reads {
		for _, s := range r.Sources {
			for _, x := range skewed(l, s.Dist, shift) {
				if x > farthest {
					read := n.Reads[k]
					d := &diag.Diagnostic{
						Code: diag.TileIllegal, At: read.At,
						Message: fmt.Sprintf("flow dependence %v of %s is too long to tile: a tile side would exceed %d", s.Dist, n.Arrays[read.Array].Name, farthest),
					}
					if n.Arrays[read.Array].Boundary != nil {
						d.Hint = fmt.Sprintf("repeat in place of the loop %s, around two nests: one computes next from %[2]s, the other copies next to %[2]s", n.Loops[0].Name, n.Arrays[read.Array].Name)
					}
					return d
				}
			}
		}
	}
	return nil
}

// lowerArrays copies the facts about arrays that the planner needs.
func lowerArrays(n *ir.Nest, p *plan.Nest) {
	for _, a := range n.Arrays {
		out := plan.Array{Name: a.Name, Elem: a.Elem.String(), Size: a.Elem.Size(), Role: plan.Role(a.Role), Boundary: slices.Clone(a.Boundary), Item: a.Item, Unseen: a.Unseen}
		for k := range a.Lo {
			out.Lo = append(out.Lo, plan.Affine{Const: a.Lo[k].Const, Params: a.Lo[k].Params})
			out.Hi = append(out.Hi, plan.Affine{Const: a.Hi[k].Const, Params: a.Hi[k].Params})
		}
		for _, at := range a.Out {
			var fixed *plan.Affine
			if at != nil {
				fixed = &plan.Affine{Const: at.Const, Params: at.Params}
			}
			out.Slice = append(out.Slice, fixed)
		}
		switch {
		case a.Role == ir.InOut:
			out.Initial = plan.Given
		case a.Init != nil:
			out.Initial = plan.Computed
			out.InitIgnores = a.Init.Ignored()
		}
		p.Arrays = append(p.Arrays, out)
	}
}

// lowerValues makes a value of every assignment.
func lowerValues(n *ir.Nest, l *ir.Lowered, p *plan.Nest, shift int) {
	for s, stmt := range n.Body {
		w, ok := stmt.(*ir.Assign)
		if !ok {
			continue
		}
		v := plan.Value{Name: n.Arrays[w.Array].Name, Array: w.Array}
		if same := n.Assigns(w.Array); len(same) > 1 {
			v.Name = fmt.Sprintf("%s#%d", v.Name, slices.Index(same, s)+1)
		}
		for _, sub := range w.Subs {
			v.Cell = append(v.Cell, skewedAffine(l, sub, shift))
		}
		for _, o := range n.Analysis.Overwrites[s] {
			v.Overwrites = append(v.Overwrites, skewed(l, o.Dist, shift))
		}
		for _, c := range n.Analysis.Written[s] {
			v.Written = append(v.Written, plan.Affine{Const: c.Const, Params: c.Params, Iters: c.Iters})
		}
		v.Direct = direct(n, w, v, len(l.Skew)-1)
		l.Values = append(l.Values, s)
		p.Values = append(p.Values, v)
	}
}

// direct reports whether the kernel can store the results of assignment w, value v, in the
// returned array itself: no result is ever overwritten, the entire array is returned, and its last
// index alone changes along rows, dimension last of the plan.
func direct(n *ir.Nest, w *ir.Assign, v plan.Value, last int) bool {
	if a := &n.Arrays[w.Array]; a.Role != ir.Out || len(v.Overwrites) > 0 {
		return false
	}
	for m, sub := range v.Cell {
		want := 0
		if m == len(v.Cell)-1 {
			want = 1
		}
		if sub.Iters[last] != want {
			return false
		}
	}
	return true
}
