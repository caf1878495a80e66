// Package nestrun runs emitted programs for the tests: many nests linked into
// one binary, each under many plans, every result compared bit for bit with the
// interpreter's.
package nestrun

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A Job is one program with its parameters, arrays and plans. Arrays are by their
// index in the program, as bytes in C order; reductions count on behind them.
type Job struct {
	Nest   string
	Params []int
	Floats []float64
	Given  map[int][]byte
	Want   map[int][]byte
	Fails  string // the interpreter's error, if it made one
	// Shown are the arrays that are given back whole, of a program of one nest, as they are when its
	// outermost loop ends with some values.
	Shown map[int]map[int][]byte
	Seed  uint64 // of what is drawn of epochs
	// Plans are what to run, each with options for every nest of the program. What
	// they leave open is taken from the nest's schedule, if it has one.
	Plans [][]plan.Options
	// TCP: of the plans with several ranks one in so many is run over TCP too, on the
	// loopback interface; 0: none.
	TCP int
	// Fault is what is planted in every transport in process: "face", the last cells
	// of faces are lost; "handed on", those of what nests hand on; "twice", faces are
	// given back twice.
	Fault string
	// Narrow: three of four plans run on one CPU, without the time that several spend on waking one another.
	Narrow bool
}

// A Report is what became of one job.
type Report struct {
	Nest    string
	Kernels map[string]int // plans that were run, per kernel
	Ran     int            // plans that were run and compared
	TCP     int            // of these, those that were run over TCP as well
	Cut     int            // plans that cut a nest into windows, of those that ran
	Resumed int            // of those, how many continued from a state under another plan
	Stopped int            // of those, how many had stopped early
	Shorter int            // plans that began with fewer levels
	Longer  int            // of those, how many continued with all levels
	Shown   int            // plans of which snapshots were compared
	Refused int            // plans that the planner refused
	Divided int            // runs of loops as they are written, by ranks that share the items
	Moved   int64          // messages in which arrays went from nest to nest
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

// skipped is the iterations in tiles of the nests without runs among those of the loops as they are written: items of a batch
// fill the cells of an internal array themselves, so that these loops skip its init.
func skipped(runs []int, tiled sched.Summary, plans []*plan.Plan) (points int64) {
	for k, n := range runs {
		if n == 0 {
			each, _ := plans[k].Points()
			points += each * int64(tiled.Runs[k])
		}
	}
	return points
}

// Run runs one job: the sequential reference, then every plan.
func Run(prog *sched.Program, job Job) Report {
	r := Report{Nest: job.Nest, Kernels: map[string]int{}}
	prog = prog.With(job.Floats...)
	wrong := func(format string, args ...any) { r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...)) }
	// check runs in some way, and compares error and results with the interpreter's.
	check := func(run func(fields kernel.Fields) error) string {
		fields, err := fieldsOf(prog.Nest, job)
		if err != nil {
			return fmt.Sprintf("fields: %v", err)
		}
		switch err := run(fields); {
		case job.Fails != "" && err == nil:
			return fmt.Sprintf("no error, the interpreter's is %q", job.Fails)
		case job.Fails != "":
			return ""
		case err != nil:
			return err.Error()
		}
		return compare(prog.Nest, fields, job.Want)
	}
	if d := check(func(fields kernel.Fields) error { return sched.RunSequential(prog, job.Params, fields) }); d != "" {
		wrong("sequential: %s", d)
	}
	points, runs := int64(-1), []int(nil) // of the loops as they are written
	written, replaced := prog.WrittenWays(job.Params)
	for _, loops := range written {
		name := loops.KernelName(0)
		for k := range loops.Parts() {
			name = min(name, loops.KernelName(k)) // "loops" is the last
		}
		r.Kernels[name]++
		run := func(fields kernel.Fields) error {
			sum, err := runOn(context.Background(), loops, replaced, fields, inproc.Mesh)
			points, runs = sum.Points, sum.Runs
			return err
		}
		if d := check(run); d != "" {
			wrong("the loops as they are written, %s: %s", name, d)
		}
		if prog.HasBatch() && job.Fails == "" && job.Fault == "" {
			if err := again(loops, replaced, job); err != nil {
				wrong("prepared runs of the loops as they are written, %s: %s", name, err)
			}
		}
		if !prog.Divides {
			continue
		}
		for ranks := 2; ranks < 4; ranks++ {
			if d := check(func(fields kernel.Fields) error { return divided(loops, job.Params, ranks, fields) }); d != "" {
				wrong("the items on %d ranks, %s: %s", ranks, name, d)
			}
			r.Divided++
		}
	}
	kernels := prog.Kernels()
	if len(kernels) > 1 { // all but the portable one twice as often
		kernels = append(kernels, kernels[:len(kernels)-1]...)
	}
	remote, limit := 0, time.Minute
	if job.Fault != "" {
		limit = time.Second // some come to a stop
	}
	cpus := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(cpus)
	for i, options := range job.Plans {
		if job.Narrow {
			runtime.GOMAXPROCS(1)
			if i%4 == 0 {
				runtime.GOMAXPROCS(cpus)
			}
		}
		rng := rand.New(rand.NewPCG(job.Seed, uint64(i)))
		if rng.IntN(2) == 0 {
			options = cut(prog, options, rng)
		}
		plans, err := plansOf(prog, job.Params, options)
		if err != nil {
			r.Refused++
			continue
		}
		r.Ran++
		if err := provable(plans); err != nil {
			wrong("%+v: %v", options, err)
			continue
		}
		chosen, err := prog.Choose(kernels[i%len(kernels)])
		if err != nil {
			wrong("%v", err)
			return r
		}
		r.Kernels[chosen.Kernel.Name]++
		meshes := map[string]func(context.Context) sched.Mesh{"inproc": func(context.Context) sched.Mesh { return meddling(job.Fault) }}
		if plans[0].Ranks > 1 {
			if remote++; job.TCP > 0 && remote%job.TCP == 0 {
				meshes["tcp"] = loopback
				r.TCP++
			}
		}
		for _, p := range plans {
			if p.Windows > 1 {
				r.Cut++
				break
			}
		}
		for name, mesh := range meshes {
			d := check(func(fields kernel.Fields) error {
				ctx, stop := context.WithTimeout(context.Background(), limit)
				defer stop()
				sum, err := runOn(ctx, chosen, plans, fields, mesh(ctx))
				if name == "inproc" {
					r.Moved += sum.MovedMessages
				}
				if err == nil && job.Fault == "" && points >= 0 && sum.Points != points+skipped(runs, sum, plans) {
					err = fmt.Errorf("%d iterations, and %d of the loops as they are written, which skip %d", sum.Points, points, skipped(runs, sum, plans))
				}
				return err
			})
			if d != "" {
				wrong("%s, %s kernel, %+v: %s\n%v", name, chosen.Kernel.Name, options, d, plans)
			}
		}
		if (plans[0].Windows > 1 || prog.Several()) && job.Fault == "" && job.Fails == "" {
			s := stages{job: job, prog: chosen, rng: rng}
			if d := s.run(plans); d != "" {
				wrong("%s kernel, %+v: %s", chosen.Kernel.Name, options, d)
			}
			add := func(n *int, ok bool) {
				if ok {
					*n++
				}
			}
			add(&r.Resumed, s.resumed > 0)
			add(&r.Stopped, s.stopped > 0)
			add(&r.Shorter, s.shorter > 0)
			add(&r.Longer, s.longer > 0)
			add(&r.Shown, s.shown > 0)
		}
	}
	return r
}

