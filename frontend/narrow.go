package frontend

import (
	"fmt"
	"go/constant"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Indices and parameters in the type of an array that cannot hold them: they wrap, silently.

// maxWitnesses bounds the cells of an array whose first content is computed.
const maxWitnesses = 1 << 12

// wrappingInit warns of an init that gives a cell another value than it says, because the type of the array
// cannot hold it. It looks at the cells of eachFirst.
func wrappingInit(arr *ir.Array, declared []ir.Param) (found *diag.Diagnostic) {
	holds := arr.Elem.Cell()
	eachFirst(arr, defaultsOf(declared), func(cell []int, v int64) bool {
		if holds.Has(v) {
			return true
		}
		found = &diag.Diagnostic{
			Severity: diag.Warning, Code: diag.ConstantOverflow, At: arr.Init.Span,
			Message: fmt.Sprintf("%s begins with %d by default, which wraps: %s holds %d to %d", cellText(arr, cell), v, arr.Elem, holds.Lo, holds.Hi),
			Hint:    fmt.Sprintf("declare %s with a wider type", arr.Name), Kind: diag.Advice,
		}
		return false
	})
	return found
}

// wrappingFrom warns of a sum or a difference that wraps where it reads the first content of a cell, such as the least integer
// from which a nest subtracts. arr is array a as the file declares it: of an array of several nests, only that has the init.
func wrappingFrom(n *ir.Nest, a int, arr *ir.Array, params []int) (found *diag.Diagnostic) {
	holds := arr.Elem.Cell()
	if len(n.Assigns(a)) == 0 {
		return nil
	}
	var least, most int64
	cells := 0
	eachFirst(arr, params, func(_ []int, v int64) bool {
		if cells++; cells == 1 {
			least, most = v, v
		}
		least, most = min(least, v), max(most, v)
		return true
	})
	if cells == 0 || !holds.Has(least) || !holds.Has(most) {
		return nil
	}
	for _, s := range n.Body {
		ir.Walk(ir.Value(s), func(e ir.Expr) {
			sum, ok := e.(*ir.Binary)
			if !ok || found != nil || sum.Op != ir.Add && sum.Op != ir.Sub || sum.T != arr.Elem {
				return
			}
			read, x := sum.X, sum.Y
			if _, ok := x.(*ir.Read); ok && sum.Op == ir.Add {
				read, x = x, read
			}
			r, ok := read.(*ir.Read)
			if !ok || r.Array != a {
				return
			}
			by, known := exactly(x, params, nil)
			if !known {
				return
			}
			for _, first := range []int64{least, most} {
				if v, _ := computedWith(sum.Op, first, by); !holds.Has(v) {
					found = &diag.Diagnostic{
						Severity: diag.Warning, Code: diag.ConstantOverflow, At: r.At,
						Message: fmt.Sprintf("a cell of %s begins with %d, and %[2]d %s %d wraps: %s holds %d to %d", arr.Name, first, sum.Op, by, arr.Elem, holds.Lo, holds.Hi),
					}
					if half, _ := computedWith(sum.Op, first/2, by); holds.Has(half) {
						found.Hint, found.Kind = fmt.Sprintf("an init with half of it, %d, leaves room", first/2), diag.Advice
					}
					return
				}
			}
		})
	}
	return found
}

// wrappingSum warns of a statement that adds cells to another cell of the array that it writes, if cells have 8 bits: the sum
// grows from cell to cell, and soon wraps. It also warns of a difference of cells that have no sign.
func wrappingSum(n *ir.Nest, s *ir.Assign) *diag.Diagnostic {
	arr := &n.Arrays[s.Array]
	if !arr.Elem.Integer() || arr.Elem.Size() > 2 {
		return nil
	}
	holds := arr.Elem.Cell()
	own, cells, less := 0, 0, 0
	greatest := false // a let is subtracted that may be the greatest value
	value := s.Expr
	for l, ok := value.(*ir.LocalRef); ok; l, ok = value.(*ir.LocalRef) { // the value of a let that has the type of the cells
		let := n.Body[l.Stmt].(*ir.Let)
		if let.Type != arr.Elem {
			return nil
		}
		value = let.Expr
	}
	if !eachTerm(value, false, func(x ir.Expr, negative bool) {
		r, ok := x.(*ir.Read)
		if !ok {
			l, isLet := x.(*ir.LocalRef)
			greatest = greatest || negative && isLet && mayBe(n, l, holds.Hi)
			return
		}
		if cells++; r.Array == s.Array {
			own++
		}
		if negative {
			less++
		}
	}) || cells < 2 && !greatest {
		return nil
	}
	message, what := "", ""
	switch {
	case own > 0 && arr.Elem.Size() == 1:
		message, what = fmt.Sprintf("the sum of cells in %s wraps: %s holds %d to %d", arr.Name, arr.Elem, holds.Lo, holds.Hi), "sum"
	case greatest && holds.Lo == 0:
		message, what = fmt.Sprintf("what is less than %d wraps below 0 when %[1]d is subtracted: %s is %s, which holds 0 to %[1]d", holds.Hi, arr.Name, arr.Elem), "difference"
	case less > 0 && holds.Lo == 0:
		message, what = fmt.Sprintf("the difference of cells in %s wraps below 0: %s holds 0 to %d", arr.Name, arr.Elem, holds.Hi), "difference"
	default:
		return nil
	}
	return &diag.Diagnostic{
		Severity: diag.Warning, Code: diag.ConstantOverflow, At: s.Span, Message: message,
		Hint: fmt.Sprintf("declare %s as int32; %s(...) around the %s says that it is to wrap", arr.Name, arr.Elem, what), Kind: diag.Advice,
	}
}

// mayBe reports whether the value of a let is a select that has a number as one of its two values, and a number as the other.
func mayBe(n *ir.Nest, l *ir.LocalRef, number int64) bool {
	let, ok := n.Body[l.Stmt].(*ir.Let)
	if !ok {
		return false
	}
	choice, ok := let.Expr.(*ir.Select)
	if !ok {
		return false
	}
	x, known := exactly(choice.A, nil, nil)
	y, also := exactly(choice.B, nil, nil)
	return known && also && (x == number || y == number)
}

// eachTerm calls f for each term of a sum without factors, and says whether the term is subtracted. It returns false if e is no sum.
func eachTerm(e ir.Expr, negative bool, f func(x ir.Expr, negative bool)) bool {
	sum, ok := e.(*ir.Binary)
	if !ok || sum.Op != ir.Add && sum.Op != ir.Sub {
		return false
	}
	for k, x := range []ir.Expr{sum.X, sum.Y} {
		if minus := negative != (k == 1 && sum.Op == ir.Sub); !eachTerm(x, minus, f) {
			f(x, minus)
		}
	}
	return true
}

// defaultsOf returns the defaults of the parameters; nil if one has none.
func defaultsOf(declared []ir.Param) []int {
	params := make([]int, len(declared))
	for k, p := range declared {
		if p.Default == nil {
			return nil
		}
		params[k] = *p.Default
	}
	return params
}

// cellText returns the text of a cell.
func cellText(arr *ir.Array, cell []int) string {
	subs := make([]string, len(cell))
	for k, x := range cell {
		subs[k] = strconv.Itoa(x)
	}
	return arr.Name + "[" + strings.Join(subs, ",") + "]"
}

// eachFirst calls f with cells of an array of integers and the values with which they begin as the init says, at and near the
// ends of all dimensions, until f returns false. Values that cannot be computed are left out; params are nil if they are not known.
func eachFirst(arr *ir.Array, params []int, f func(cell []int, v int64) bool) {
	if arr.Init == nil || !arr.Elem.Integer() || params == nil {
		return
	}
	for _, bound := range slices.Concat(arr.Lo, arr.Hi) {
		if len(bound.Params) > len(params) { // the number of a batch, for which there is no default
			return
		}
	}
	left := maxWitnesses
	cell := make([]int, len(arr.Lo))
	var along func(d int) bool
	along = func(d int) bool {
		if d < len(cell) {
			lo, hi := arr.Lo[d].Eval(params, nil), arr.Hi[d].Eval(params, nil)
			for _, x := range []int{hi, lo, lo + 1, (lo + hi) / 2, hi - 1} {
				cell[d] = x
				if lo <= x && x <= hi && !along(d+1) {
					return false
				}
			}
			return true
		}
		if left--; left < 0 {
			return false
		}
		v, known := exactly(arr.Init.Expr, params, cell)
		return !known || f(cell, v)
	}
	along(0)
}

// maxExact bounds the factors in exactly, and half of its values, so that no sum or product leaves int64.
const maxExact = 1 << 31

// exactly returns the value of an expression of integers as it is written, without wrapping. known is false if
// the expression reads cells or contains conversions, if the value is too large, or if params or at lack a value.
func exactly(e ir.Expr, params, at []int) (v int64, known bool) {
	switch e := e.(type) {
	case *ir.Lit:
		v, known = constant.Int64Val(constant.ToInt(e.Value))
	case *ir.ParamRef:
		if e.Param < len(params) { // the number of a repeat has no default
			v, known = int64(params[e.Param]), true
		}
	case *ir.IterRef:
		if e.Iter < len(at) {
			v, known = int64(at[e.Iter]), true
		}
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
