package vector

import (
	"maps"
	"math"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// In the middle of a row, subscripts such as max(c - w[i], 0), and conditions such as c >= w[i], usually leave no choice: the
// iterations for which a clamp returns the operand that moves along the row, and for which a condition holds, follow one another,
// and the cells that they look up do, too. These iterations are the straight part of the row. Its first and its last
// iteration are computed before the row, so that its vectors test nothing: they load cells where others gather.

// A straight says what the straight part of rows leaves out.
type straight struct {
	s        *Shape
	operands map[ir.Expr]ir.Expr // of clamps and selects: the operand that each returns
	limits   []limit
	runs     []*ir.Lookup // whose cells follow one another
	lets     []int        // that the limits use, in order
	known    map[ir.Expr]growth
	unread   map[int]bool // lets that only subscripts use
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
}

// mostRuns is for how many lookups the straight part of rows is worthwhile: each takes a register. mostLimits bounds what is computed
// before each row.
const mostRuns, mostLimits = 6, 40

// straightPart finds the straight part of rows; nil if there is no lookup that it makes a load.
func (s *Shape) straightPart() *straight {
	if s.Scheme != Contiguous || len(s.Ends) > 0 {
		return nil
	}
	p := &straight{s: s, operands: map[ir.Expr]ir.Expr{}, known: map[ir.Expr]growth{}}
	for k, stmt := range s.n.Body {
		if s.live[k] {
			p.visit(ir.Value(stmt))
		}
	}
	if len(p.runs) == 0 || len(p.runs) > mostRuns || len(p.limits) > mostLimits {
		return nil
	}
	p.own()
	return p
}

// visit finds lookups in e, and the selects and clamps around them.
func (p *straight) visit(e ir.Expr) {
	switch e := e.(type) {
	case *ir.Lookup:
		p.try(func() bool { return p.run(e) })
		return
	case *ir.Select:
		a, b := looksUp(e.A), looksUp(e.B)
		if a != b && p.try(func() bool { return p.decides(e.Cond, a) }) {
			if p.operands[e] = e.B; a {
				p.operands[e] = e.A
			}
			p.visit(p.operands[e])
			return
		}
	}
	for _, x := range ir.Operands(e) {
		p.visit(x)
	}
}

// try calls find, and forgets what it has found if it returns false.
func (p *straight) try(find func() bool) bool {
	limits, lets, operands, known := len(p.limits), len(p.lets), maps.Clone(p.operands), maps.Clone(p.known)
	if find() {
		return true
	}
	p.limits, p.lets, p.operands, p.known = p.limits[:limits], p.lets[:lets], operands, known
	return false
}

// run reports whether the cells of a lookup follow one another in the straight part.
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
	return true
}