// plansOf plans the nests of a program.
func plansOf(prog *sched.Program, params []int, options []plan.Options) ([]*plan.Plan, error) {
	return prog.PlanSteps(params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
		return plan.New(nest, params, nest.Scheduled(options[k]))
	})
}

// provable returns why a plan may come to a stop, if one may.
func provable(plans []*plan.Plan) error {
	for _, p := range plans {
		for k := range p.Windows {
			if err := p.Window(k*p.Epoch, p.Epoch).Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// runOn runs a program by plans. Messages other than those planned are an error.
func runOn(ctx context.Context, prog *sched.Program, plans []*plan.Plan, fields kernel.Fields, mesh sched.Mesh) (sum sched.Summary, err error) {
	prepared, err := sched.Planned(prog, plans, sched.Watch{}, mesh)
	if err != nil {
		return sum, err
	}
	defer prepared.End()
	given := map[int][]byte{} // of inout arrays, which a run changes
	for a := range prog.Nest.Arrays {
		if prog.Nest.Arrays[a].Role == plan.InOut {
			given[a] = slices.Clone(fields.Given[a].Data)
		}
	}
	prepared.Bind(fields)
	sum, err = prepared.Run(ctx)
	if err != nil {
		return sum, err
	}
	if plans[0].Ranks == 1 { // again, on the same arrays
		for a := range prog.Nest.Arrays {
			clear(fields.Result[a].Data)
			copy(fields.Given[a].Data, given[a])
		}
		if _, err := prepared.Run(ctx); err != nil {
			return sum, fmt.Errorf("the second run: %w", err)
		}
	}
	exact := true
	var messages, bytes int64
	for k, p := range plans {
		m, b, sure := cost.Volume(p)
		exact = exact && sure && prog.Parts()[k].Nest.Numbers == nil // whose repetitions differ
		messages, bytes = messages+m*int64(sum.Runs[k]), bytes+b*int64(sum.Runs[k])
	}
	if m, b := sum.Messages-sum.MovedMessages, sum.Bytes-sum.Moved; exact && (m != messages || b != bytes) {
		return sum, fmt.Errorf("sent %d messages, %d bytes; planned %d, %d", m, b, messages, bytes)
	}
	return sum, nil
}

// fieldsOf binds copies of the job's arrays.
func fieldsOf(n *plan.Nest, job Job) (kernel.Fields, error) {
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
func compare(n *plan.Nest, f kernel.Fields, want map[int][]byte) string {
	for k := range n.Arrays {
		if !n.Arrays[k].Returned() {
			continue
		}
		if wrong := compareCells(n.Arrays[k].Name, &f.Result[k], want[k]); wrong != "" {
			return wrong
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

// compareCells returns where an array first differs, or "".
func compareCells(name string, got *array.View, want []byte) string {
	if len(got.Data) != len(want) {
		return fmt.Sprintf("array %s: %d bytes, not %d", name, len(got.Data), len(want))
	}
	for c := range got.Cells() {
		a, b := got.Data[c*got.Size:(c+1)*got.Size], want[c*got.Size:(c+1)*got.Size]
		if string(a) == string(b) || bothNaN(got.Elem, a, b) {
			continue
		}
		cell, rest := make([]int, len(got.Lo)), c
		for m := range cell {
			cell[m] = got.Lo[m] + rest/got.Stride[m]
			rest %= got.Stride[m]
		}
		return fmt.Sprintf("array %s differs first at %v: %x, not %x", name, cell, a, b)
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
