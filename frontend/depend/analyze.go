// Package depend finds the dependences of a nest, exactly and for all values of
// its parameters.
//
// It takes a well-formed *ir.Nest and returns its *ir.Analysis: the write from which each read
// gets its value, which write overwrites which, the cells that each statement writes, and
// conditions on the parameters that only the launch can test. A nest is refused with a
// diagnostic if its dependences are not uniform, if it leaves its arrays, or if it reads cells
// that nothing supplies.
//
// The analysis finds last writers. Subscripts of written arrays are loop + constant, so a read
// of a cell that iteration j-d wrote has the same d in every loop that the subscripts use.
// Along a loop λ that they do not use, the distance is open: the writers of the cell are the
// iterations j - d(k), d(k) = d₀ + k·e_λ, in the iteration space J, for all k for which d(k) is
// lexicographically positive. d₀ has the known distances, and 0 along λ. J is convex, so these k
// are an interval, and the last writer is at its near end: k is taken where j - d(k) lies in J
// and j - d(k-1) does not. That is a system of linear inequalities for each k; another system,
// with k as a variable, proves that no greater k is ever taken. If several statements write one
// array, the most recent write wins.
//
// Directions: "backward" finds the last write before an access, "forward" the next write after
// it; the other iteration is j - d or j + d.
package depend

import (
	"cmp"
	"fmt"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/lattice"
	_ "loopc/runtime/wideint"
)

// Analyze returns the analysis of n, or the reasons why there is none, sorted by position. It
// does not change n, and ignores its old analysis.
func Analyze(n *ir.Nest) (*ir.Analysis, []diag.Diagnostic) { return AnalyzeIn(n, n.Arrays, nil) }

// Uniform reports whether Analyze would not refuse n because distances vary, without the search for reasons and hints.
func Uniform(n *ir.Nest) bool {
	if tooLarge(n) != nil || tooMany(n) != nil {
		return true
	}
	a := newAnalyzer(n)
	a.declared, a.brief = n.Arrays, true
	a.analyze()
	return !slices.ContainsFunc(a.diags, func(d diag.Diagnostic) bool { return d.Code == diag.NonUniform })
}

// AnalyzeIn is Analyze for one of several nests of a program. declared are the arrays with their roles and inits in the
// program; those in n may differ. nests are the nests that the file has.
func AnalyzeIn(n *ir.Nest, declared []ir.Array, nests []*ir.Nest) (*ir.Analysis, []diag.Diagnostic) {
	if d := tooLarge(n); d != nil {
		return nil, []diag.Diagnostic{*d}
	}
	if d := tooMany(n); d != nil {
		return nil, []diag.Diagnostic{*d}
	}
	a := newAnalyzer(n)
	a.declared, a.program = declared, nests
	result := a.analyze()
	if len(a.diags) > 0 {
		slices.SortStableFunc(a.diags, func(x, y diag.Diagnostic) int { return comparePos(x.At.Pos, y.At.Pos) })
		return nil, a.diags
	}
	slices.SortFunc(a.deps, compareDeps)
	result.Deps = slices.CompactFunc(a.deps, func(x, y ir.Dep) bool { return compareDeps(x, y) == 0 })
	result.Checks = sortedChecks(a.checks)
	return result, nil
}

// newAnalyzer returns an analyzer that has found nothing yet.
func newAnalyzer(n *ir.Nest) *analyzer {
	return &analyzer{nest: n, declared: n.Arrays, space: newSpace(n), refused: map[[2]int]bool{}, varies: map[int]bool{}, unsupplied: map[int]bool{}, told: map[cureAt]bool{}}
}

// analyze fills the analyzer, and returns an analysis with the entries of reads and statements.
func (a *analyzer) analyze() *ir.Analysis {
	n := a.nest
	result := &ir.Analysis{
		Reads:      make([]ir.Resolution, len(n.Reads)),
		Overwrites: make([][]ir.Source, len(n.Body)),
		Written:    make([][]ir.Constraint, len(n.Body)),
		Space:      a.space.constraints,
		Beyond:     map[int]bool{},
		Varies:     a.varies,
	}
	a.findGuards()
	a.findCongruences()
	a.findSources(result)
	if a.hasty && len(a.diags) > 0 {
		return result
	}
	a.shareSources(result)
	a.checkBounds()
	a.checkGhosts(result)
	a.findOverwrites(result)
	a.findWritten(result)
	if len(a.diags) == 0 {
		// Checking supply requires every source and every written cell.
		a.checkReads(result)
		a.checkReturned(result)
	}
	return result
}

