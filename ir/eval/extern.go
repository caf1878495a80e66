package eval

import (
	"fmt"
	"math"
	"slices"
	"unicode"

	"loopc/ir"
)

// mathFunctions are the Go functions that the interpreter can call, besides
// unicode.ToUpper: those of package math whose arguments and result are float64.
var mathFunctions = map[string]any{
	"Atan": math.Atan, "Atan2": math.Atan2, "Cbrt": math.Cbrt, "Cosh": math.Cosh, "Erf": math.Erf,
	"Hypot": math.Hypot, "Mod": math.Mod, "Pow": math.Pow, "Tan": math.Tan, "Tanh": math.Tanh, "Trunc": math.Trunc,
}

// extern calls a Go function, if the interpreter knows it.
func (m *machine) extern(e *ir.ExternCall) (value, error) {
	var args []float64
	f := &m.nest.Externs[e.Extern]
	for _, x := range e.Args {
		v, err := m.eval(x)
		if err != nil {
			return value{}, err
		}
		if f.Path == "unicode" && f.Symbol == "ToUpper" && slices.Equal(f.Params, []ir.Type{ir.Int32}) && f.Result == ir.Int32 {
			return value{i: int64(unicode.ToUpper(rune(v.i)))}, nil
		}
		args = append(args, v.f)
	}
	known := f.Path == "math" && f.Result == ir.Float64
	for _, t := range f.Params {
		known = known && t == ir.Float64
	}
	if known {
		switch call := mathFunctions[f.Symbol].(type) {
		case func(float64) float64:
			if len(args) == 1 {
				return value{f: call(args[0])}, nil
			}
		case func(float64, float64) float64:
			if len(args) == 2 {
				return value{f: call(args[0], args[1])}, nil
			}
		}
	}
	return value{}, fmt.Errorf("%s:%d: %s is written in Go, and not known to the interpreter", m.nest.File, e.At.Line, f.Name)
}
