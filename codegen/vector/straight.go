package vector

import (
	"fmt"
	"maps"
	"slices"

	"loopc/ir"
)

// In the middle of a row, subscripts such as max(c - w[i], 0), and conditions such as c >= w[i], usually leave no choice: a
// clamp returns the operand that moves along the row, a condition holds, and the cells that consecutive iterations look up are
// consecutive. These iterations are the straight part of the row. Its first and its last iteration are computed before the row,
// so that the vectors of the straight part test nothing, and load cells where other vectors gather. Iterations before or after
// all those for which conditions hold are simple, too: there, selects return their other operands, which often look up nothing.

// A straight describes the straight part of rows, and the iterations for which the conditions do not hold.
type straight struct {
	s       *Shape
	within  decided      // the body in the straight part
	beyond  decided      // the body where no condition holds; its operands are nil if lookups may remain in it
	limits  []limit      // all hold in the straight part
	selects int          // the number of outermost selects whose conditions decide whether cells are looked up
	inside  bool         // visit is within such a select
	runs    []*ir.Lookup // the lookups whose cells are consecutive
	lets    []int        // the lets that the limits use, in order
	known   map[ir.Expr]growth
}

// A decided is a body in which clamps and selects are known to return one operand.
type decided struct {
	operands map[ir.Expr]ir.Expr // of clamps and selects: the operand that each returns
	own      *Shape              // the shape of a body with these operands only
	unread   map[int]bool        // the lets that this body does not use: subscripts and other operands use them
	indices  bool                // this body needs a loop's index
}

// A growth is by how much an integer grows along a row; ok is false if that varies.
type growth struct {
	by int
	ok bool
}

// A limit is an integer that must not be negative in the straight part, and that grows by 1, 0 or -1 from an iteration to the
// next: x - y - less. If lookup is set, x is its subscript of dimension dim, and the limit is x minus the lowest index, or the
// highest index minus x. If cond is set, the limit is this condition instead: it has one value for a row, which must be holds.
type limit struct {
	x, y ir.Expr
	less int
	by   int // growth

	lookup  *ir.Lookup
	dim     int
	atLeast bool // the limit is x minus the lowest index

	cond  ir.Expr
	holds bool

	of uint64 // bit k: the limit belongs to the condition of select k
}

// mostRuns is for how many lookups the straight part of rows is worthwhile: each takes a register. mostLimits bounds what is computed
// before each row.
const mostRuns, mostLimits = 6, 40

// straightPart finds the straight part of rows; nil if there is no lookup that it makes a load.
func (s *Shape) straightPart() *straight {
	if s.Scheme != Contiguous || len(s.Ends) > 0 {
		return nil
	}
	p := &straight{s: s, known: map[ir.Expr]growth{}}
	p.within.operands, p.beyond.operands = map[ir.Expr]ir.Expr{}, map[ir.Expr]ir.Expr{}
	for k, stmt := range s.n.Body {
		if s.live[k] {
			p.visit(ir.Value(stmt))
		}
	}
	if len(p.runs) == 0 || len(p.runs) > mostRuns || len(p.limits) > mostLimits {
		return nil
	}
	p.mergeLimits()
	p.within.own, p.beyond.own = p.own(&p.within), p.own(&p.beyond)
	return p
}

// mergeLimits makes one of several limits on the same integer: j >= e, the clamp of max(j - e, 0) and the lowest subscript are one.
func (p *straight) mergeLimits() {
	first, kept := map[string]int{}, p.limits[:0]
	for _, l := range p.limits {
		name := p.limitName(l)
		if k, again := first[name]; again && name != "" {
			kept[k].of |= l.of
			continue
		}
		first[name] = len(kept)
		kept = append(kept, l)
	}
	p.limits = kept
}