// An analyzer is the state of one Analyze.
type analyzer struct {
	nest *ir.Nest
	// declared are the arrays with the roles and inits that the user has declared, for messages: see AnalyzeIn.
	declared []ir.Array
	brief    bool // refusals have no messages: see Uniform, and trial
	hasty    bool // the analysis ends at the first mistake that is not about bounds: see right
	space    *space
	deps     []ir.Dep
	checks   []ir.Check
	diags    []diag.Diagnostic
	// parts are, for each read, the parts of J on which it reads with fixed subscripts: see
	// partsOf.
	parts  [][]part
	guards []guard        // of each read
	known  [][]congruence // of the iterations at which each read is evaluated
	// refused holds what was already reported as non-uniform: see refuse.
	refused map[[2]int]bool
	varies  map[int]bool // see ir.Analysis
	// inBody tells that checkBounds examines subscripts of the body, not of an init or a slice.
	inBody bool
	// unsupplied holds the arrays already reported as not supplied.
	unsupplied map[int]bool
	// told holds the cures already proposed for subscripts beyond the bounds: see toldAlready.
	told map[cureAt]bool
	// exchange is the result of exchangedLoops, if exchangeKnown. suppliesExchanged tells that all cells have values then.
	exchange          string
	exchangeKnown     bool
	suppliesExchanged bool
	// uneven counts the accesses for which withinUneven tried changes.
	uneven int
	// program are the nests that the file has, if there are several, and others analyzers for those that elsewhere needed.
	program []*ir.Nest
	others  map[*ir.Nest]*analyzer
	// trial tells that the nest is one that a hint makes: it needs no hints of its own.
	trial bool
	// settled tells whether a trial knows enough of subscripts beyond the bounds; nil if it is to find all.
	settled func() bool
	// counts are the results of trials: see once.
	counts map[string]int
	// work is what has been done to explain refusals: see mostWork.
	work int
}

// An access is a read or a write of a written array by the body.
type access struct {
	stmt  int // index into Nest.Body
	read  int // index into Nest.Reads, -1 for the write of stmt
	array int
	subs  []ir.Affine
	guard []ir.Constraint // a piece of the guard of a read
	at    diag.Span
}

// reading returns the access of a read.
func (a *analyzer) reading(id int) access {
	r := a.nest.Reads[id]
	return access{stmt: a.nest.ReadStmt[id], read: id, array: r.Array, subs: r.Subs, at: r.At}
}

// writing returns the access of an assignment.
func (a *analyzer) writing(stmt int) access {
	w := a.nest.Body[stmt].(*ir.Assign)
	return access{stmt: stmt, read: -1, array: w.Array, subs: w.Subs, at: w.Span}
}

// key identifies an access among those of the nest.
func (x access) key() int { return x.stmt*(1<<20) + x.read + 1 }

// findSources resolves every read, and adds the flow and anti dependences.
func (a *analyzer) findSources(result *ir.Analysis) {
	for id := range a.nest.Reads {
		if a.hasty && len(a.diags) > 0 {
			return
		}
		x := a.reading(id)
		a.parts = append(a.parts, a.partsOf(x))
		if len(a.parts[id]) == 0 {
			continue
		}
		if a.divided(id) {
			result.Beyond[x.array] = true
			result.Reads[id] = a.findBeyond(x, a.parts[id])
			continue
		}
		result.Reads[id] = a.findUniform(x, a.parts[id])
		result.Reads[id].Beyond = !a.guards[id].unconditional() && a.leaves(x)
	}
}

// findUniform resolves a read with the same subscripts on all parts, which are the pieces of its guard, and
// adds its dependences.
func (a *analyzer) findUniform(x access, parts []part) (found ir.Resolution) {
	for k := range parts {
		p := &parts[k]
		if p.sys.Empty() {
			continue
		}
		p.sources = a.resolve(p.access, backward)
		found.Sources = append(found.Sources, p.sources...)
		found.Initial = found.Initial || !a.space.under(p.access.guard).covered(p.sources, backward)
		for _, s := range p.sources {
			a.deps = append(a.deps, ir.Dep{Kind: ir.Flow, Array: x.array, Dist: s.Dist, Src: a.writing(s.Stmt).at, Dst: x.at})
		}
		for _, s := range a.resolve(p.access, forward) {
			if s.Dist.Sign() == 0 && s.Stmt == x.stmt {
				continue // a statement reads before it writes: there is nothing to order
			}
			a.deps = append(a.deps, ir.Dep{Kind: ir.Anti, Array: x.array, Dist: s.Dist, Src: x.at, Dst: a.writing(s.Stmt).at})
		}
	}
	if len(parts) > 1 {
		// A source of one piece that is in J at an iteration of another piece is one of its sources, too.
		a.sortNearest(found.Sources, backward)
		found.Sources = slices.CompactFunc(found.Sources, sameSource)
	}
	return found
}

// findOverwrites finds the next write after each write, and adds the output
// dependences.
func (a *analyzer) findOverwrites(result *ir.Analysis) {
	for stmt, s := range a.nest.Body {
		if _, ok := s.(*ir.Assign); !ok {
			continue
		}
		x := a.writing(stmt)
		result.Overwrites[stmt] = a.resolve(x, forward)
		for _, s := range result.Overwrites[stmt] {
			a.deps = append(a.deps, ir.Dep{Kind: ir.Output, Array: x.array, Dist: s.Dist, Src: x.at, Dst: a.writing(s.Stmt).at})
		}
	}
}

