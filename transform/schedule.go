package transform

import (
	"loopc/ir"
	"loopc/transform/plan"
)

// schedule returns the schedule of n as options of the planner. The frontend has checked the
// schedule's words.
func schedule(n *ir.Nest) plan.Options {
	s := n.Schedule
	if s == nil {
		return plan.Options{}
	}
	o := plan.Options{CPUs: s.CPUs, Mesh: s.Mesh, Tile: s.Tile, Grid: s.Grid, Map: s.Map, Sub: s.Sub}
	for _, word := range [][2]string{{"group", s.Group}, {"assign", s.Assign}, {"comm", s.Comm}, {"shape", s.Shape}} {
		if err := o.Set(word[0], word[1]); err != nil {
			panic("BUG: lower: schedule: " + err.Error())
		}
	}
	return o
}
