package vector

import (
	"fmt"
	"go/constant"
	"math"
	"slices"
	"strings"

	"loopc/codegen/asm"
	"loopc/ir"
)

// A body writes one vector step: the statements of one iteration, in all lanes.
type body struct {
	*asm.Machine
	s *Shape
	// read returns the vector of a read, widen that of a read of a narrower type, converted to the lanes' type; index the vector of
	// a loop's value as int32, param the lanes of a parameter.
	read  func(*ir.Read) asm.Operand
	widen func(*ir.Read) asm.Operand
	index func(loop int) asm.Reg
	param func(ParamUse) asm.Operand
	// done is called with the result of each value; it may return another register that holds
	// the result.
	done func(v int, r asm.Reg) asm.Reg
	// compareNarrow, if not nil, writes a comparison whose operands need not be as wide as lanes; it
	// returns 0 for any other comparison.
	compareNarrow func(*ir.Binary) asm.Reg
	// collects, if not nil, writes the statement of value v if it collects in a cell: see collected.
	collects func(b *body, v int) bool
	// reduced is called with the value of the k-th reduction.
	reduced func(k int, r *ir.Reduce, value asm.Operand)

	lets map[int]asm.Operand // by statement: the lanes of a let
	news map[int]asm.Operand // by value: the lanes of a result of this iteration
	// once, if not nil, returns a name for an expression that occurs more than once and is
	// computed only once, and "" for any other. shared has the lanes of such expressions by name.
	once     func(ir.Expr) string
	shared   map[string]asm.Operand
	divide   *sharedDivisor               // whose quotients are computed together, or nil
	fixed    map[ir.Expr]asm.Reg          // values that were computed before
	patterns map[ir.Expr]truth            // conditions that were computed before
	operands map[ir.Expr]ir.Expr          // by clamp or select: the operand that it is known to return here
	follows  func(*ir.Lookup) asm.Operand // cells of the straight part's lookups; nil: they need not follow one another
	unread   map[int]bool                 // lets that nothing reads here
	delays   delays                       // see Shape.delays
	looker
}

// The operations of a machine that compute those of the language.
var (
	operations = map[ir.Op]asm.Op{ir.Add: asm.Add, ir.Sub: asm.Sub, ir.Mul: asm.Mul, ir.Quo: asm.Div}
	bitwise    = map[ir.Op]asm.Op{ir.BitAnd: asm.And, ir.BitOr: asm.Or, ir.BitXor: asm.Xor}
	logic      = map[ir.Op]asm.Op{ir.And: asm.And, ir.Or: asm.Or}
	tests      = map[ir.Op]asm.Test{ir.Eq: asm.Eq, ir.Ne: asm.Ne, ir.Lt: asm.Lt, ir.Le: asm.Le, ir.Gt: asm.Gt, ir.Ge: asm.Ge}
)

// step writes the statements.
func (b *body) step() {
	b.lets, b.news, b.shared = map[int]asm.Operand{}, map[int]asm.Operand{}, map[string]asm.Operand{}
	b.delays, _ = b.s.delays(b.ISA())
	reduces := 0
	for k, stmt := range b.s.n.Body {
		if !b.s.live[k] || b.unread[k] {
			continue
		}
		switch stmt := stmt.(type) {
		case *ir.Let:
			b.Comment("%s", b.s.sourceLine(stmt.Span.Line))
			if stmt.Type == ir.Bool {
				panic("BUG: vector: a let of a condition")
			}
			b.lets[k] = b.as(stmt.Type).Load(b.expr(stmt.Expr))
		case *ir.Assign:
			b.Comment("%s", b.s.sourceLine(stmt.Line))
			v := slices.Index(b.s.l.Values, k)
			if b.collects != nil && b.collects(b, v) {
				continue
			}
			b.news[v] = b.done(v, b.as(stmt.Expr.Type()).Load(b.expr(stmt.Expr)))
		case *ir.Reduce:
			b.Comment("%s", b.s.sourceLine(stmt.Span.Line))
			b.reduced(reduces, stmt, b.expr(stmt.Expr))
			reduces++
		}
	}
}