// decides reports whether a condition holds, or does not hold, in all iterations between some limits.
func (p *straight) decides(cond ir.Expr, holds bool) bool {
	if p.s.fixedInRow(cond, nil) {
		p.limits = append(p.limits, limit{cond: cond, holds: holds})
		return true
	}
	switch e := cond.(type) {
	case *ir.Unary:
		return p.decides(e.X, !holds)
	case *ir.Binary:
		if (e.Op == ir.And) == holds && (e.Op == ir.And || e.Op == ir.Or) {
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

// bound limits the straight part to iterations for which x - y - less is not negative.
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

// subtracts reports whether lanes hold the difference of two integers of a type, less one.
func (p *straight) subtracts(x, y ir.Expr) bool {
	t, _ := p.s.laneInt()
	switch x.Type() {
	case ir.Int32:
		a, b := p.reach(x), p.reach(y)
		return a.Hi-b.Lo < 1<<31 && a.Lo-b.Hi > -1<<31
	case t:
		return true // both are from the intervals of narrower integers
	}
	return false
}

// reach does what interval does, with what lanes hold of indices and parameters.
func (p *straight) reach(e ir.Expr) ir.Interval {
	switch e := e.(type) {
	case *ir.IterRef, *ir.ParamRef:
		return ir.Interval{Lo: -MostLaneParameter, Hi: MostLaneParameter}
	case *ir.Binary: // that does not wrap
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

// clamped does what growth does, for the minimum or the maximum of an operand that moves and others that do not.
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
	p.operands[e] = moving
	return by, true
}

// farthest is beyond the last iteration of any row.
const farthest = 1 << 30

// beginStraight computes the first iteration of the straight part of a row, and the addresses of its lookups.
func (c *alongRow) beginStraight() {
	p := c.straight
	if p == nil {
		return
	}
	b, index := c.ofRowOnly(), c.In(4, false)
	b.operands, b.index = p.operands, c.firstIndex
	for _, k := range p.lets {
		b.lets[k] = b.as(c.s.n.Body[k].(*ir.Let).Type).Load(b.expr(ir.Value(c.s.n.Body[k])))
	}
	from, to := b.straightRange(p)
	c.from, c.last = index.FirstLane(index.Load(from)), index.FirstLane(index.Load(to))
	c.SubFrom(asm.Imm(uint64(unrollShort*c.Lanes())), c.last)
	c.runs = map[*ir.Lookup]asm.Reg{}
	for _, e := range p.runs {
		// The place of the cell at the first iteration of the straight part is not negative.
		var at asm.Operand = from
		if c.s.down {
			at = index.Binary(asm.Sub, false, index.Splat(0), from)
		}
		for d, sub := range e.Subs {
			t, _ := c.s.laneInt()
			x := b.near(t, b.above(e, d, b.as(t).Load(b.expr(sub))))
			if d != c.s.rowDim(e.Array) {
				x = index.Binary(asm.Mul, false, x, b.param(ParamUse{Param: e.Array, Type: ir.Int32, Part: kernel.TableStride, Dim: d}))
			}
			at = index.Binary(asm.Add, false, index.Load(at), x)
		}
		r := index.FirstLane(index.Load(at))
		if c.s.down {
			c.AddTo(c.from, r)
		} else {
			c.SubFrom(c.from, r)
		}
		address := c.table(e.Array)
		c.Address(asm.Mem{Base: address, Index: r, Scale: e.T.Size()}, address)
		c.runs[e] = address
	}
	c.fullLanes()
}

// straightRange returns the first iteration of the straight part of a row, and the one after its last.
func (b *body) straightRange(p *straight) (from, to asm.Operand) {
	index := b.In(4, false)
	from, to = index.Splat(0), index.Splat(farthest)
	for _, l := range p.limits {
		if l.cond != nil {
			all := map[bool]asm.Mem{l.holds: index.Splat(0), !l.holds: index.Splat(farthest)}
			c := b.cond(l.cond)
			from = index.Least(asm.Max, false, index.Load(from), index.Choose(b.resized(c, 4), all[true], all[false]))
			continue
		}
		d := b.difference(l)
		switch {
		case l.by > 0:
			from = index.Least(asm.Max, false, index.Load(from), index.Binary(asm.Sub, false, index.Splat(0), d))
		case l.by < 0:
			to = index.Least(asm.Min, false, index.Load(to), index.Binary(asm.Add, false, d, index.Splat(1)))
		default: // no iteration, or all
			none := index.Least(asm.Max, false, index.Least(asm.Min, false, d, index.Splat(0)), index.Splat(uint64(1<<32-1)))
			from = index.Least(asm.Max, false, index.Load(from), index.ShiftLanes(30, index.Binary(asm.Sub, false, index.Splat(0), none)))
		}
	}
	return from, index.Least(asm.Max, false, index.Load(to), index.Splat(0))
}

// difference returns the difference of a limit at the first iteration of a row, as int32 of which the absolute value is at most
// farthest.
func (b *body) difference(l limit) asm.Reg {
	t := l.x.Type()
	in := b.as(t)
	minus := func(x asm.Operand, y asm.Operand) asm.Reg { return in.Binary(asm.Sub, t.Float(), in.Load(x), y) }
	x := in.Load(b.expr(l.x))
	switch {
	case l.lookup == nil:
		x = minus(x, b.expr(l.y))
	case l.atLeast:
		x = b.above(l.lookup, l.dim, x)
	default:
		x = minus(b.param(ParamUse{Param: l.lookup.Array, Type: t, Part: kernel.TableMost, Dim: l.dim}), b.above(l.lookup, l.dim, x))
	}
	x = b.near(t, x)
	if l.less > 0 {
		index := b.In(4, false)
		x = index.Binary(asm.Sub, false, x, index.Splat(uint64(l.less)))
	}
	return x
}

// near returns an integer that lanes hold as t as int32; farthest, with its sign, if its absolute value is greater.
func (b *body) near(t ir.Type, x asm.Reg) asm.Reg {
	in := b.as(t)
	if t == ir.Float64 {
		most := in.Extreme(asm.Min, x, in.Splat(math.Float64bits(farthest)))
		return b.as(t).Truncate(in.Extreme(asm.Max, most, in.Splat(math.Float64bits(-farthest))))
	}
	minus := -farthest
	return b.place(t, in.Least(asm.Max, false, in.Least(asm.Min, false, x, in.Splat(farthest)), in.Splat(uint64(minus))))
}

// found returns where the lookups of the straight part find the cells of a vector.
func (c *alongRow) found() map[*ir.Lookup]asm.Mem {
	all := map[*ir.Lookup]asm.Mem{}
	for e, at := range c.runs {
		all[e] = asm.Mem{Base: at, Index: c.x, Scale: e.T.Size(), Disp: c.passed * c.Lanes() * e.T.Size()}
		if c.s.down {
			all[e] = asm.Mem{Base: at, Index: c.minus, Scale: e.T.Size(), Disp: (1 - (c.passed+1)*c.Lanes()) * e.T.Size()}
		}
	}
	return all
}

// wholeStraight does what whole does, for rows with a straight part. Vectors outside of it are computed one by one.
func (c *alongRow) wholeStraight(tail asm.Label) (from, to, times int) {
	begin, apart := c.NewLabel("straight"), c.NewLabel("beside")
	c.Label(begin)
	from = c.Mark()
	if c.full != nil {
		few := c.NewLabel("few")
		times = c.straightSteps(c.full, begin, few)
		to = c.Mark()
		c.Label(few)
		c.straightSteps(c, begin, apart)
	} else {
		times = c.straightSteps(c, begin, apart)
		to = c.Mark()
	}
	c.Label(apart)
	c.JumpIf(c.left, asm.Lt, asm.Int(c.Lanes()), tail)
	c.vector()
	c.advance(1)
	c.Jump(begin)
	return from, to, times
}
