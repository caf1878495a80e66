package transform

import (
	"loopc/ir"
	"loopc/transform/plan"
)

// schedule returns the schedule of n as options of the planner. The frontend lets
// through the planner's words only.
func schedule(n *ir.Nest) plan.Options {
	s := n.Schedule
	if s == nil {
		return plan.Options{}
	}
	o := plan.Options{CPUs: s.CPUs, Mesh: s.Mesh, Tile: s.Tile, Grid: s.Grid, Map: s.Map, Sub: s.Sub}
	var errs [4]error
	o.Group, errs[0] = plan.GroupNamed(s.Group)
	o.Assign, errs[1] = plan.AssignNamed(s.Assign)
	o.Comm, errs[2] = plan.CommNamed(s.Comm)
	o.Shape, errs[3] = plan.ShapeNamed(s.Shape)
	for _, err := range errs {
		if err != nil {
			panic("BUG: lower: schedule: " + err.Error())
		}
	}
	return o
}
