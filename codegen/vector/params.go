package vector

import (
	"slices"

	"loopc/ir"
	"loopc/runtime/kernel"
)

// A ParamUse is a parameter converted to a type. If Float is set, it is a float parameter. If Part is set, it is a
// number of dimension Dim of the table that is array Param.
type ParamUse struct {
	Param int
	Float bool
	Type  ir.Type
	Part  kernel.TablePart
	Dim   int
}

// useInput notes that the body uses a parameter, a float parameter or a table.
func (s *Shape) useInput(e ir.Expr) {
	switch e := e.(type) {
	case *ir.ParamRef:
		s.useParam(ParamUse{Param: e.Param, Type: e.T})
	case *ir.FloatRef:
		s.useFloat(e)
	case *ir.Lookup:
		s.useTable(e)
	}
}

// useFloat notes that the body uses a float parameter, or the result of an earlier nest.
func (s *Shape) useFloat(e *ir.FloatRef) {
	if e.T.Integer() {
		refuseAt(e.At, "", "%s is an integer of an earlier nest", s.n.Floats[e.Float].Name)
	}
	s.useParam(ParamUse{Param: e.Float, Float: true, Type: e.T})
}

// useParam notes that the body uses a parameter.
func (s *Shape) useParam(use ParamUse) {
	if !slices.Contains(s.Params, use) {
		s.Params = append(s.Params, use)
	}
}