// limitName returns a name for a limit's integer, where clamps return the operand that moves; "" if it has none.
func (p *straight) limitName(l limit) string {
	if l.cond != nil {
		return ""
	}
	x, y := p.plain(&p.within, l.x), l.y
	// The limit of a subscript is like no other limit, unless the lowest index is 0: then it is x, as in a clamp of x at 0.
	if l.lookup != nil && (!l.atLeast || !p.s.beginsAtZero(l.lookup.Array, l.dim)) {
		if name := p.s.nameOf(x); name != "" {
			return fmt.Sprintf("%s in %d.%d %v", name, l.lookup.Array, l.dim, l.atLeast)
		}
		return ""
	}
	if y != nil {
		y = p.plain(&p.within, y)
	}
	if c, number := small(y); y == nil || number && c == 0 {
		if b, ok := x.(*ir.Binary); ok && b.Op == ir.Sub {
			x, y = b.X, b.Y
		} else {
			return ""
		}
	}
	if a, b := p.s.nameOf(x), p.s.nameOf(y); a != "" && b != "" {
		return fmt.Sprintf("%s - %s - %d", a, b, l.less)
	}
	return ""
}

// visit adds the lookups in e, and the selects around them, to the straight part, with their limits.
func (p *straight) visit(e ir.Expr) {
	switch e := e.(type) {
	case *ir.Lookup:
		p.try(func() bool { return p.run(e) })
		return
	case *ir.Select:
		a, b := looksUp(e.A), looksUp(e.B)
		if a != b && p.try(func() bool { return p.choice(e, a) }) {
			outer := p.inside
			p.inside = true
			p.visit(p.within.operands[e])
			p.inside = outer
			return
		}
	}
	for _, x := range ir.Operands(e) {
		p.visit(x)
	}
}

// try calls find, which adds limits to the straight part. If find returns false, try takes back what it has added.
func (p *straight) try(find func() bool) bool {
	limits, lets, operands, known := len(p.limits), len(p.lets), maps.Clone(p.within.operands), maps.Clone(p.known)
	if find() {
		return true
	}
	p.limits, p.lets, p.within.operands, p.known = p.limits[:limits], p.lets[:lets], operands, known
	return false
}

// choice adds the limits within which the condition of a select holds (or never holds: holds is false), and decides the select's
// operand there. Beyond the limits, an outermost select returns its other operand. If the condition contains a clamp, an
// iteration may be beyond the clamp's limits only: then nothing is known of the iterations beyond.
func (p *straight) choice(e *ir.Select, holds bool) bool {
	from := len(p.limits)
	if !p.decides(e.Cond, holds) {
		return false
	}
	p.within.operands[e] = e.B
	other := e.A
	if holds {
		p.within.operands[e], other = e.A, e.B
	}
	if p.inside {
		return true
	}
	ir.WalkLets(p.s.n.Body, e.Cond, func(x ir.Expr) {
		if p.within.operands[x] != nil {
			p.beyond.operands = nil
		}
	})
	if p.beyond.operands != nil {
		p.beyond.operands[e] = other
	}
	for k := range p.limits[from:] {
		p.limits[from+k].of = 1 << p.selects
	}
	p.selects++
	return true
}

// run adds the limits within which a lookup's subscripts are within their bounds. It returns false if the cells of consecutive
// iterations are not consecutive.
func (p *straight) run(e *ir.Lookup) bool {
	for d, sub := range e.Subs {
		by, ok := p.growth(sub)
		if d == p.s.rowDim(e.Array) {
			ok = ok && by == p.s.lanesAlong()
		} else {
			ok = ok && by == 0
		}
		if !ok {
			return false
		}
		p.limits = append(p.limits, limit{x: sub, by: by, lookup: e, dim: d, atLeast: true}, limit{x: sub, by: -by, lookup: e, dim: d})
	}
	p.runs = append(p.runs, e)
	if !p.inside {
		p.beyond.operands = nil
	}
	return true
}

// decides adds the limits within which a condition holds, or never holds if holds is false. It returns false if there are no
// such limits.
func (p *straight) decides(cond ir.Expr, holds bool) bool {
	if p.s.fixedInRow(cond, nil) {
		p.limits = append(p.limits, limit{cond: cond, holds: holds})
		return true
	}
	switch e := cond.(type) {
	case *ir.Unary:
		return p.decides(e.X, !holds)
	case *ir.Binary:
		// x && y holds, or x || y does not, where both operands do the same. In the other cases one operand is enough, which limits cannot express.
		if e.Op == ir.And && holds || e.Op == ir.Or && !holds {
			return p.decides(e.X, holds) && p.decides(e.Y, holds)
		}
		x, y, less := e.X, e.Y, 0 // x - y - less ≥ 0
		switch e.Op {
		case ir.Ge:
		case ir.Gt:
			less = 1
		case ir.Le:
			x, y = y, x
		case ir.Lt:
			x, y, less = y, x, 1
		default:
			return false
		}
		if !holds {
			x, y, less = y, x, 1-less
		}
		return p.bound(x, y, less)
	}
	return false
}

