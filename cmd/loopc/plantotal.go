package main

import (
	"slices"

	"loopc/cmd/loopc/explain"
	"loopc/codegen"
	"loopc/ir"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// total adds up what the runs of all nests take. written and tiles are what weigh has returned.
func (l *lowered) total(subjects []*explain.Subject, written, tiles float64) (*explain.Total, error) {
	t := &explain.Total{Loops: written, Tiles: tiles, Part: tiles == 0, Items: slices.ContainsFunc(l.program.Repeats(), func(r *ir.Repeat) bool { return r.Item != nil })}
	first := map[int]int64{} // by nest, the iterations of its first run
	l.eachRun(subjects[0].Plan.Params, func(k int, params []int, runs int) {
		if written > 0 && beginsItems(l.program, l.program.Nests[k]) {
			return // the loops do not run
		}
		at := subjects[k].Plan.At(params)
		points, _ := at.Points()
		t.Iterations += points * int64(runs)
		if n, known := first[k]; !known {
			first[k] = points
		} else if n != points && runs > 1 {
			t.Sampled = true
		}
		if shown, _ := subjects[k].Plan.Points(); shown > 0 && t.Part { // longer and shorter runs have the speed of the one shown
			t.Tiles += subjects[k].Prediction.Seconds * float64(points) / float64(shown) * float64(runs)
		}
	})
	bytes, err := codegen.ArrayBytes(l.whole, l.nests, subjects[0].Plan.Params[:len(l.program.Params)])
	if err != nil {
		return nil, err
	}
	for _, b := range bytes {
		t.Arrays = plan.AddBytes(t.Arrays, b)
	}
	for _, s := range subjects {
		var all int64
		for _, m := range cost.Memories(s.Plan) {
			all = plan.AddBytes(all, m.Total()-m.Given-m.Results)
		}
		t.Most = max(t.Most, all)
	}
	return t, nil
}
