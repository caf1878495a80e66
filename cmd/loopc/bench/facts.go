package bench

import (
	"fmt"
	"go/constant"
	"math"
	"slices"
	"strings"

	"loopc/ir"
)

// facts are what the source of a nest says about its work, from which the roof is computed.
type facts struct {
	program *ir.Program
	elem    int      // bytes of the widest cell that is written
	outs    []string // arrays that are given back, in the order of the file: the checksum covers them
	// cut is the first parameter in the bounds of the innermost loop, and cuts is the number of
	// loops with this parameter in their bounds.
	cut  string
	cuts int
}

// work is the work of a run: counts of iterations, operations and divisions.
type work struct {
	points float64 // iterations
	// divisions counts divisions and square roots, ops all other operations. A subexpression that
	// occurs twice counts once. A division by a constant is two products in ops, and one division
	// in byConstant; by a power of two, it is only one product in ops.
	ops, divisions, byConstant float64
}

// factsOf reads the facts off the program of a file.
func factsOf(p *ir.Program) *facts {
	f := &facts{program: p}
	for k := range p.Arrays {
		if p.Arrays[k].Returned() {
			f.outs = append(f.outs, p.Arrays[k].Name)
		}
	}
	for _, n := range p.Nests {
		for _, s := range n.Body {
			if w, ok := s.(*ir.Assign); ok {
				f.elem = max(f.elem, n.Arrays[w.Array].Elem.Size())
			}
		}
	}
	loops := p.Nests[0].Loops
	last := &loops[len(loops)-1]
	for k := range p.Params {
		if mentions(last, k) {
			f.cut = p.Params[k].Name
			for i := range loops {
				if mentions(&loops[i], k) {
					f.cuts++
				}
			}
			break
		}
	}
	return f
}

// mentions reports whether the bounds of a loop depend on parameter k.
func mentions(l *ir.Loop, k int) bool {
	return slices.ContainsFunc(append(slices.Clone(l.Lo), l.Hi...), func(a ir.Affine) bool { return a.Param(k) != 0 })
}

// defaults are the values that the file gives its parameters.
func (f *facts) defaults() (p params, err error) {
	for k := range f.program.Params {
		x := &f.program.Params[k]
		if x.Default == nil {
			return nil, &UsageError{fmt.Sprintf("parameter %s has no default: give it with -p", x.Name)}
		}
		p = append(p, param{x.Name, *x.Default})
	}
	return p, nil
}

// values are the values of the program's parameters in their order, and those of the
// counters of repeats, which are 1.
func (f *facts) values(p params) []int {
	v := make([]int, len(f.program.Params)+len(f.program.Repeats()))
	for k := range v {
		v[k] = 1
		for _, x := range p {
			if k < len(f.program.Params) && x.name == f.program.Params[k].Name {
				v[k] = x.value
			}
		}
	}
	return v
}

// work counts the work of a run. A repeat counts to its end, even if a reduction may end it
// earlier.
func (f *facts) work(p params) (all work) {
	values := f.values(p)
	var add func(steps []ir.Step, times float64)
	add = func(steps []ir.Step, times float64) {
		for _, s := range steps {
			if r := s.Repeat; r != nil {
				lo, hi := within(r.Lo, r.Hi, values, nil)
				counter := len(f.program.Params) + r.Index
				if !f.counted(r.Steps, counter) {
					add(r.Steps, times*float64(max(0, hi-lo+1)))
					continue
				}
				for values[counter] = lo; values[counter] <= hi; values[counter]++ {
					add(r.Steps, times)
				}
				continue
			}
			n := f.program.Nests[s.Nest]
			w := body(n)
			points := times * iterations(n.Loops, values, nil)
			all.points += points
			all.ops += points * w.ops
			all.divisions += points * w.divisions
			all.byConstant += points * w.byConstant
		}
	}
	add(f.program.Steps, 1)
	return all
}

// counted reports whether the bounds of loops and repeats among the steps depend on parameter k, the
// number of a repeat around them.
func (f *facts) counted(steps []ir.Step, k int) bool {
	return slices.ContainsFunc(steps, func(s ir.Step) bool {
		if r := s.Repeat; r != nil {
			return mentions(&ir.Loop{Lo: r.Lo, Hi: r.Hi}, k) || f.counted(r.Steps, k)
		}
		return slices.ContainsFunc(f.program.Nests[s.Nest].Loops, func(l ir.Loop) bool { return mentions(&l, k) })
	})
}

// points is the number of iterations.
func (f *facts) points(p params) float64 { return f.work(p).points }

// moved returns the bytes that any program must read from and write to memory if input and
// output arrays do not fit the caches.
func (f *facts) moved(p params) (read, written float64) {
	values := f.values(p)
	for k := range f.program.Arrays {
		a := &f.program.Arrays[k]
		bytes := float64(a.Elem.Size())
		for d := range a.Lo {
			if a.Out == nil || a.Out[d] == nil {
				bytes *= float64(max(0, a.Hi[d].Eval(values, nil)-a.Lo[d].Eval(values, nil)+1))
			}
		}
		if a.Role == ir.In || a.Role == ir.InOut {
			read += bytes
		}
		if a.Returned() {
			written += bytes
		}
	}
	return read, written
}

