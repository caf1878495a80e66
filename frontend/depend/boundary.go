package depend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/lattice"
	"loopc/runtime/boundary"
)

// A read beyond a bound of an array with a boundary reads another cell. The distance beyond the
// bound, m cells, differs from iteration to iteration. For each m the read has other subscripts:
// at the lower bound of a copied boundary it has sub+m, which is the first cell where sub = lo-m.
// So J is divided into the inside, one part for every m of each bound, and corners. On each part
// the read is uniform, or not, like any other read.
//
// Values are stored at iterations. The iterations at which a read beyond a bound looks for its
// value do not exist, so what is stored there is decided here, part by part: see
// ir.Source.When. Two reads that look at the same place must find the same value.

// A part is a part of J, with the cell that a read reads on it.
type part struct {
	sys     *lattice.System
	when    []ir.Constraint // constraints on the part, in addition to J; nil: the inside
	access  access          // with the subscripts of this part
	wraps   bool            // some subscripts wrap around a periodic boundary
	sources []ir.Source
}

// farthestBeyond is the farthest that a read may go beyond a bound, in cells.
const farthestBeyond = 8

// partsOf returns the parts of J for read x, the inside first. It leaves out other parts that
// have no iterations for any parameters. A refused read has no parts. A read of an array without a
// boundary has a part for each piece of its guard.
func (a *analyzer) partsOf(x access) []part {
	arr, guard := &a.nest.Arrays[x.array], a.guards[x.read]
	var parts []part
	switch {
	case len(guard) == 0:
		return []part{{sys: a.space.never(), access: x}}
	case arr.Boundary != nil && len(guard) > 1:
		guard = always
	}
	for _, piece := range guard {
		p := part{sys: a.restricted(a.space.iterations(0), piece), access: x}
		p.access.guard = piece
		parts = append(parts, p)
	}
	for d := range arr.Boundary {
		var next []part
		for _, p := range parts {
			more, ok := a.along(arr, d, p)
			if !ok {
				return nil
			}
			next = append(next, more...)
		}
		parts = next
	}
	return parts
}

// divided reports whether a read is beyond a boundary of its array on some part of J.
func (a *analyzer) divided(id int) bool {
	return a.nest.Arrays[a.nest.Reads[id].Array].Boundary != nil && len(a.parts[id]) > 1
}

// along divides a part by how far the subscript of dimension d is beyond a bound.
func (a *analyzer) along(arr *ir.Array, d int, p part) (parts []part, ok bool) {
	sub, lo, hi := p.access.subs[d], arr.Lo[d], arr.Hi[d]
	inside := p
	inside.sys = p.sys.Clone()
	var beyond []part
	for side, kind := range arr.Boundary[d] {
		if kind == boundary.None {
			continue
		}
		out := minus(lo, sub) // how far beyond, where positive
		if side == 1 {
			out = minus(sub, hi)
		}
		within := minus(ir.Affine{}, out)
		far := a.farthest(p.sys, out)
		if far < 1 {
			continue
		}
		if far > farthestBeyond {
			a.tooFarBeyond(p.access, d, kind)
			return nil, false
		}
		a.space.in(inside.sys).add(within)
		for m := 1; m <= far; m++ {
			b := p
			b.sys = p.sys.Clone()
			exactly := []ir.Constraint{plusConst(out, -m), plusConst(within, m)}
			for _, c := range exactly {
				a.space.in(b.sys).add(c)
			}
			if b.sys.Empty() {
				continue
			}
			b.when = append(slices.Clip(p.when), exactly...)
			b.wraps = b.wraps || kind.Wraps()
			b.access.subs = slices.Clone(p.access.subs)
			b.access.subs[d] = mapped(sub, lo, hi, kind, side, m)
			beyond = append(beyond, b)
		}
	}
	return append([]part{inside}, beyond...), true
}

// mapped returns the subscript that is read in place of sub, m cells beyond a bound; side is 0
// at the lower bound and 1 at the upper one.
func mapped(sub, lo, hi ir.Affine, kind boundary.Kind, side, m int) ir.Affine {
	inward := 1 - 2*side
	constant, slope := kind.Affine(m)
	extent := plusConst(minus(hi, lo), 1)
	return plusConst(sub, inward*constant).PlusTimes(inward*slope, extent)
}

// plusConst returns f + c.
func plusConst(f ir.Affine, c int) ir.Affine {
	f.Const += c
	return f
}

// farthest returns the greatest value of f on sys; farthestBeyond+1 if it is greater than
// farthestBeyond or depends on the parameters.
func (a *analyzer) farthest(sys *lattice.System, f ir.Affine) int {
	for m := range farthestBeyond + 1 {
		above := sys.Clone()
		a.space.in(above).add(plusConst(f, -m-1))
		if above.Empty() {
			return m
		}
	}
	return farthestBeyond + 1
}

