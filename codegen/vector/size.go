package vector

import (
	"fmt"

	"loopc/ir"
)

// A kernel is written many times, in several ways, and the best is kept. Facts about an
// expression are therefore computed once, and long bodies are written in fewer ways.

// facts are computed facts about the expressions of a body.
type facts struct {
	depths map[ir.Expr]int
	names  map[ir.Expr]string
	short  map[string]string       // by name: the short name of an operation, see nameOf
	ranges map[ir.Expr]ir.Interval // see interval

	growths map[ir.Expr]growth // see usualGrowth
}

// depth is the height of an expression.
func (s *Shape) depth(e ir.Expr) int {
	if d, ok := s.facts.depths[e]; ok {
		return d
	}
	below := -1
	for _, x := range ir.Operands(e) {
		below = max(below, s.depth(x))
	}
	if s.facts.depths == nil {
		s.facts.depths = map[ir.Expr]int{}
	}
	s.facts.depths[e] = below + 1
	return below + 1
}

// nameOf returns a name for a read, a constant, a parameter, an index, a let, or an operation on such;
// expressions with the same value have the same name. It returns "" for other expressions.
// Operands have the type of their operation, which is part of its name. Operations have short
// names, because the names of deep expressions would otherwise be as long as these.
func (s *Shape) nameOf(e ir.Expr) string {
	name, ok := s.facts.names[e]
	if ok {
		return name
	}
	switch e := e.(type) {
	case *ir.Convert:
		if x := s.nameOf(e.X); x != "" {
			name = s.shorten(fmt.Sprintf("(%d:%d %s)", e.X.Type(), e.T, x))
		}
	case *ir.Unary:
		if x := s.nameOf(e.X); x != "" && e.T != ir.Bool {
			name = s.shorten(fmt.Sprintf("(%d:%d %s)", e.Op, e.T, x))
		}
	case *ir.Binary:
		if x, y := s.nameOf(e.X), s.nameOf(e.Y); x != "" && y != "" && e.T != ir.Bool {
			name = s.shorten(fmt.Sprintf("(%s %d:%d %s)", x, e.Op, e.T, y))
		}
	default:
		name = s.leafName(e)
	}
	if s.facts.names == nil {
		s.facts.names = map[ir.Expr]string{}
	}
	s.facts.names[e] = name
	return name
}

// leafName does what nameOf does, for an expression that is no operation.
func (s *Shape) leafName(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Lit:
		if e.T != ir.Bool {
			return fmt.Sprintf("%#x", literal(e, s.sizeOf(e.T)))
		}
	case *ir.ParamRef:
		return fmt.Sprintf("p%d", e.Param)
	case *ir.FloatRef:
		return fmt.Sprintf("f%d", e.Float)
	case *ir.IterRef:
		return fmt.Sprintf("i%d:%d", e.Iter, e.T)
	case *ir.LocalRef:
		if name := s.nameOf(s.n.Body[e.Stmt].(*ir.Let).Expr); name != "" {
			return name
		}
		return fmt.Sprintf("let%d", e.Stmt)
	case *ir.Read:
		if from := s.l.Reads[e.ID]; from.From == ir.FromLocal {
			return fmt.Sprintf("new%d", from.Value)
		} else if a, ok := s.reads[e.ID]; ok && !s.Streams[a.stream].written {
			return fmt.Sprintf("%d,%d", a.stream, a.back)
		}
	}
	return ""
}

// early reports whether a step can compute e before its first statement.
func (s *Shape) early(e ir.Expr) bool {
	early := true
	ir.Walk(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.LocalRef:
			early = false
		case *ir.Read:
			early = early && s.l.Reads[e.ID].From != ir.FromLocal
		}
	})
	return early
}

// shorten returns the short name of an operation.
func (s *Shape) shorten(name string) string {
	if s.facts.short == nil {
		s.facts.short = map[string]string{}
	}
	if s.facts.short[name] == "" {
		s.facts.short[name] = fmt.Sprintf("op%d", len(s.facts.short))
	}
	return s.facts.short[name]
}

// mostShort is the most operations of a body whose kernels are written in all ways. A step of a
// longer body exceeds what a processor looks ahead, and so fills its units, or its registers,
// by itself.
const mostShort = 400

// long reports whether a body has more operations than mostShort.
func (s *Shape) long() bool {
	n := 0
	s.each(func(e ir.Expr) {
		if len(ir.Operands(e)) > 0 {
			n++
		}
	})
	return n > mostShort
}