// findWritten finds the cells that each statement writes.
func (a *analyzer) findWritten(result *ir.Analysis) {
	for stmt, s := range a.nest.Body {
		w, ok := s.(*ir.Assign)
		if !ok {
			continue
		}
		cells, exact := a.space.image(w.Subs)
		if !exact {
			a.diags = append(a.diags, diag.Diagnostic{
				Code: diag.Unsupported,
				At:   w.Span,
				Message: fmt.Sprintf("cannot tell which cells %s writes: the bounds of the loops that it lacks leave gaps",
					a.text(w.Array, w.Subs)),
			})
			continue
		}
		result.Written[stmt] = cells
	}
}

// largest bounds the numbers in subscripts and bounds, so that sums in the analysis stay far
// inside int64.
const largest = 1 << 40

// tooLarge returns a diagnostic if a number in a subscript or a bound exceeds
// largest.
func tooLarge(n *ir.Nest) *diag.Diagnostic {
	var found *diag.Diagnostic
	look := func(at diag.Span, forms ...ir.Affine) {
		for _, f := range forms {
			for _, c := range append(append([]int{f.Const}, f.Params...), f.Iters...) {
				if (c > largest || c < -largest) && found == nil {
					found = &diag.Diagnostic{
						Code: diag.Unsupported, At: at,
						Message: fmt.Sprintf("%d is too large for a subscript or a bound (limit %d)", c, largest),
					}
				}
			}
		}
	}
	for _, arr := range n.Arrays {
		look(arr.Span, arr.Lo...)
		look(arr.Span, arr.Hi...)
		for _, o := range arr.Out {
			if o != nil {
				look(arr.OutSpan, *o)
			}
		}
		if arr.Init != nil {
			ir.Walk(arr.Init.Expr, func(e ir.Expr) {
				if r, ok := e.(*ir.Read); ok {
					look(r.At, r.Subs...)
				}
			})
		}
	}
	for _, l := range n.Loops {
		look(l.Span, l.Lo...)
		look(l.Span, l.Hi...)
	}
	for _, r := range n.Reads {
		look(r.At, r.Subs...)
	}
	for _, s := range n.Body {
		if w, ok := s.(*ir.Assign); ok {
			look(w.Span, w.Subs...)
		}
	}
	return found
}

// maxPairs bounds the pairs of an access and a write of one array: each pair takes time.
const maxPairs = 5000

// tooMany returns a diagnostic if an array has more pairs than maxPairs.
func tooMany(n *ir.Nest) *diag.Diagnostic {
	accesses := make([]int, len(n.Arrays))
	for _, r := range n.Reads {
		accesses[r.Array]++
	}
	for k, reads := range accesses {
		writers := n.Assigns(k)
		if (reads+len(writers))*len(writers) > maxPairs {
			return &diag.Diagnostic{
				Code: diag.Unsupported, At: n.Body[writers[0]].(*ir.Assign).Span,
				Message: fmt.Sprintf("%s is written by %d statements and read %d times: too many to analyze", n.Arrays[k].Name, len(writers), reads),
			}
		}
	}
	return nil
}

// comparePos orders positions by line, then column.
func comparePos(p, q diag.Pos) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// compareDeps orders dependences by array, kind, distance, source and
// destination.
func compareDeps(x, y ir.Dep) int {
	return cmp.Or(
		cmp.Compare(x.Array, y.Array),
		cmp.Compare(x.Kind, y.Kind),
		slices.Compare(x.Dist, y.Dist),
		comparePos(x.Src.Pos, y.Src.Pos),
		comparePos(x.Dst.Pos, y.Dst.Pos),
	)
}

// sortedChecks returns the checks in the order of position, message and
// conditions, each once.
func sortedChecks(checks []ir.Check) []ir.Check {
	compare := func(x, y ir.Check) int {
		return cmp.Or(
			comparePos(x.At.Pos, y.At.Pos),
			cmp.Compare(x.Message, y.Message),
			slices.CompareFunc(x.Fails, y.Fails, compareAffines),
		)
	}
	slices.SortFunc(checks, compare)
	return slices.CompactFunc(checks, func(x, y ir.Check) bool { return compare(x, y) == 0 })
}

// compareAffines orders affine forms by their numbers.
func compareAffines(f, g ir.Affine) int {
	return cmp.Or(
		slices.Compare(f.Params, g.Params),
		slices.Compare(f.Iters, g.Iters),
		cmp.Compare(f.Const, g.Const),
	)
}

// constraint converts a row, whose first columns are the parameters and whose next columns are
// iterators, to a constraint of package ir.
func constraint(row lattice.Row, params, iters int) ir.Constraint {
	c := ir.Constraint{Const: int(row[len(row)-1])}
	for k := range params {
		c.Params = append(c.Params, int(row[k]))
	}
	for k := range iters {
		c.Iters = append(c.Iters, int(row[params+k]))
	}
	return c
}
