package depend

import (
	"slices"

	"loopc/ir"
)

// shareSources completes the sources of reads. Reads whose first source is the same statement look at the same
// places; beyond J such a place holds the result of a further source, whichever read has it. Where this write
// keeps the value of its cell at all iterations at which another read uses it (idle), that read lacks the source,
// but finds its result there all the same: so it gets the source.
func (a *analyzer) shareSources(result *ir.Analysis) {
	for again := true; again; {
		again = false
		for x := range a.nest.Reads {
			if len(a.known[x]) == 0 || a.divided(x) {
				continue // no write is idle for it, or checkGhosts refuses what differs
			}
			for y := range a.nest.Reads {
				if x != y && a.nest.Reads[x].Array == a.nest.Reads[y].Array {
					again = a.shareWith(&result.Reads[x], a.reading(x), result.Reads[y].Sources) || again
				}
			}
		}
	}
}

// shareWith adds those of ys, the sources of another read, that read x lacks because their writes are idle. It
// reports whether there are any.
func (a *analyzer) shareWith(of *ir.Resolution, x access, ys []ir.Source) (more bool) {
	xs := of.Sources
	if len(xs) == 0 || len(ys) < 2 || xs[0].Stmt != ys[0].Stmt || xs[0].Dist.Sign() == 0 || ys[0].Dist.Sign() == 0 {
		return false
	}
	for _, s := range ys[1:] {
		seen := seenFrom(xs[0], ys[0], s)
		has := func(x ir.Source) bool { return sameSource(x, seen) }
		if slices.ContainsFunc(of.Sources, has) || !a.idle(x, a.writing(s.Stmt), backward, seen.Dist) {
			continue
		}
		for _, p := range a.parts[x.read] {
			p.sys = p.sys.Clone()
			for _, c := range seen.When {
				a.space.in(p.sys).add(c)
			}
			if a.taken(&p, seen, backward, xs[:1]) {
				of.Sources = append(slices.Clip(of.Sources), seen)
				a.deps = append(a.deps, ir.Dep{Kind: ir.Flow, Array: x.array, Dist: seen.Dist, Src: a.writing(s.Stmt).at, Dst: x.at})
				more = true
				break
			}
		}
	}
	a.sortNearest(of.Sources, backward)
	return more
}

// seenFrom returns s, a source of a read whose first source is y, as a source of a read whose first source is x,
// the same statement: the one that finds the result of s in the same place.
func seenFrom(x, y, s ir.Source) ir.Source {
	// If the two reads look at one place, the iteration of the first is shift after that of the second.
	shift, seen := make(ir.Vec, len(s.Dist)), ir.Source{Stmt: s.Stmt, Dist: slices.Clone(s.Dist)}
	for k := range shift {
		shift[k] = x.Dist[k] - y.Dist[k]
		seen.Dist[k] += shift[k]
	}
	for _, c := range s.When {
		seen.When = append(seen.When, plusConst(c, slope(c, backward, shift)))
	}
	return seen
}

// sameSource reports whether two sources are equal, and apply to the same iterations.
func sameSource(s, t ir.Source) bool {
	return s.Stmt == t.Stmt && slices.Equal(s.Dist, t.Dist) && slices.EqualFunc(s.When, t.When, func(f, g ir.Affine) bool {
		d := minus(f, g)
		return d.Const == 0 && !d.HasIters() && !hasParams(d)
	})
}