// within returns the greatest lower and the least upper bound.
func within(lower, upper []ir.Affine, values, iters []int) (lo, hi int) {
	lo, hi = math.MinInt, math.MaxInt
	for _, a := range lower {
		lo = max(lo, a.Eval(values, iters))
	}
	for _, a := range upper {
		hi = min(hi, a.Eval(values, iters))
	}
	return lo, hi
}

// iterations counts the iterations of the inner loops. iters has the values of the outer loops.
func iterations(loops []ir.Loop, values, iters []int) float64 {
	if len(iters) == len(loops) {
		return 1
	}
	l := &loops[len(iters)]
	lo, hi := within(l.Lo, l.Hi, values, iters)
	if hi < lo {
		return 0
	}
	at := append(slices.Clone(iters), lo)
	depends := slices.ContainsFunc(loops[len(at):], func(inner ir.Loop) bool {
		return slices.ContainsFunc(append(slices.Clone(inner.Lo), inner.Hi...), func(a ir.Affine) bool { return a.Iter(len(iters)) != 0 })
	})
	if !depends {
		return float64(hi-lo+1) * iterations(loops, values, at)
	}
	count := 0.0
	for ; at[len(iters)] <= hi; at[len(iters)]++ {
		count += iterations(loops, values, at)
	}
	return count
}

// body counts the operations of an iteration.
func body(n *ir.Nest) (w work) {
	seen := map[string]bool{}
	lets := map[int]string{}
	var key func(e ir.Expr) string
	key = func(e ir.Expr) string {
		if r, ok := e.(*ir.LocalRef); ok {
			return fmt.Sprintf("%v(%s)", r.T, lets[r.Stmt])
		}
		var args []string
		for _, x := range ir.Operands(e) {
			args = append(args, key(x))
		}
		text := fmt.Sprintf("%s(%s)", symbol(e), strings.Join(args, " "))
		if !seen[text] {
			seen[text] = true
			w.count(e)
		}
		return text
	}
	for k, s := range n.Body {
		lets[k] = key(ir.Value(s))
	}
	return w
}

// symbol returns what an expression is besides its operands. Expressions with equal symbols and
// equal operands count once.
func symbol(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Lit:
		return fmt.Sprint(e.T, e.Value)
	case *ir.ParamRef:
		return fmt.Sprint(e.T, "param", e.Param)
	case *ir.FloatRef:
		return fmt.Sprint(e.T, "float", e.Float)
	case *ir.IterRef:
		return fmt.Sprint(e.T, "iter", e.Iter)
	case *ir.Read:
		return fmt.Sprint("read", e.Array, e.Subs)
	case *ir.Lookup:
		return fmt.Sprint("lookup", e.Array)
	case *ir.ConstCell:
		return fmt.Sprint("constant", e.Of.Name)
	case *ir.Unary:
		return fmt.Sprint(e.T, e.Op)
	case *ir.Binary:
		return fmt.Sprint(e.X.Type(), e.Op)
	case *ir.Call:
		return fmt.Sprint(e.T, e.Fn)
	case *ir.ExternCall:
		return fmt.Sprint("extern", e.Extern)
	}
	return fmt.Sprintf("%T%v", e, e.Type())
}

// count adds the operation at the root of e. A function such as exp counts as ten
// operations; conversions and signs are free.
func (w *work) count(e ir.Expr) {
	switch e := e.(type) {
	case *ir.Binary:
		switch c, byConstant := e.Y.(*ir.Lit); {
		case !e.Op.Divides():
			w.ops++
		case byConstant && powerOfTwo(c.Value):
			w.ops++
		case byConstant:
			w.ops += 2
			w.byConstant++
		default:
			w.divisions++
		}
	case *ir.Select:
		w.ops++
	case *ir.Lookup: // the position of the cell
		w.ops += float64(len(e.Subs))
	case *ir.ConstCell:
		w.ops += float64(len(e.Subs))
	case *ir.ExternCall:
		w.ops += 10
	case *ir.Call:
		switch e.Fn {
		case ir.Min, ir.Max:
			w.ops += float64(len(e.Args) - 1)
		case ir.Abs, ir.Floor, ir.Ceil, ir.Trunc:
			w.ops++
		case ir.Sqrt:
			w.divisions++
		default:
			w.ops += 10
		}
	}
}

// powerOfTwo reports whether a constant is a power of two.
func powerOfTwo(v constant.Value) bool {
	x, _ := constant.Float64Val(constant.ToFloat(v))
	f, _ := math.Frexp(math.Abs(x))
	return f == 0.5
}