// tooFarBeyond refuses a read that leaves the bounds by any distance.
func (a *analyzer) tooFarBeyond(x access, d int, kind boundary.Kind) {
	a.diags = append(a.diags, diag.Diagnostic{
		Code: diag.Boundary, At: x.at,
		Message: fmt.Sprintf("%s may be more than %d cells beyond the %s boundary of dimension %d",
			a.text(x.array, x.subs), farthestBeyond, kind, d+1),
		Notes: []diag.Note{{At: a.nest.Arrays[x.array].Span, Message: a.nest.Arrays[x.array].Name + " is declared here"}},
	})
}

// findBeyond resolves a read that is beyond a boundary in some iterations, and adds its
// dependences.
func (a *analyzer) findBeyond(x access, parts []part) ir.Resolution {
	result := ir.Resolution{Beyond: true}
	for k := range parts {
		p := &parts[k]
		if p.wraps && a.wraps(x, p, parts[0].sources) {
			return result
		}
		for _, s := range a.resolve(p.access, backward) {
			if a.taken(p, s, backward, p.sources) {
				s.When = p.when
				p.sources = append(p.sources, s)
				a.deps = append(a.deps, ir.Dep{Kind: ir.Flow, Array: x.array, Dist: s.Dist, Src: a.writing(s.Stmt).at, Dst: x.at})
			}
		}
		result.Sources = append(result.Sources, p.sources...)
		a.space.outside(p.sys, backward, distances(p.sources), func(*lattice.System) bool {
			result.Initial = true
			return false
		})
		for _, s := range a.resolve(p.access, forward) {
			if (s.Dist.Sign() != 0 || s.Stmt != x.stmt) && a.taken(p, s, forward, nil) {
				a.deps = append(a.deps, ir.Dep{Kind: ir.Anti, Array: x.array, Dist: s.Dist, Src: x.at, Dst: a.writing(s.Stmt).at})
			}
		}
	}
	for _, p := range parts[1:] {
		// The place beyond the boundary is filled before the iteration runs.
		if slices.ContainsFunc(p.sources, func(s ir.Source) bool { return s.Dist.Sign() == 0 }) {
			a.boundaryError(x, "at the boundary, %s reads what the same iteration wrote", a.text(x.array, x.subs))
			return result
		}
	}
	if head := len(parts[0].sources); head == 0 && len(result.Sources) > 0 || head > 0 && parts[0].sources[0].Dist.Sign() == 0 {
		a.boundaryError(x, "at the boundary, %s reads what an iteration wrote, and elsewhere it does not", a.text(x.array, x.subs))
	}
	return result
}

// taken reports whether in some iteration of a part, source s lies in J and no nearer source
// does.
func (a *analyzer) taken(p *part, s ir.Source, dir direction, nearer []ir.Source) bool {
	sys := p.sys.Clone()
	for _, c := range a.space.constraints {
		sys.Add(a.space.at(sys, c, dir, s.Dist))
	}
	taken := false
	a.space.outside(sys, dir, distances(nearer), func(*lattice.System) bool {
		taken = true
		return false
	})
	return taken
}

// wraps refuses a part on which a read wraps around to a cell that an iteration wrote at a
// distance that grows with the array. It returns true if it refuses the part. inside are the sources where nothing is beyond the boundary.
func (a *analyzer) wraps(x access, p *part, inside []ir.Source) bool {
	for _, stmt := range a.nest.Assigns(x.array) {
		if _, why := a.candidates(p.access, a.writing(stmt), backward); why != nil {
			d := a.boundaryError(x, "at a boundary, %s reads %s, which iterations write that are as far away as the array is long: a dependence of no constant distance",
				a.text(x.array, x.subs), a.text(x.array, p.access.subs))
			if d != nil {
				a.constantExtent(x, len(inside) > 0 && inside[0].Dist.Sign() != 0)
			}
			return true
		}
	}
	return false
}

// mostPeriodic bounds the cells of a periodic boundary, in all its dimensions, across which a tile reaches.
const mostPeriodic = 1 << 18

// constantExtent adds a hint to the last diagnostic, of a periodic boundary across which cells were written:
// a repeat takes the place of levels, or parameters in the bounds of the array become constants, if tiles can be as long and the read
// has sources inside the boundary, too: else it may have none beyond.
func (a *analyzer) constantExtent(x access, inside bool) {
	arr := &a.nest.Arrays[x.array]
	var consts []string
	cells := 1
	for k, p := range a.nest.Params {
		for d, kinds := range arr.Boundary {
			if kinds[0].Wraps() && (arr.Lo[d].Param(k) != 0 || arr.Hi[d].Param(k) != 0) {
				value := 100 // as good as any
				if p.Default != nil {
					value = *p.Default
				}
				if said := fmt.Sprintf("const %s = %d", p.Name, value); !slices.Contains(consts, said) {
					consts = append(consts, said)
				}
				cells = min(cells, mostPeriodic) * max(1, value)
			}
		}
	}
	hint := strings.Join(consts, " and ") + ", in place of the param, makes the distance constant"
	if len(consts) == 0 || cells > mostPeriodic || !inside {
		hint = ""
	}
	switch nests := cmp.Or(a.repeatHint(x), a.twoNests(x.array), a.inPlaceHint(x.array)); {
	case nests != "" && hint != "":
		hint = oneOf([]way{{nests, ""}, {hint, ""}})
	case nests != "":
		hint = nests
	}
	d := &a.diags[len(a.diags)-1]
	if d.Hint, d.Kind = hint, diag.Advice; a.toldAlready(cmp.Or(d.Hint, string(d.Code)), x.array, diag.Span{}) {
		a.diags = a.diags[:len(a.diags)-1]
	}
}