// sourceLine returns a line of the source, for a comment.
func (s *Shape) sourceLine(line int) string {
	text := ""
	if line >= 1 && line <= len(s.n.Source) {
		text = strings.TrimSpace(s.n.Source[line-1])
	}
	return fmt.Sprintf("%s:%d: %s", s.n.File, line, text)
}

// expr returns the lanes of e: a register, or memory to be read as an operand. It looks for lanes that were computed before, and
// otherwise calls write.
func (b *body) expr(e ir.Expr) asm.Operand {
	if x := b.operands[e]; x != nil {
		return b.expr(x)
	}
	if b.fixed[e] != 0 {
		return b.fixed[e]
	}
	if name := b.quotientName(e); name != "" {
		if b.shared[name] == nil {
			b.as(e.Type()).divideOnce(b.divide)
		}
		return b.shared[name]
	}
	name := ""
	if b.once != nil {
		name = b.once(e)
	}
	if name == "" {
		return b.write(e)
	}
	if b.shared[name] == nil {
		b.shared[name] = b.as(e.Type()).Load(b.write(e))
	}
	return b.shared[name]
}

// quotientName returns the name of e if e is one of the quotients that are computed together, and
// otherwise "".
func (b *body) quotientName(e ir.Expr) string {
	if b.divide == nil {
		return ""
	}
	if name := b.s.nameOf(e); slices.Contains(b.divide.names, name) {
		return name
	}
	return ""
}

// as returns the body, or a copy of it, with a machine that computes values of type t.
func (b *body) as(t ir.Type) *body {
	if !b.s.sized {
		return b
	}
	m := b.In(b.s.sizeOf(t), unsigned(t))
	if m == b.Machine {
		return b
	}
	c := *b
	c.Machine = m
	return &c
}

// write writes e, and returns its lanes. Only expr calls it.
func (b *body) write(e ir.Expr) asm.Operand {
	b = b.as(e.Type())
	switch e := e.(type) {
	case *ir.Lit:
		return b.HeldOrMemory(b.Splat(literal(e, b.LaneSize())))
	case *ir.ParamRef:
		return b.param(ParamUse{Param: e.Param, Type: e.T})
	case *ir.FloatRef:
		return b.param(ParamUse{Param: e.Float, Float: true, Type: e.T})
	case *ir.IterRef:
		return b.iter(e)
	case *ir.LocalRef:
		return b.lets[e.Stmt]
	case *ir.Read:
		if from := b.s.l.Reads[e.ID]; from.From == ir.FromLocal {
			return b.news[from.Value]
		}
		return b.read(e)
	case *ir.Convert:
		return b.convert(e)
	case *ir.Unary:
		x := b.expr(e.X)
		if e.T.Float() {
			return b.Bits(asm.Xor, x, b.Splat(b.SignBit()))
		}
		return b.Binary(asm.Sub, false, b.Splat(0), x)
	case *ir.Binary:
		if c := b.s.divisorOf(e); c != 0 {
			return b.dividedBy(e.X, c)
		}
		if k, x := b.s.factorOf(e); k > 0 {
			return b.ShiftLanes(k, b.expr(x))
		}
		if r := reciprocalOf(e); r != nil {
			return b.quotient(b.Load(b.expr(e.X)), r)
		}
		if op, ok := bitwise[e.Op]; ok {
			x := b.Load(b.expr(e.X))
			return b.Bits(op, x, b.expr(e.Y))
		}
		// The deeper operand goes first: otherwise nested sums would keep many registers alive.
		if b.s.depth(e.Y) > b.s.depth(e.X) {
			y := b.expr(e.Y)
			return b.Binary(operations[e.Op], e.T.Float(), b.expr(e.X), y)
		}
		x := b.expr(e.X)
		return b.Binary(operations[e.Op], e.T.Float(), x, b.expr(e.Y))
	case *ir.Call:
		write, _ := formOf(e)
		return write(b, e)
	case *ir.Lookup, *ir.ConstCell:
		return b.computed(e)
	case *ir.Select:
		e = b.chained(e)
		c := b.cond(e.Cond)
		x, y := b.where(c, true, e.A).expr(e.A), b.where(c, false, e.B).expr(e.B)
		return b.Choose(b.resized(c, b.LaneSize()), x, y)
	}
	panic(fmt.Sprintf("BUG: vector: unexpected %T", e))
}

