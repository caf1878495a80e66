// Package bench races the programs that loopc emits against C programs that run
// the same loops: as they are written, in tiles with OpenMP, and on ranks with MPI.
//
// The input is folders such as testdata/peers, which list their nests in nests.txt and have
// each as a .loop file and as a C program; or one such pair of files. The output is a row for
// each nest, size and number of CPUs: medians of alternating runs, the speedup of loopc with
// an interval, and the fraction of the roof (the least time that this machine would need)
// that loopc reaches; then a summary of each class of nests.
//
// Both sides are timed alike: every run is a process of its own, bound to as many
// processors as it has CPUs, and times itself. Input and output arrays are allocated and in
// memory before the clock starts. loopc's time is the executor's, from the summary of the
// run; it includes working storage, ghost cells and the copies into the output arrays. A C
// program's time is the time of its loops.
//
// The bits of every result are compared with those of the plain C loops compiled with
// -ffp-contract=off. If a peer compiled with that flag computes other bits, it is reported
// and left out.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loopc/ir"
)

// A UsageError is a mistake in the request for a benchmark.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return e.message }

// A Config says what to measure.
type Config struct {
	Nests   []string // names, or the starts of names, or classes; none: all
	Own     string   // a .loop file to race instead, "": none
	OwnC    string   // its C program; "": the file beside it
	Params  string   // parameters of Own, "": the defaults of the file
	Sizes   []string // elements of the variable Sizes
	CPUs    []int
	Pairs   int
	Only    []string // starts of the names of tools; none: all
	Kernel  string   // of loopc's programs; "": the fastest that this processor can run
	Sources []string // the folders of the nests
	// Prepare compiles and builds the nest in a .loop file.
	Prepare func(file string) (*Prepared, error)
	Log     io.Writer // progress
}

// Prepared is a nest that is ready to run.
type Prepared struct {
	Path    string      // of the emitted program
	Program *ir.Program // what was compiled
	// Plan returns what loopc plan says of a run with these parameters: a line about each
	// kernel, and the predicted time in seconds, 0 if unknown.
	Plan func(params string, cpus int) (kernels []string, seconds float64, err error)
}

// A Report is what was measured.
type Report struct {
	Rows      []Row    `json:"rows"`
	Processor string   `json:"processor"`
	CPUs      int      `json:"processors"` // available to the benchmark
	Date      string   `json:"date"`
	Compilers []string `json:"compilers"`
	Missing   []string `json:"missing,omitempty"`
	Untimed   []string `json:"untimed,omitempty"` // rows that were left out, with the reasons
	Load      HostLoad `json:"even"`              // the medians over the rows
}

// check returns the nests to measure, or an error if c asks for something impossible.
func (c *Config) check() ([]*nest, error) {
	if c.common() == "" {
		return nil, &UsageError{fmt.Sprintf("peer.h, which C programs include, is not in %s: run this in a clone of loopc, or name its folder of peers with --sources", strings.Join(c.Sources, " or "))}
	}
	list, err := c.list()
	if err != nil {
		return nil, err
	}
	for _, s := range c.Sizes {
		if !slices.Contains(Sizes, s) {
			return nil, &UsageError{fmt.Sprintf("no size is called %q; there are %s", s, strings.Join(Sizes, ", "))}
		}
	}
	for _, n := range c.CPUs {
		if n < 1 {
			return nil, &UsageError{fmt.Sprintf("%d CPUs are too few", n)}
		}
	}
	if c.Pairs < 1 {
		return nil, &UsageError{fmt.Sprintf("%d pairs are too few", c.Pairs)}
	}
	return list, nil
}

