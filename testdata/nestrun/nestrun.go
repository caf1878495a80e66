// Package nestrun runs emitted programs for the tests: many nests linked into
// one binary, each under many plans, every result compared bit for bit with the
// interpreter's.
package nestrun

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// A Job is one nest with its parameters, arrays and plans. Arrays are by their
// index in the nest, as bytes in C order; reductions count on behind them.
type Job struct {
	Nest   string
	Params []int
	Given  map[int][]byte
	Want   map[int][]byte
	Fails  string // the interpreter's error, if it made one
	Plans  []plan.Options
}

// A Report is what became of one job.
type Report struct {
	Nest    string
	Kernels map[string]int // plans that were run, per kernel
	Ran     int            // plans that were run and compared
	Refused int            // plans that the planner refused
	Wrong   []string       // differences found
}

// Main reads jobs (gob) from standard input, runs them on the programs of that
// name, and writes a report each (JSON) to standard output.
func Main(programs map[string]*sched.Program) {
	var jobs []Job
	if err := gob.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := json.NewEncoder(os.Stdout)
	for _, job := range jobs {
		if err := out.Encode(Run(programs[job.Nest], job)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// Run runs one job: the sequential reference, then every plan.
func Run(prog *sched.Program, job Job) Report {
	if prog.Nests != nil {
		return several(prog, job)
	}
	r := Report{Nest: job.Nest, Kernels: map[string]int{}}
	wrong := func(format string, args ...any) { r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...)) }
	if fields, err := fieldsOf(prog.Nest, job); err != nil {
		wrong("fields: %v", err)
		return r
	} else if err := prog.Sequential(job.Params, fields); (err != nil) != (job.Fails != "") {
		wrong("sequential: error %v, the interpreter's is %q", err, job.Fails)
	} else if err == nil {
		if d := compare(prog.Nest, fields, job.Want); d != "" {
			wrong("sequential: %s", d)
		}
	}
	kernels := prog.Kernels()
	for i, o := range job.Plans {
		p, err := plan.New(prog.Nest, job.Params, o)
		if err != nil {
			r.Refused++
			continue
		}
		r.Ran++
		if err := errors.Join(p.CheckOrder(nil), p.CheckCredits(nil)); err != nil {
			wrong("%+v: %v", o, err)
			continue
		}
		fields, err := fieldsOf(prog.Nest, job)
		if err != nil {
			wrong("fields: %v", err)
			return r
		}
		kernel, err := prog.Choose(kernels[i%len(kernels)])
		if err != nil {
			wrong("%v", err)
			return r
		}
		r.Kernels[kernel.KernelName]++
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		sum, err := sched.RunPlan(ctx, kernel, p, fields, sched.Watch{}, inproc.Mesh)
		stop()
		switch {
		case job.Fails != "":
			if err == nil {
				wrong("%+v: no error, the interpreter's is %q", o, job.Fails)
			}
			continue
		case err != nil:
			wrong("%+v: %v", o, err)
			continue
		}
		if d := compare(prog.Nest, fields, job.Want); d != "" {
			wrong("%s kernel, %+v: %s\n%s", kernel.KernelName, o, d, p)
		}
		if m, b := p.Volume(); m != sum.Messages || b != sum.Bytes {
			wrong("%+v: sent %d messages, %d bytes; planned %d, %d", o, sum.Messages, sum.Bytes, m, b)
		}
	}
	return r
}

// fieldsOf binds copies of the job's arrays.
func fieldsOf(n *plan.Nest, job Job) (halo.Fields, error) {
	f := sched.NewFields(n)
	for k := range n.Arrays {
		a := &n.Arrays[k]
		lo, extent, err := a.Extent(job.Params)
		if err != nil {
			return f, err
		}
		if a.Role == plan.In || a.Role == plan.InOut {
			if f.Given[k], err = array.Make(a.Elem, lo, top(lo, extent)); err != nil {
				return f, err
			}
			copy(f.Given[k].Data, job.Given[k])
		}
		if !a.Returned() {
			continue
		}
		if a.Role == plan.InOut {
			f.Result[k] = f.Given[k]
			continue
		}
		lo, extent = a.SliceExtent(job.Params)
		if f.Result[k], err = array.Make(a.Elem, lo, top(lo, extent)); err != nil {
			return f, err
		}
		for i := range f.Result[k].Data {
			f.Result[k].Data[i] = 0xA5 // what nobody writes must show
		}
	}
	return f, nil
}

func top(lo, extent []int) []int {
	hi := make([]int, len(lo))
	for k := range lo {
		hi[k] = lo[k] + extent[k] - 1
	}
	return hi
}

// compare returns where a result first differs, or "".
func compare(n *plan.Nest, f halo.Fields, want map[int][]byte) string {
	for k := range n.Arrays {
		if !n.Arrays[k].Returned() {
			continue
		}
		got := f.Result[k]
		if len(got.Data) != len(want[k]) {
			return fmt.Sprintf("array %s: %d bytes, not %d", n.Arrays[k].Name, len(got.Data), len(want[k]))
		}
		for c := range got.Cells() {
			a, b := got.Data[c*got.Size:(c+1)*got.Size], want[k][c*got.Size:(c+1)*got.Size]
			if string(a) == string(b) || bothNaN(got.Elem, a, b) {
				continue
			}
			cell, rest := make([]int, len(got.Lo)), c
			for m := range cell {
				cell[m] = got.Lo[m] + rest/got.Stride[m]
				rest %= got.Stride[m]
			}
			return fmt.Sprintf("array %s differs first at %v: %x, not %x", n.Arrays[k].Name, cell, a, b)
		}
	}
	for k, r := range n.Reduces {
		a, b := f.Reduced[k].Value.Data, want[len(n.Arrays)+k]
		if string(a) != string(b) && !bothNaN(r.Elem, a, b) {
			return fmt.Sprintf("reduction %s is %x, not %x", r.Name, a, b)
		}
	}
	return ""
}

func bothNaN(elem string, a, b []byte) bool {
	a, b = append(array.Bytes(len(a))[:0], a...), append(array.Bytes(len(b))[:0], b...)
	switch elem {
	case "float32":
		x, y := array.Cast[float32](a)[0], array.Cast[float32](b)[0]
		return x != x && y != y
	case "float64":
		return math.IsNaN(array.Cast[float64](a)[0]) && math.IsNaN(array.Cast[float64](b)[0])
	}
	return false
}

// several runs one job of a program of several nests: each of its options for all
// of them.
func several(prog *sched.Program, job Job) Report {
	r := Report{Nest: job.Nest, Kernels: map[string]int{}}
	wrong := func(format string, args ...any) { r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...)) }
	check := func(how string, run func(fields halo.Fields) error) {
		fields, err := fieldsOf(prog.Nest, job)
		if err == nil {
			err = run(fields)
		}
		if err != nil {
			wrong("%s: %v", how, err)
		} else if d := compare(prog.Nest, fields, job.Want); d != "" {
			wrong("%s: %s", how, d)
		}
	}
	check("sequential", func(fields halo.Fields) error { return sched.RunSequential(prog, job.Params, fields) })
	kernels := prog.Kernels()
	for i, o := range job.Plans {
		plans, err := prog.PlanSteps(job.Params, func(_ int, nest *plan.Nest, params []int) (*plan.Plan, error) {
			return plan.New(nest, params, o)
		})
		if err != nil {
			r.Refused++
			continue
		}
		r.Ran++
		kernel, err := prog.Choose(kernels[i%len(kernels)])
		if err != nil {
			wrong("%v", err)
			return r
		}
		check(fmt.Sprintf("%+v", o), func(fields halo.Fields) error {
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			_, err := sched.RunSteps(ctx, kernel, plans, job.Params, fields, sched.Watch{}, inproc.Mesh)
			return err
		})
	}
	return r
}
