package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"loopc/cmd/loopc/explain"
	"loopc/codegen"
	"loopc/runtime/files"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// A planCommand explains the plan of a run, without running it.
type planCommand struct {
	File string `arg:"" help:"The .loop file."`
	planFlags
	tilingFlag
	Kernel string `placeholder:"portable|avx2|avx512" help:"The kernel that computes, in tiles or entire arrays; by default the fastest that the processor has, or the loops in Go where these take less time."`
	JSON   bool   `name:"json" help:"Print one JSON object instead of text, with the fields grid, tile, group, assign, comm, steps, bytes, seconds and more: explain.Report documents them."`
	HTML   string `name:"html" placeholder:"FILE" help:"Write a page with pictures that needs nothing else: tiles and steps, ranks and faces, CPUs over time."`
	Trace  string `placeholder:"FILE" help:"A trace that loopc run --trace wrote. With --html, the page shows it below the prediction."`
	Werror bool   `help:"Treat warnings of the compiler as errors."`

	TileWalk bool `name:"tile-walk" help:"Print what a tile in the middle of the run does, operation by operation, and nothing else."`

	tiled string // why the items of batches run in tiles; "": they do not, or there is no batch
}

// Help implements kong.HelpProvider.
func (c *planCommand) Help() string {
	return `Says which dependence forces what, how the iterations are cut into tiles and given to ranks and CPUs, what travels
between them, how many steps that takes and how long, and what else was considered. Times are predicted with the figures
of the machine. In --json, grid, mesh, tile and tiles have an entry per loop; bytes and messages are those between
ranks over the whole run; seconds is the predicted time.

` + wordsHint
}

// Run plans and explains.
func (c *planCommand) Run(a *app) error {
	if c.Trace != "" && c.HTML == "" {
		return usagef("--trace is shown on the page that --html writes")
	}
	options, err := c.options()
	if err != nil {
		return err
	}
	if c.HTML != "" { // fail before the work is done
		if err := files.CheckWritable(c.HTML); err != nil {
			return err
		}
	}
	s, err := c.read(c.File)
	if err != nil {
		return err
	}
	l, err := a.lower(s, c.Werror)
	if err != nil {
		return err
	}
	if err := l.hasKernel(c.Kernel); err != nil {
		return err
	}
	if err := c.suits(l); err != nil {
		return err
	}
	subjects, err := c.subjects(a, l, options)
	if err != nil {
		return err
	}
	if c.TileWalk {
		a.pass = "explain"
		return explain.TileWalk(a.stdout, subjects[0])
	}
	written, tiles, err := c.weigh(l, subjects)
	if err != nil {
		return err
	}
	if c.tiled != "" && !c.JSON {
		fmt.Fprintf(a.stderr, "%s: note: the items of its batch run in tiles: %s\n", l.program.Name, c.tiled)
	}
	a.pass = "explain"
	var pages []explain.NestPage
	for _, subject := range subjects {
		page, err := c.page(subject)
		if err != nil {
			return err
		}
		pages = append(pages, page)
	}
	return c.print(a, l, subjects, pages, written, tiles)
}

// suits returns an error if a flag is for one nest, and the file has several.
func (c *planCommand) suits(l *lowered) error {
	switch {
	case c.TileWalk:
		return l.requireOneNest("--tile-walk", "each of them has tiles of its own")
	case c.Trace != "":
		return l.requireOneNest("--trace", "the page compares a trace with one plan; the trace itself names the nest of each tile")
	}
	return nil
}

// print writes the page of --html, and prints what the flags ask for. written is what weigh has returned.
func (c *planCommand) print(a *app, l *lowered, subjects []*explain.Subject, pages []explain.NestPage, written, tiles float64) error {
	if c.HTML != "" {
		if err := c.writePage(l, pages); err != nil {
			return err
		}
	}
	switch {
	case c.JSON && l.single():
		return pages[0].Report.JSON(a.stdout)
	case c.JSON:
		return printReports(a.stdout, pages)
	case c.HTML != "":
		return nil
	case l.single():
		return pages[0].Report.Text(a.stdout)
	}
	return l.printNests(a.stdout, subjects, pages, written, tiles)
}

// page simulates the run of a nest, and explains it. With --html, it draws the run, and the run of --trace.
func (c *planCommand) page(subject *explain.Subject) (explain.NestPage, error) {
	page := explain.NestPage{Plan: subject.Plan}
	var listen func(cost.Span)
	if c.HTML != "" {
		page.Chart = explain.NewChart(subject.Plan)
		listen = func(s cost.Span) { page.Chart.Add(s, false) }
	}
	subject.Prediction = cost.NewPredictor(subject.Plan).Simulate(context.Background(), subject.Machine, subject.Link, listen)
	if c.Trace != "" {
		if err := overlay(page.Chart, c.Trace, subject.Plan, subject.Link); err != nil {
			return page, err
		}
	}
	page.Report = explain.New(subject)
	return page, nil
}

// writePage writes the page of --html.
func (c *planCommand) writePage(l *lowered, pages []explain.NestPage) error {
	var text bytes.Buffer
	var err error
	if l.single() {
		err = explain.Page(&text, pages[0])
	} else {
		err = explain.Pages(&text, l.program.Name, l.program.StepsText(), pages)
	}
	if err != nil {
		return err
	}
	return writeFile(c.HTML, text.Bytes())
}