// bound adds the limit that x - y - less is not negative. It returns false if that is no limit.
func (p *straight) bound(x, y ir.Expr, less int) bool {
	if x.Type() != y.Type() || !p.subtracts(x, y) {
		return false
	}
	a, grows := p.growth(x)
	b, also := p.growth(y)
	if !grows || !also || a-b > 1 || a-b < -1 {
		return false
	}
	p.limits = append(p.limits, limit{x: x, y: y, less: less, by: a - b})
	return true
}

// subtracts reports whether x - y - 1, for x and y of one type, cannot overflow in lanes.
func (p *straight) subtracts(x, y ir.Expr) bool {
	t, _ := p.s.laneInt()
	switch x.Type() {
	case ir.Int32:
		a, b := p.reach(x), p.reach(y)
		return a.Hi-b.Lo < 1<<31 && a.Lo-b.Hi > -1<<31
	case t:
		return true // the values of x and y are those of narrower integers
	}
	return false
}

// reach does what Shape.interval does, but knows that the indices and parameters in e are in lanes: their absolute values are at most
// MostLaneParameter.
func (p *straight) reach(e ir.Expr) ir.Interval {
	switch e := e.(type) {
	case *ir.IterRef, *ir.ParamRef:
		return ir.Interval{Lo: -MostLaneParameter, Hi: MostLaneParameter}
	case *ir.Binary: // the interval of a sum or a difference that does not wrap
		x, y := p.reach(e.X), p.reach(e.Y)
		if e.Op == ir.Sub {
			y = ir.Interval{Lo: -y.Hi, Hi: -y.Lo}
		}
		if sum := (ir.Interval{Lo: x.Lo + y.Lo, Hi: x.Hi + y.Hi}); e.T == ir.Int32 && (e.Op == ir.Add || e.Op == ir.Sub) && sum.Lo >= -1<<31 && sum.Hi < 1<<31 {
			return sum
		}
	}
	return p.s.interval(e)
}

// growth returns by how much an integer grows from an iteration of the straight part to the next; ok is false if that varies.
func (p *straight) growth(e ir.Expr) (by int, ok bool) {
	of, seen := p.known[e]
	if !seen {
		of.by, of.ok = p.findGrowth(e)
		p.known[e] = of
	}
	return of.by, of.ok
}

// findGrowth computes what growth remembers.
func (p *straight) findGrowth(e ir.Expr) (by int, ok bool) {
	if p.s.fixedInRow(e, nil) {
		return 0, true
	}
	switch e := e.(type) {
	case *ir.IterRef:
		return p.s.Indices[p.s.indexOf(e.Iter)].ByColumn, true
	case *ir.LocalRef:
		by, ok = p.growth(ir.Value(p.s.n.Body[e.Stmt]))
		if !slices.Contains(p.lets, e.Stmt) {
			p.lets = append(p.lets, e.Stmt)
		}
		return by, ok
	case *ir.Convert:
		return p.growth(e.X)
	case *ir.Call:
		return p.clamped(e)
	case *ir.Binary:
		return linearGrowth(e, p.growth)
	}
	return 0, false
}

// clamped does what growth does for a minimum or a maximum, and adds the limits within which it is the one operand that moves.
// All other operands must be fixed along the row.
func (p *straight) clamped(e *ir.Call) (by int, ok bool) {
	if e.Fn != ir.Min && e.Fn != ir.Max {
		return 0, false
	}
	var moving ir.Expr
	for _, x := range e.Args {
		switch c, grows := p.growth(x); {
		case !grows || c != 0 && moving != nil:
			return 0, false
		case c != 0:
			moving, by = x, c
		}
	}
	for _, x := range e.Args {
		a, b := moving, x
		if e.Fn == ir.Min {
			a, b = x, moving
		}
		if x != moving && (moving == nil || !p.bound(a, b, 0)) {
			return 0, false
		}
	}
	p.within.operands[e] = moving
	return by, true
}
