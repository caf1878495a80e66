package frontend_test

import (
	"fmt"
	"go/constant"
	"math/rand/v2"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A maker makes random nests as ir values: loops and accesses only, in more shapes than the
// generator of source text has. The computed values do not matter, so every statement adds up what
// it reads.
type maker struct {
	rng  *rand.Rand
	nest *ir.Nest
	col  int
}

// randomNest returns a random nest of depth 1 to 4 whose spans all differ.
func randomNest(rng *rand.Rand) *ir.Nest {
	m := &maker{rng: rng, nest: &ir.Nest{Name: "random", File: "random.loop"}}
	for k := range 1 + rng.IntN(2) {
		m.nest.Params = append(m.nest.Params, ir.Param{Name: string(rune('M' + k))})
	}
	depth := 1 + rng.IntN(4)
	for k := range depth {
		m.nest.Loops = append(m.nest.Loops, ir.Loop{
			Name: []string{"t", "i", "j", "k"}[k], Lo: m.lower(k), Hi: m.upper(k), Backward: rng.IntN(4) == 0, Span: m.span(),
		})
	}
	for range 1 + rng.IntN(2) {
		m.array(depth)
	}
	for range 1 + rng.IntN(3) {
		m.statement()
	}
	return m.nest
}

// span returns a span that no other access has.
func (m *maker) span() diag.Span {
	m.col++
	return diag.Span{Pos: diag.Pos{Line: 1, Col: m.col}, Len: 1}
}

func (m *maker) param() ir.Affine {
	a := ir.Affine{Params: make([]int, len(m.nest.Params))}
	a.Params[m.rng.IntN(len(a.Params))] = 1
	return a
}

func (m *maker) outer(k int) ir.Affine {
	a := ir.Affine{Iters: make([]int, k)}
	a.Iters[m.rng.IntN(k)] = 1
	return a
}

func (m *maker) lower(k int) []ir.Affine {
	lo := []ir.Affine{{Const: m.rng.IntN(3)}}
	if k > 0 && m.rng.IntN(4) == 0 {
		a := m.outer(k)
		a.Const = m.rng.IntN(4) - 2
		lo = append(lo, a)
		if m.rng.IntN(3) == 0 {
			lo = lo[1:]
		}
	}
	return lo
}

func (m *maker) upper(k int) []ir.Affine {
	hi := []ir.Affine{m.param()}
	hi[0].Const = -m.rng.IntN(2)
	if m.rng.IntN(10) == 0 {
		hi[0] = ir.Affine{Const: m.rng.IntN(4)} // so few trips that they can be counted
	}
	if k > 0 && m.rng.IntN(4) == 0 {
		a := m.outer(k)
		a.Const = m.rng.IntN(3)
		hi = append(hi, a)
	} else if k > 0 && m.rng.IntN(8) == 0 {
		a := m.param() // M - i
		a.Iters = make([]int, k)
		a.Iters[m.rng.IntN(k)] = -1
		hi = append(hi, a)
	}
	return hi
}

// array adds an array with room around what is written.
func (m *maker) array(depth int) {
	arr := ir.Array{
		Name: string(rune('u' + len(m.nest.Arrays))), Elem: ir.Float64, Span: m.span(),
		Role: []ir.Role{ir.InOut, ir.Internal, ir.Out}[m.rng.IntN(3)],
	}
	if arr.Role != ir.InOut && m.rng.IntN(3) > 0 {
		arr.Init = &ir.Init{Expr: &ir.Lit{T: ir.Float64, Value: constant.MakeInt64(0)}}
	}
	dims := max(1, depth-m.rng.IntN(3)%2*m.rng.IntN(2))
	for range dims {
		lo, hi := ir.Affine{Const: -4 + m.rng.IntN(3)}, m.param()
		for k := range hi.Params {
			hi.Params[k] = 1
		}
		hi.Const = 3
		if m.rng.IntN(20) == 0 {
			lo.Const, hi = m.rng.IntN(2), m.param()
		}
		arr.Lo, arr.Hi = append(arr.Lo, lo), append(arr.Hi, hi)
	}
	m.nest.Arrays = append(m.nest.Arrays, arr)
}

// subscripts returns subscripts for an array whose dimension d uses loops[d].
func (m *maker) subscripts(array int, loops []int) []ir.Affine {
	var subs []ir.Affine
	for d := range m.nest.Arrays[array].Lo {
		s := ir.Affine{Const: m.rng.IntN(3)}
		switch {
		case loops[d] < 0 && m.rng.IntN(4) == 0:
			s = m.param()
		case loops[d] >= 0:
			s = ir.Affine{Iters: make([]int, len(m.nest.Loops)), Const: [...]int{0, 0, 0, 1, -1, -1, 2, -2}[m.rng.IntN(8)]}
			s.Iters[loops[d]] = 1
		}
		subs = append(subs, s)
	}
	return subs
}

// statement adds an assignment. Accesses of one array mostly use the same loops.
func (m *maker) statement() {
	array := m.rng.IntN(len(m.nest.Arrays))
	loops := make([][]int, len(m.nest.Arrays))
	for k := range loops {
		// The same for every statement: seeded by the array alone.
		order := rand.New(rand.NewPCG(uint64(k), uint64(len(m.nest.Loops)))).Perm(len(m.nest.Loops))
		loops[k] = order
		if len(m.nest.Arrays[k].Lo) < len(order) && len(order) > 1 {
			loops[k] = order[1:]
		}
	}
	pick := func(k int) []int {
		l := append([]int(nil), loops[k]...)
		if m.rng.IntN(15) == 0 {
			l[m.rng.IntN(len(l))] = -1
		}
		return l
	}
	w := &ir.Assign{Array: array, Subs: m.subscripts(array, pick(array)), Span: m.span(), Line: 1}
	var sum ir.Expr = &ir.Lit{T: ir.Float64, Value: constant.MakeInt64(0)}
	for range 1 + m.rng.IntN(3) {
		from := m.rng.IntN(len(m.nest.Arrays))
		r := &ir.Read{T: ir.Float64, ID: len(m.nest.Reads), Array: from, Subs: m.subscripts(from, pick(from)), At: m.span()}
		m.nest.Reads = append(m.nest.Reads, r)
		m.nest.ReadStmt = append(m.nest.ReadStmt, len(m.nest.Body))
		sum = &ir.Binary{T: ir.Float64, Op: ir.Add, X: sum, Y: m.guarded(r)}
	}
	w.Expr = sum
	m.nest.Body = append(m.nest.Body, w)
}

// guarded returns a read, or a select that has it as one of its values.
func (m *maker) guarded(r *ir.Read) ir.Expr {
	if m.rng.IntN(3) > 0 {
		return r
	}
	zero := &ir.Lit{T: ir.Float64, Value: constant.MakeInt64(0)}
	x := &ir.Select{T: ir.Float64, Cond: m.condition(2), A: r, B: zero}
	if m.rng.IntN(3) == 0 {
		x.A, x.B = zero, r
	}
	return x
}

// condition returns a condition on loops and parameters.
func (m *maker) condition(depth int) ir.Expr {
	if depth > 0 {
		switch m.rng.IntN(6) {
		case 0, 1:
			op := []ir.Op{ir.And, ir.And, ir.Or}[m.rng.IntN(3)]
			return &ir.Binary{T: ir.Bool, Op: op, X: m.condition(depth - 1), Y: m.condition(depth - 1)}
		case 2:
			return &ir.Unary{T: ir.Bool, Op: ir.Not, X: m.condition(depth - 1)}
		}
	}
	number := func(x int) ir.Expr { return &ir.Lit{T: ir.Int64, Value: constant.MakeInt64(int64(x))} }
	loop := func() ir.Expr { return &ir.IterRef{T: ir.Int64, Iter: m.rng.IntN(len(m.nest.Loops))} }
	other := number(m.rng.IntN(4))
	switch m.rng.IntN(4) {
	case 0:
		other = loop()
	case 1:
		other = &ir.ParamRef{T: ir.Int64, Param: m.rng.IntN(len(m.nest.Params))}
	}
	x := loop()
	if m.rng.IntN(3) == 0 {
		x = &ir.Binary{T: ir.Int64, Op: []ir.Op{ir.Add, ir.Sub}[m.rng.IntN(2)], X: x, Y: number(m.rng.IntN(4))}
	}
	if m.rng.IntN(12) == 0 {
		x = &ir.ParamRef{T: ir.Int64}
	}
	return &ir.Binary{T: ir.Bool, Op: ir.Eq + ir.Op(m.rng.IntN(6)), X: x, Y: other}
}

// show prints the loops and accesses of a nest.
func show(n *ir.Nest) string {
	var b strings.Builder
	for _, arr := range n.Arrays {
		fmt.Fprintf(&b, "array %s %v init %v: %+v .. %+v\n", arr.Name, arr.Role, arr.Init != nil, arr.Lo, arr.Hi)
	}
	for _, l := range n.Loops {
		fmt.Fprintf(&b, "for %s = max%+v..min%+v\n", l.Name, l.Lo, l.Hi)
	}
	for k, s := range n.Body {
		w, ok := s.(*ir.Assign)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "%d: %s%+v =", k, n.Arrays[w.Array].Name, w.Subs)
		for id, r := range n.Reads {
			if n.ReadStmt[id] == k {
				fmt.Fprintf(&b, " %d:%s%+v", id, n.Arrays[r.Array].Name, r.Subs)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s\n", n)
	return b.String()
}

// newRand returns a generator for a seed.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