// boundaryError refuses read x of an array with a boundary, unless an error at this place has the same hint. It returns the
// new diagnostic if that still lacks a hint, else nil.
func (a *analyzer) boundaryError(x access, format string, args ...any) *diag.Diagnostic {
	arr := &a.nest.Arrays[x.array]
	d := diag.Diagnostic{
		Code: diag.Boundary, At: x.at, Message: fmt.Sprintf(format, args...),
		Notes: []diag.Note{{At: arr.Span, Message: arr.Name + " is declared here"}},
		Hint:  a.levelHint(x), Kind: diag.Advice,
	}
	if d.Hint == "" || !slices.ContainsFunc(a.diags, func(old diag.Diagnostic) bool { return old.At == d.At && old.Code == d.Code && old.Hint == d.Hint }) {
		a.diags = append(a.diags, d)
	}
	if d.Hint != "" {
		return nil
	}
	return &a.diags[len(a.diags)-1]
}

// checkGhosts refuses reads that look for different values at one place beyond a boundary: at
// the iteration, outside J, that would have written the cell.
func (a *analyzer) checkGhosts(result *ir.Analysis) {
	for x := range a.nest.Reads {
		if !a.divided(x) || len(result.Reads[x].Sources) == 0 {
			continue
		}
		for y := range a.nest.Reads {
			if x != y && len(result.Reads[y].Sources) > 1 && a.conflict(result.Reads[x].Sources, result.Reads[y].Sources, a.parts[x]) {
				a.ghostsDiffer(a.reading(x), a.reading(y))
				return
			}
		}
	}
}

// ghostsDiffer refuses read x, which needs another value than read y in one place beyond the boundary.
func (a *analyzer) ghostsDiffer(x, y access) {
	one, other := a.text(x.array, x.subs), a.text(y.array, y.subs)
	d := a.boundaryError(x, "beyond the boundary, %s and %s need values of different iterations, and there is room for one of them", one, other)
	if d == nil {
		return
	}
	d.Notes = append(d.Notes, diag.Note{At: y.at, Message: other + " is read here"})
	var cells, ways []string
	for _, r := range []struct {
		at   access
		subs []ir.Affine
	}{{x, y.subs}, {y, x.subs}} {
		level := false // they differ along a dimension without a boundary, such as time
		for d, ends := range a.nest.Arrays[x.array].Boundary {
			level = level || ends[0] == boundary.None && ends[1] == boundary.None && !same(x.subs[d], y.subs[d])
		}
		if way := a.text(x.array, r.subs); level && !a.trial && a.right(r.at, r.subs) {
			cells = append(cells, way)
		}
	}
	if len(cells) > 0 {
		ways = append(ways, strings.Join(cells, " or ")+" in both places, if that is meant")
	}
	if loop := a.unusedLoop(x.array); loop != "" {
		name := a.nest.Arrays[x.array].Name
		ways = append(ways, fmt.Sprintf("%[1]s[%[2]s,...] from %[1]s[%[2]s-1,...], with a level of %[1]s for each %[2]s, if all cells change together", name, loop))
	}
	if wide := a.widenedFor(x.array, false); wide != "" {
		ways = append(ways, wide+", in place of the boundary, if its cells have values of their own")
	}
	d.Hint, d.Kind = strings.Join(ways, "; or "), diag.Advice
}

// unusedLoop is the name of the first loop that does not occur in the subscripts with which an array is written,
// so that it is updated in place; "" if there is none, or if the loop runs backward.
func (a *analyzer) unusedLoop(array int) string {
	for k, l := range a.nest.Loops {
		used := slices.ContainsFunc(a.nest.Assigns(array), func(stmt int) bool {
			return slices.ContainsFunc(a.writing(stmt).subs, func(sub ir.Affine) bool { return k < len(sub.Iters) && sub.Iters[k] != 0 })
		})
		if !used && !l.Backward {
			return l.Name
		}
	}
	return ""
}

// conflict compares two reads by their sources xs and ys; parts are those of the first read. Beyond
// a boundary, both look at the place of their first source. conflict reports whether the first read
// may find a result there that was put there only for the second.
func (a *analyzer) conflict(xs, ys []ir.Source, parts []part) bool {
	if xs[0].Stmt != ys[0].Stmt {
		return false
	}
	for _, s := range ys[1:] {
		seen := seenFrom(xs[0], ys[0], s)
		if slices.ContainsFunc(xs, func(x ir.Source) bool { return sameSource(x, seen) }) {
			continue
		}
		for _, p := range parts[1:] {
			sys := p.sys.Clone()
			for _, c := range seen.When {
				a.space.in(sys).add(c)
			}
			p.sys = sys
			if a.taken(&p, seen, backward, nil) {
				return true
			}
		}
	}
	return false
}
