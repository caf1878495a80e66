package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"loopc/cmd/loopc/explain"
	"loopc/runtime/trace"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// overlay adds the spans of a trace to the chart of p, if the traced run had the plan p;
// link is the link between p's ranks.
func overlay(chart *explain.Chart, file string, p *plan.Plan, link string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	events, about, err := trace.ReadAbout(bufio.NewReader(f))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := sameRun(about, p, link); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var spans []cost.Span
	for _, e := range events {
		if e.Kind == trace.Receive {
			continue // the same message as its send
		}
		spans = append(spans, cost.Span{Kind: e.Kind, Rank: e.Rank, CPU: e.CPU, Step: e.Step, Tile: e.Tile, Begin: e.Begin, End: e.End})
	}
	if len(spans) == 0 {
		return fmt.Errorf("%s: the trace has no tiles", file)
	}
	chart.Measure(spans)
	return nil
}

// sameRun returns an error that says how the run of a trace differs from p, or nil.
func sameRun(about trace.About, p *plan.Plan, link string) error {
	if about.Program != "" && about.Program != p.Nest.Name {
		return fmt.Errorf("the trace is of %s, the plan of %s", about.Program, p.Nest.Name)
	}
	was := about.Plan
	if was == nil {
		return errors.New("the trace does not say which plan its run had: trace a run of this version of loopc")
	}
	values := map[string]int{}
	for k, name := range p.Nest.Params {
		values[name] = p.Params[k]
	}
	var there, here []string
	for _, x := range []struct{ what, was, is string }{
		{"parameters", parametersText(was.Parameters), parametersText(values)},
		{"grid", plan.Times(was.Grid), plan.Times(p.Grid)},
		{"mesh", plan.Times(was.Mesh), plan.Times(p.Mesh)},
		{"tile", plan.Times(was.Tile), plan.Times(p.Side)},
		{"map", was.Map, p.Nest.Dims[p.Map]},
		{"group", was.Group, p.Group.String()},
		{"sub", fmt.Sprint(was.Sub), fmt.Sprint(p.Sub)},
		{"assign", was.Assign, p.Assign.String()},
		{"comm", was.Comm, p.Comm.String()},
		{"transport", was.Transport, link},
	} {
		if x.was != x.is {
			there, here = append(there, x.what+" "+x.was), append(here, x.what+" "+x.is)
		}
	}
	if there != nil {
		return fmt.Errorf("another plan: %s in the trace, %s here; give the flags that the run had", strings.Join(there, ", "), strings.Join(here, ", "))
	}
	if was.Nest != p.Nest.Digest {
		return fmt.Errorf("the trace is of another %s: its source or tiling matrix has changed since", p.Nest.Name)
	}
	return nil
}

// parametersText returns text such as N = 8, T = 4.
func parametersText(v map[string]int) string {
	var s []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		s = append(s, fmt.Sprintf("%s = %d", name, v[name]))
	}
	if s == nil {
		return "none"
	}
	return strings.Join(s, ", ")
}
