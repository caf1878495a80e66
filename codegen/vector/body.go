package vector

import (
	"fmt"
	"go/constant"
	"math"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
)

// A body writes one vector step: the statements of one iteration, in all lanes.
type body struct {
	*machine
	s *Shape
	// read returns the vector of a read; index that of a loop's value as int32,
	// in lanes of 4 bytes; param the lanes of a parameter.
	read  func(*ir.Read) operand.Op
	wider func(*ir.Read) operand.Op // of a narrower type: the register or memory to convert
	whole func(*ir.Read) operand.Op // if not nil, of a narrower type: the lanes, converted already
	index func(loop int) reg.VecVirtual
	param func(ParamUse) operand.Op
	// done is called with the result of each value; it may give back another
	// register with it.
	done func(v int, r reg.Register) reg.Register
	// texts, if not nil, compares what need not be as wide as lanes, and returns nil for others.
	texts func(*ir.Binary) condition
	// reduced is called with the value of the k-th reduction.
	reduced func(k int, r *ir.Reduce, value operand.Op)

	lets map[int]operand.Op
	news map[int]operand.Op
	// once names, if not nil, expressions that occur more than once, to be computed once,
	// and returns nothing for others; shared are their registers.
	once   func(ir.Expr) string
	shared map[string]operand.Op
	divide *sharedDivisor // whose quotients are computed together, or nil
}

// step writes the statements.
func (b *body) step() {
	b.lets, b.news, b.shared = map[int]operand.Op{}, map[int]operand.Op{}, map[string]operand.Op{}
	reduces := 0
	for k, stmt := range b.s.n.Body {
		if !b.s.live[k] {
			continue
		}
		switch stmt := stmt.(type) {
		case *ir.Let:
			b.asm.Comment(b.s.where(stmt.Span.Line))
			if stmt.Type == ir.Bool {
				panic("BUG: vector: a let of a condition")
			}
			b.lets[k] = b.load(b.expr(stmt.Expr))
		case *ir.Assign:
			b.asm.Comment(b.s.where(stmt.Line))
			v := slices.Index(b.s.l.Values, k)
			b.news[v] = b.done(v, b.load(b.expr(stmt.Expr)))
		case *ir.Reduce:
			b.asm.Comment(b.s.where(stmt.Span.Line))
			b.reduced(reduces, stmt, b.expr(stmt.Expr))
			reduces++
		}
	}
}

// where returns a source line, for a comment.
func (s *Shape) where(line int) string {
	text := ""
	if line >= 1 && line <= len(s.n.Source) {
		text = strings.TrimSpace(s.n.Source[line-1])
	}
	return clean(fmt.Sprintf("%s:%d: %s", s.n.File, line, text))
}

// clean leaves printable ASCII: nothing in a comment may end it, nor reach the
// preprocessor of the assembler.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '\\' {
			return '?'
		}
		return r
	}, text)
}