// printReports prints the reports on several nests as a JSON list.
func printReports(w io.Writer, pages []explain.NestPage) error {
	var reports []*explain.Report
	for _, page := range pages {
		reports = append(reports, page.Report)
	}
	text, err := json.MarshalIndent(reports, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// printNests prints the order of several nests, their totals, and a report on each nest.
func (l *lowered) printNests(w io.Writer, subjects []*explain.Subject, pages []explain.NestPage, written, tiles float64) error {
	total, err := l.total(subjects, written, tiles)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w, l.program.StepsText()); err != nil {
		return err
	}
	if err := total.Text(w); err != nil {
		return err
	}
	for k, page := range pages {
		if _, err := fmt.Fprintf(w, "\nnest %s, %s\n\n", l.program.Nests[k].Name, l.program.Nests[k].Title); err != nil {
			return err
		}
		if err := page.Report.Text(w); err != nil {
			return err
		}
	}
	return nil
}

// subjects makes the plans of all nests of a file, with the parameters that the flags give. The number
// of a repeat is a parameter too: the plans are for the first numbers, as at launch.
func (c *planCommand) subjects(a *app, l *lowered, o plan.Options) (all []*explain.Subject, err error) {
	each, err := plan.ForEach(l.nests, o)
	if err != nil {
		return nil, usagef("%v", err)
	}
	params, floats, err := l.params(&c.planFlags)
	if err != nil {
		return nil, err
	}
	for _, r := range l.program.Repeats() {
		lo, hi := r.Lo[0].Eval(params, nil), r.Hi[0].Eval(params, nil)
		for _, f := range r.Lo[1:] {
			lo = max(lo, f.Eval(params, nil))
		}
		for _, f := range r.Hi[1:] {
			hi = min(hi, f.Eval(params, nil))
		}
		if r.Backward {
			lo = hi
		}
		params = append(params, lo)
	}
	for k := range l.nests {
		s, err := c.subject(a, l, k, l.nests[k].Scheduled(each[k]), params)
		if err != nil {
			return nil, err
		}
		s.Floats, s.Own = floats, len(l.whole.Params)
		all = append(all, s)
	}
	return all, nil
}

// predict returns the lines that loopc plan prints about kernels, and the predicted time in seconds. If a
// run chooses the loops as they are written, the first line says so; else the time of several nests is 0:
// not known.
func (c *planCommand) predict(a *app, l *lowered) (kernels []string, seconds float64, err error) {
	o, err := c.options()
	if err != nil {
		return nil, 0, err
	}
	subjects, err := c.subjects(a, l, o)
	if err != nil {
		return nil, 0, err
	}
	if seconds, _, err = c.weigh(l, subjects); err != nil {
		return nil, 0, err
	}
	if seconds > 0 {
		kernels = append(kernels, "loops as they are written")
	}
	for _, s := range subjects {
		kernels = append(kernels, s.Kernels...)
	}
	if l.single() && seconds == 0 {
		s := subjects[0]
		seconds = cost.NewPredictor(s.Plan).Predict(s.Machine, s.Link).Seconds
	}
	return kernels, seconds, nil
}

// subject makes the plan of nest k for the given parameters. If o says nothing of CPUs, the plan has, like a run, those of this machine
// that are useful.
func (c *planCommand) subject(a *app, l *lowered, k int, o plan.Options, params []int) (*explain.Subject, error) {
	machine, err := a.machine(c.Machine)
	if err != nil {
		return nil, err
	}
	ranks := max(1, o.Ranks)
	for _, g := range o.Grid {
		ranks = max(ranks, g)
	}
	link, err := c.link(ranks)
	if err != nil {
		return nil, err
	}
	a.pass = "plan"
	refused := func(err error) error {
		var wrong *plan.ProgramError
		if errors.As(err, &wrong) {
			return err // a fault of the nest, not of the command line
		}
		return usagef("%v", err)
	}
	measured := *machine
	if !l.single() {
		measured.Fresh = 0 // like a run: see kernel.MachineOf
	}
	machine = l.figures(k, params, &measured, c.Kernel)
	choose, asked := search.Choose, o
	if o.ShareCPUs(runtime.GOMAXPROCS(0)) {
		choose = func(ctx context.Context, nest *plan.Nest, params []int, o plan.Options, m *cost.Machine, link string) (*plan.Plan, []search.Alternative, error) {
			return search.ChooseUpTo(ctx, nest, params, o, m, link, 0)
		}
	}
	p, considered, err := choose(context.Background(), l.nests[k], params, o, machine, link)
	if err != nil {
		return nil, refused(err)
	}
	if text := search.Advice(p, context.Background(), machine, link); text != "" {
		p.Warnings = append(p.Warnings, text)
	}
	return &explain.Subject{
		File: c.File, Nest: l.program.Nests[k], Kernels: codegen.ExplainKernels(l.program.Nests[k], l.lower[k], l.nests[k], p.KeepsWhole()), Plan: p, Asked: asked, Machine: machine, Link: link, Alternatives: considered,
	}, nil
}
