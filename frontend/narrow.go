package frontend

import (
	"fmt"
	"go/constant"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Indices and parameters in the type of an array that cannot hold them: they wrap, silently.

// maxWitnesses bounds the cells of an array whose first content is computed.
const maxWitnesses = 1 << 12

// wrappingInit warns of an init that gives a cell another value than it says, because the type of the array
// cannot hold it. It computes cells at and near the ends of all dimensions, for the defaults of the parameters.
func wrappingInit(arr *ir.Array, declared []ir.Param) *diag.Diagnostic {
	holds := arr.Elem.Cell()
	if arr.Init == nil || !arr.Elem.Integer() {
		return nil
	}
	params := make([]int, len(declared))
	for k, p := range declared {
		if p.Default == nil {
			return nil
		}
		params[k] = *p.Default
	}
	left := maxWitnesses
	cell := make([]int, len(arr.Lo))
	var along func(d int) *diag.Diagnostic
	along = func(d int) *diag.Diagnostic {
		if d < len(cell) {
			lo, hi := arr.Lo[d].Eval(params, nil), arr.Hi[d].Eval(params, nil)
			for _, x := range []int{hi, lo, lo + 1, (lo + hi) / 2, hi - 1} {
				cell[d] = x
				if lo <= x && x <= hi {
					if found := along(d + 1); found != nil {
						return found
					}
				}
			}
			return nil
		}
		if left--; left < 0 {
			return nil
		}
		v, known := exactly(arr.Init.Expr, params, cell)
		if !known || holds.Has(v) {
			return nil
		}
		subs := make([]string, len(cell))
		for k, x := range cell {
			subs[k] = strconv.Itoa(x)
		}
		return &diag.Diagnostic{
			Severity: diag.Warning, Code: diag.ConstantOverflow, At: arr.Init.Span,
			Message: fmt.Sprintf("%s[%s] begins with %d by default, which wraps: %s holds %d to %d", arr.Name, strings.Join(subs, ","), v, arr.Elem, holds.Lo, holds.Hi),
			Hint:    fmt.Sprintf("declare %s with a wider type", arr.Name), Kind: diag.Advice,
		}
	}
	return along(0)
}

// maxExact bounds the factors in exactly, and half of its values, so that no sum or product leaves int64.
const maxExact = 1 << 31

// exactly returns the value of an expression of integers as it is written, without wrapping. known is false if
// the expression reads cells or contains conversions, or if the value is too large.
func exactly(e ir.Expr, params, at []int) (v int64, known bool) {
	switch e := e.(type) {
	case *ir.Lit:
		v, known = constant.Int64Val(constant.ToInt(e.Value))
	case *ir.ParamRef:
		v, known = int64(params[e.Param]), true
	case *ir.IterRef:
		v, known = int64(at[e.Iter]), true
	case *ir.Unary:
		x, ok := exactly(e.X, params, at)
		v, known = -x, ok && e.Op == ir.Neg
	case *ir.Binary:
		x, okX := exactly(e.X, params, at)
		y, okY := exactly(e.Y, params, at)
		if okX && okY {
			v, known = computedWith(e.Op, x, y)
		}
	case *ir.Call:
		v, known = exactCall(e, params, at)
	case *ir.Select:
		if c, ok := exactly(e.Cond, params, at); ok && c != 0 {
			v, known = exactly(e.A, params, at)
		} else if ok {
			v, known = exactly(e.B, params, at)
		}
	}
	return v, known && v >= -maxExact*2 && v <= maxExact*2
}

// computedWith is x op y; a condition that holds is 1.
func computedWith(op ir.Op, x, y int64) (int64, bool) {
	truth := map[bool]int64{true: 1}
	switch op {
	case ir.Add:
		return x + y, true
	case ir.Sub:
		return x - y, true
	case ir.Mul:
		return x * y, x > -maxExact && x < maxExact && y > -maxExact && y < maxExact
	case ir.Eq:
		return truth[x == y], true
	case ir.Ne:
		return truth[x != y], true
	case ir.Lt:
		return truth[x < y], true
	case ir.Le:
		return truth[x <= y], true
	case ir.Gt:
		return truth[x > y], true
	case ir.Ge:
		return truth[x >= y], true
	case ir.And:
		return x * y, true
	case ir.Or:
		return max(x, y), true
	case ir.Quo:
		if y != 0 {
			return x / y, true
		}
	}
	return 0, false
}

// exactCall does what exactly does, for min, max and abs.
func exactCall(e *ir.Call, params, at []int) (v int64, known bool) {
	for k, a := range e.Args {
		x, ok := exactly(a, params, at)
		switch {
		case !ok || e.Fn > ir.Abs:
			return 0, false
		case e.Fn == ir.Abs:
			return max(x, -x), true
		case k == 0:
			v = x
		case e.Fn == ir.Min:
			v = min(v, x)
		default:
			v = max(v, x)
		}
	}
	return v, true
}