// expr returns the lanes of e: a register, or memory to be read as an operand.
func (b *body) expr(e ir.Expr) operand.Op {
	if name := b.quotientName(e); name != "" {
		if b.shared[name] == nil {
			b.divideOnce(b.divide)
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
		b.shared[name] = b.load(b.write(e))
	}
	return b.shared[name]
}

// quotientName returns the name of e if it is one of the quotients that are computed
// together, else nothing.
func (b *body) quotientName(e ir.Expr) string {
	if b.divide == nil {
		return ""
	}
	if name := b.s.nameOf(e); slices.Contains(b.divide.names, name) {
		return name
	}
	return ""
}

// write writes e, and returns its lanes.
func (b *body) write(e ir.Expr) operand.Op {
	switch e := e.(type) {
	case *ir.Lit:
		return b.kept(b.splat(literal(e, b.lane)))
	case *ir.ParamRef:
		return b.param(ParamUse{e.Param, e.T})
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
			return b.bits("xor", x, b.splat(b.signBit()))
		}
		return b.machine.binary(ir.Sub, e.T, b.splat(0), x)
	case *ir.Binary:
		if r := reciprocalOf(e); r != nil {
			return b.quotient(b.load(b.expr(e.X)), r)
		}
		// Sums of sums would keep many registers alive if the right one came
		// last: the deeper operand goes first.
		if b.s.depth(e.Y) > b.s.depth(e.X) {
			y := b.expr(e.Y)
			return b.machine.binary(e.Op, e.T, b.expr(e.X), y)
		}
		x := b.expr(e.X)
		return b.machine.binary(e.Op, e.T, x, b.expr(e.Y))
	case *ir.Call:
		return b.call(e)
	case *ir.Select:
		c := b.cond(e.Cond)
		x, y := b.expr(e.A), b.expr(e.B)
		return b.choose(c, x, y)
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

func (b *body) iter(e *ir.IterRef) operand.Op {
	i := b.index(e.Iter)
	r := b.vec()
	switch e.T {
	case ir.Float32:
		b.asm.VCVTDQ2PS(i, r)
	case ir.Float64:
		b.asm.VCVTDQ2PD(i, r)
	default:
		return i
	}
	return r
}

func (b *body) convert(e *ir.Convert) operand.Op {
	if r := b.s.widened(e); r != nil {
		if b.whole != nil {
			return b.whole(r)
		}
		x, out := b.wider(r), b.vec()
		if r.T == ir.Float32 {
			b.asm.VCVTPS2PD(x, out)
		} else {
			b.asm.VCVTDQ2PD(x, out)
		}
		return out
	}
	x := b.expr(e.X)
	from := e.X.Type()
	switch {
	case from == e.T, from == ir.Uint8 && e.T == ir.Int32:
		return x
	case e.T == ir.Float32:
		r := b.vec()
		b.asm.VCVTDQ2PS(x, r)
		return r
	}
	// Truncated; what is too great or NaN becomes the least integer, which is
	// right for what is too small only.
	f, r := b.load(x), b.vec()
	b.asm.VCVTTPS2DQ(f, r)
	over := b.compareFloat(floatCompare[ir.Ge], f, b.splat(uint64(math.Float32bits(1<<31))))
	nan := b.compareFloat(unordered, f, f)
	y := b.choose(over, b.splat(math.MaxInt32), r)
	return b.choose(nan, b.splat(0), y)
}

func (b *body) call(e *ir.Call) operand.Op {
	x := b.expr(e.Args[0])
	r := b.vec()
	switch e.Fn {
	case ir.Min, ir.Max:
		for _, a := range e.Args[1:] {
			x = b.pair(e, x, a)
		}
		return x
	case ir.Abs:
		if e.T.Float() {
			return b.bits("and", x, b.splat(b.signBit()-1))
		}
		b.asm.VPABSD(x, r)
	case ir.Sqrt:
		if b.lane == 8 {
			b.asm.VSQRTPD(x, r)
		} else {
			b.asm.VSQRTPS(x, r)
		}
	case ir.Floor:
		const down = 9 // towards minus infinity, silently
		switch {
		case b.wide() && b.lane == 8:
			b.asm.VRNDSCALEPD(operand.U8(down), x, r)
		case b.wide():
			b.asm.VRNDSCALEPS(operand.U8(down), x, r)
		case b.lane == 8:
			b.asm.VROUNDPD(operand.U8(down), x, r)
		default:
			b.asm.VROUNDPS(operand.U8(down), x, r)
		}
	default:
		panic("BUG: vector: no such function")
	}
	return r
}

// pair returns min or max of what is known so far and a. With a constant other
// than zero one instruction does it: it returns its second operand, the one that
// may be NaN.
func (b *body) pair(e *ir.Call, x operand.Op, a ir.Expr) operand.Op {
	if e.T.Float() && b.notZero(a) {
		return b.extreme(e.Fn, b.load(b.expr(a)), x)
	}
	if e.T.Float() && len(e.Args) == 2 && b.notZero(e.Args[0]) {
		return b.extreme(e.Fn, b.load(x), b.expr(a))
	}
	return b.least(e.Fn, e.T, x, b.expr(a))
}

// notZero reports whether e is a constant that is not zero once rounded.
func (b *body) notZero(e ir.Expr) bool {
	lit, ok := e.(*ir.Lit)
	return ok && literal(lit, b.lane)&^b.signBit() != 0
}

// cond returns the condition e.
func (b *body) cond(e ir.Expr) condition {
	switch e := e.(type) {
	case *ir.Lit:
		bits := uint64(0)
		if constant.BoolVal(e.Value) {
			bits = b.allOnes()
		}
		if b.wide() {
			return b.compare(ir.Lt, ir.Int32, b.splat(bits&0xffffffff), b.splat(0))
		}
		return b.load(b.splat(bits))
	case *ir.Unary:
		return b.not(b.cond(e.X))
	case *ir.Binary:
		if e.Op == ir.And || e.Op == ir.Or {
			x := b.cond(e.X)
			return b.logic(e.Op, x, b.cond(e.Y))
		}
		if b.texts != nil {
			if c := b.texts(e); c != nil {
				return c
			}
		}
		x := b.expr(e.X)
		return b.compare(e.Op, e.X.Type(), x, b.expr(e.Y))
	}
	panic(fmt.Sprintf("BUG: vector: unexpected condition %T", e))
}