// list returns the nests that are asked for.
func (c *Config) list() ([]*nest, error) {
	if c.Own != "" {
		var given params
		if c.Params != "" {
			var err error
			if given, err = parseParams(c.Params); err != nil {
				return nil, &UsageError{err.Error()}
			}
		}
		return []*nest{ownNest(c.Own, c.OwnC, given)}, nil
	}
	var all []*nest
	for _, folder := range c.Sources {
		list, err := readNests(folder)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return chosen(all, c.Nests)
}

// common is the folder of what C programs share: one of the sources, or the folder peers
// beside one; "" if there is none.
func (c *Config) common() string {
	for _, folder := range c.Sources {
		for _, name := range []string{folder, filepath.Join(folder, "..", "peers")} {
			if _, err := os.Stat(filepath.Join(name, "peer.h")); err == nil {
				return name
			}
		}
	}
	return ""
}

// A bench is a benchmark in progress.
type bench struct {
	Config
	folder     string // of the programs that are built
	tools      *tools
	strict     *tool      // builds the reference
	machine    string     // path of the program that measures this machine
	include    string     // the flag for peer.h
	loads      []HostLoad // of each row
	processor  processor
	processors []int
	report     *Report
}

// Run measures. The report has every row that was measured, even if results differ. The error names
// the results that differ and the nests that cannot be run.
func Run(ctx context.Context, c Config) (*Report, error) {
	list, err := c.check()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "loopc-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	b := &bench{Config: c, folder: folder, processor: thisProcessor(), processors: processors()}
	if err := b.setUp(ctx, exec.LookPath); err != nil {
		return nil, err
	}
	var wrong error
	for _, n := range list {
		w, err := b.nest(ctx, n)
		wrong = errors.Join(wrong, w, err)
		if ctx.Err() != nil || len(b.report.Rows) == 0 && err != nil {
			return b.report, wrong // no nest has worked so far: the others would probably fail, too
		}
	}
	b.report.Load = medianLoad(b.loads)
	return b.report, wrong
}

// setUp finds the compilers, and builds the program that measures the machine.
func (b *bench) setUp(ctx context.Context, find look) error {
	b.tools = findTools(ctx, find, b.Only)
	all := b.tools
	if len(b.Only) > 0 {
		all = findTools(ctx, find, nil) // a compiler that was not asked for may build the reference
	}
	b.include = "-I" + b.common()
	for k := range all.found {
		if x := &all.found[k]; x.launcher == "" && x.name != "polly" {
			b.strict = x
			break
		}
	}
	if b.strict == nil {
		return fmt.Errorf("there is nothing to compare with: %s", strings.Join(all.missing, "; "))
	}
	if len(b.tools.found) == 0 {
		return &UsageError{fmt.Sprintf("no compiler is called %s, or it is missing%s", strings.Join(b.Only, " or "), strings.Join(append([]string{""}, all.missing...), "; "))}
	}
	p, err := b.strict.compile(ctx, filepath.Join(b.common(), "machine.c"), b.folder, false, b.include)
	if err != nil {
		return err
	}
	b.machine = p.path
	b.report = &Report{Processor: b.processor.model, CPUs: len(b.processors), Date: time.Now().UTC().Format(time.DateOnly), Missing: b.tools.missing}
	for _, x := range b.tools.found {
		b.report.Compilers = append(b.report.Compilers, x.name+": "+version(ctx, x.compiler))
	}
	return nil
}

// version returns the first line that a compiler prints for --version.
func version(ctx context.Context, compiler string) string {
	out, err := exec.CommandContext(ctx, compiler, "--version").Output()
	if err != nil {
		return "of unknown version"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// nest measures every row of a nest. The error wrong names results that differ.
func (b *bench) nest(ctx context.Context, n *nest) (wrong, err error) {
	fmt.Fprintf(b.Log, "%s: building\n", n.name)
	p, err := b.Prepare(n.loop)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.loop, err)
	}
	n.facts = factsOf(p.Program)
	sizes := b.Sizes
	if b.Own != "" {
		if sizes = []string{ownSize}; n.sizes[ownSize] == nil {
			if n.sizes[ownSize], err = n.defaults(); err != nil {
				return nil, err
			}
		}
	}
	e, err := newEmitted(ctx, n, p.Path, b.Kernel)
	if err != nil {
		return nil, err
	}
	programs, err := b.tools.programs(ctx, n, b.folder, b.include)
	if err != nil {
		return nil, err
	}
	reference, err := b.strict.compile(ctx, n.c, b.folder, true, b.include)
	if err != nil {
		return nil, err
	}
	e.given = &supplier{nest: n, program: reference.path, folder: filepath.Join(b.folder, "given-"+filepath.Base(n.name))}
	for _, size := range sizes {
		if n.sizes[size] == nil {
			b.report.Untimed = append(b.report.Untimed, fmt.Sprintf("%s has no size %s", n.name, size))
			continue
		}
		for _, cpus := range b.CPUs {
			if cpus > len(b.processors) {
				b.report.Untimed = append(b.report.Untimed, fmt.Sprintf("%s, %s, on %s: there are only %d", n.name, size, cpuCount(cpus), len(b.processors)))
				continue
			}
			row, peers, err := b.row(ctx, n, size, b.processors[:cpus], e, programs, reference)
			if err != nil {
				return wrong, fmt.Errorf("%s, %s, on %s: %w", n.name, size, cpuCount(cpus), err)
			}
			kernels, seconds, err := p.Plan(row.Params, cpus)
			if err != nil {
				return wrong, fmt.Errorf("%s, %s: %w", n.name, size, err)
			}
			row.Schemes, row.PredictedNs = schemes(kernels), seconds*1e9/row.Points
			b.report.Rows = append(b.report.Rows, *row)
			wrong = errors.Join(wrong, row.wrong(peers))
		}
	}
	return wrong, nil
}

// row measures one row. It also returns the peers that ran.
func (b *bench) row(ctx context.Context, n *nest, size string, cpus []int, e *emitted, programs []*program, reference *program) (*Row, []*contender, error) {
	p := n.sizes[size]
	fmt.Fprintf(b.Log, "%s: %s, %s\n", n.name, p, cpuCount(len(cpus)))
	w := n.work(p)
	row := &Row{Nest: n.name, Title: n.title, Class: n.class, Size: size, Kernel: e.kernel, CPUs: len(cpus), Params: p.String(), Points: w.points}
	c := &contest{loopc: e.contender(p, cpus), reference: contenders([]*program{reference}, n, p, cpus)[0], pairs: b.Pairs}
	c.peers = contenders(programs, n, p, cpus)
	if len(cpus) > 1 {
		c.beside = []*contender{e.independent(p, cpus), e.independent(n.share(p, len(cpus)), cpus)}
	}
	read, written := n.moved(p)
	m, err := measureMachine(ctx, b.machine, read+written, cpus)
	if err != nil {
		return nil, nil, err
	}
	b.loads = append(b.loads, m.HostLoad)
	if err := c.run(ctx, row); err != nil {
		return nil, nil, err
	}
	r := roofOf(n.facts, p, m, b.processor.vectorBytes, len(cpus))
	row.RoofNs, row.RoofLimit, row.RoofFraction = r.ns, r.limit, r.ns/row.NsPerPoint
	row.DividerNs = (w.divisions + w.byConstant) / w.points * m.division(n.elem) / float64(len(cpus))
	return row, c.peers, nil
}
