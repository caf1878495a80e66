package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"loopc/cmd/loopc/bench"
)

// A benchCommand races emitted programs against C programs.
type benchCommand struct {
	Nests    []string `arg:"" optional:"" help:"Nests, the starts of their names, or classes; all by default. Or a nest of your own: my.loop my.c."`
	Size     []string `default:"cache" placeholder:"NAME,..." help:"Sizes: tiny, small, cache or large; ${default} by default."`
	CPUs     []int    `name:"cpus" default:"1" placeholder:"N,..." help:"Numbers of CPUs; ${default} by default. A number above that of this machine is not timed."`
	Pairs    int      `default:"15" placeholder:"N" help:"How often loopc and its peers run in turn; ${default} by default."`
	Only     []string `placeholder:"NAME,..." help:"Peers by the start of their compiler's name: gcc, clang, polly, openmpi, mpich."`
	Kernel   string   `placeholder:"NAME" help:"The kind of loopc's kernels: portable, avx2 or avx512; the best that there is by default."`
	JSON     bool     `name:"json" xor:"form" help:"Print one JSON object instead of a table; its rows are bench.Row."`
	Markdown bool     `xor:"form" help:"Print the table in Markdown."`
	Sources  []string `placeholder:"DIR,..." default:"testdata/peers" help:"Folders of nests and C programs, each with a list nests.txt; ${default} by default. testdata/suites has many more."`
	Param    []string `short:"p" placeholder:"X=64,Y=64" help:"Parameters of a nest that is named by its file."`
	Gate     string   `placeholder:"FILE" help:"Fail if a ratio is certainly 30 % below the one recorded in the file for this kind of machine, also when its nest is measured once more."`
	Record   string   `placeholder:"FILE" help:"Record the rows in the file, where they replace older rows for this processor."`
	Page     string   `placeholder:"FILE" help:"With --record, write the tables of all rows that are recorded to this file, too, in Markdown."`
	Tables   string   `placeholder:"FILE" help:"Print the tables of the rows that are recorded in the file, in Markdown, and measure nothing."`
}

// Help implements kong.HelpProvider.
func (c *benchCommand) Help() string {
	return `Builds the nests in testdata/peers, and C programs of the same loops with every compiler that it finds. Runs them in turn
and compares the bits of their results. Prints for each nest: nanoseconds per iteration; how many times faster loopc is
than the fastest C program, than the fastest plain loop, and than the fastest program with loopc's bits; and the fraction
of the machine's best possible speed that loopc reaches. Then prints geometric means for each class of nests, and why
nests have no vector kernel.
Every program measures itself, without the allocation and the filling of arrays. Needs gcc or clang.

loopc bench my.loop my.c -p N=500 races a nest of your own. The C program takes arguments such as N=500, fills arrays
and prints its time as testdata/suites/README.md shows.`
}

// Run measures and prints.
func (c *benchCommand) Run(a *app) error {
	ctx, stop := signal.NotifyContext(context.Background(), shutdownSignals()...)
	defer stop()
	if c.Page != "" && c.Record == "" {
		return usagef("--page has the rows of --record: name its file, too")
	}
	if c.Tables != "" {
		records, err := bench.ReadRecords(c.Tables)
		if err != nil {
			return err
		}
		if len(records.Machines) == 0 {
			return fmt.Errorf("%s: no rows are recorded there", c.Tables)
		}
		return records.Tables(a.stdout, c.folders())
	}
	records, err := bench.ReadRecords(c.Gate)
	if err != nil {
		return err
	}
	report, wrong := c.measure(ctx, a, c.Nests)
	var usage *bench.UsageError
	if errors.As(wrong, &usage) {
		return usagef("%v", usage)
	}
	if report == nil {
		return wrong
	}
	print := report.Text
	switch {
	case c.JSON:
		print = report.JSON
	case c.Markdown:
		print = report.Markdown
	}
	if err := errors.Join(print(a.stdout), wrong); err != nil {
		return err
	}
	if err := c.record(report); err != nil || c.Gate == "" {
		return err
	}
	return c.gate(ctx, a, records, report)
}

// record adds the report to the records, and writes the page of all records.
func (c *benchCommand) record(report *bench.Report) error {
	if c.Record == "" {
		return nil
	}
	into, err := bench.ReadRecords(c.Record)
	if err != nil {
		return err
	}
	into.Add(report)
	if err := into.Write(c.Record); err != nil || c.Page == "" {
		return err
	}
	var page bytes.Buffer
	if err := into.Tables(&page, c.folders()); err != nil {
		return err
	}
	return os.WriteFile(c.Page, page.Bytes(), 0o666)
}

// measure runs the benchmark of some nests.
func (c *benchCommand) measure(ctx context.Context, a *app, nests []string) (*bench.Report, error) {
	config := bench.Config{
		Sizes: c.Size, CPUs: c.CPUs, Pairs: c.Pairs, Only: c.Only, Kernel: c.Kernel, Sources: c.folders(), Params: strings.Join(c.Param, ","),
		Prepare: func(file string) (*bench.Prepared, error) { return c.prepare(a, file) },
		Log:     a.stderr,
	}
	switch {
	case len(nests) == 0 || !strings.HasSuffix(nests[0], extension):
		config.Nests = nests
	case len(nests) > 2 || len(nests) == 2 && !strings.HasSuffix(nests[1], ".c"):
		return nil, usagef("loopc bench races one nest of your own at a time: %s and its C program", nests[0])
	default:
		config.Own, config.OwnC = nests[0], strings.Join(nests[1:], "")
	}
	return bench.Run(ctx, config)
}

// folders are the folders of nests.
func (c *benchCommand) folders() (all []string) {
	for _, folder := range c.Sources {
		all = append(all, filepath.FromSlash(folder))
	}
	return all
}

// prepare compiles and builds a nest.
func (c *benchCommand) prepare(a *app, file string) (*bench.Prepared, error) {
	s, err := readSource(file)
	if err != nil {
		return nil, err
	}
	l, err := a.lower(s, false)
	if err != nil {
		return nil, err
	}
	p := &bench.Prepared{Program: l.program}
	p.Plan = func(params string, cpus int) ([]string, float64, error) {
		flags := planCommand{File: file, Kernel: c.Kernel}
		flags.Params, flags.CPUs = []string{params}, strconv.Itoa(cpus)
		return flags.predict(a, l)
	}
	p.Path, err = a.program(l)
	return p, err
}

// gate compares the report with the recorded ratios. It measures the nests that fell behind
// once more, because other programs may have used the machine.
func (c *benchCommand) gate(ctx context.Context, a *app, records *bench.Records, report *bench.Report) error {
	slower, compared := records.Slower(report)
	fmt.Fprintf(a.stderr, "%d of %d rows are recorded for %s\n", compared, len(report.Rows), report.Processor)
	if len(slower) == 0 {
		return nil
	}
	fmt.Fprintf(a.stderr, "%s\nmeasuring once more\n", bench.List(slower))
	again, err := c.measure(ctx, a, bench.SlowerNests(slower))
	if err != nil {
		return err
	}
	if slower, _ = records.Slower(again); len(slower) > 0 {
		return fmt.Errorf("slower than recorded, twice:\n%s", bench.List(slower))
	}
	return nil
}