// literal returns the bits of a constant in a lane.
func literal(e *ir.Lit, lane int) uint64 {
	switch e.T {
	case ir.Float32:
		f, _ := constant.Float32Val(e.Value)
		return uint64(math.Float32bits(f))
	case ir.Float64:
		f, _ := constant.Float64Val(e.Value)
		return math.Float64bits(f)
	}
	x, _ := constant.Int64Val(e.Value)
	if lane == 4 {
		return uint64(uint32(x))
	}
	return uint64(x)
}

func (b *body) iter(e *ir.IterRef) asm.Operand {
	i := b.index(e.Iter)
	switch {
	case b.s.sized:
		return b.converted(i, ir.Int32, e.T)
	case e.T.Float():
		return b.FromIndex(i)
	}
	return i
}

func (b *body) convert(e *ir.Convert) asm.Operand {
	if r := b.s.widened(e); r != nil {
		return b.widen(r)
	}
	if l := b.s.foundAs(e); l != nil {
		return b.found(l)
	}
	x := b.expr(e.X)
	from := e.X.Type()
	switch {
	case b.s.sized:
		return b.converted(x, from, e.T)
	case from == e.T, short(from) && e.T == ir.Int32, b.s.heldAs(e):
		return x
	case short(e.T):
		return b.lowBits(x, e.T)
	case e.T == ir.Float32:
		return b.FromIndex(x)
	}
	return b.Truncate(x)
}

// heldAs reports whether e converts a result from the type of its array to the type in which lanes hold it.
func (s *Shape) heldAs(e *ir.Convert) bool {
	r, ok := e.X.(*ir.Read)
	t, _ := s.laneInt()
	return ok && s.widens && !s.sized && e.T == t && s.foreign(r.T) && s.l.Reads[r.ID].From != ir.FromInitial
}

// lowBits wraps integers x to type t: it keeps as many low bits as t has, and extends the sign if t has one.
func (b *body) lowBits(x asm.Operand, t ir.Type) asm.Operand {
	low := b.Bits(asm.And, x, b.HeldOrMemory(b.Splat(uint64(1)<<(8*t.Size())-1)))
	if unsigned(t) {
		return low
	}
	sign := b.HeldOrMemory(b.Splat(uint64(t.Cell().Hi) + 1))
	return b.Binary(asm.Sub, false, b.Bits(asm.Xor, low, sign), sign)
}

// converted returns x, of type from, converted to type to. A float becomes an integer narrower than 4
// bytes by way of int32, which is then limited to the range of the narrower type.
func (b *body) converted(x asm.Operand, from, to ir.Type) asm.Operand {
	m := b.as(to).Machine
	switch {
	case from.Float() && to.Float() && from.Size() < to.Size():
		return m.FromFloats(x)
	case from.Float() && to.Float() && from != to:
		return m.Round(x)
	case from.Float() && to == ir.Int32:
		return b.as(from).Truncate(x)
	case from.Float() && to.Integer():
		i, in := b.as(from).Truncate(x), b.as(ir.Int32)
		i = in.Least(asm.Max, false, i, in.Splat(uint64(to.Cell().Lo)))
		return m.Narrow(in.Least(asm.Min, false, i, in.Splat(uint64(to.Cell().Hi))), in.LaneSize())
	case from == ir.Int64 && to == ir.Float64:
		return m.FromLongs(x)
	case to.Float() && from != to:
		return m.FromIndex(b.converted(x, from, ir.Int32))
	case from.Size() < to.Size():
		return m.Widen(x, from.Size(), unsigned(from))
	case from.Size() > to.Size():
		return m.Narrow(x, from.Size())
	}
	return x
}
