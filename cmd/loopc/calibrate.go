package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"loopc/cmd/loopc/calibrate"
	"loopc/runtime/files"
	"loopc/transform/plan/cost"
)

// A calibrateCommand measures this machine with the kernels of nests.
type calibrateCommand struct {
	measureFlags
	Out     string   `short:"o" placeholder:"FILE" help:"Where to write the figures; by default where programs look for them: loopc/machine.json in the user's configuration folder. The file keeps its figures for other nests."`
	Samples string   `placeholder:"FILE" help:"Also write the measurements to FILE, in JSON."`
	Try     []string `sep:"none" placeholder:"1x2" help:"Then race plans for the given parameters on these ranks x CPUs, over the transport if one is named (2x1,tcp). A later run with the same parameters, ranks, CPUs and transport uses the fastest plan, whatever is predicted. May be repeated. Earlier races of these nests are forgotten."`
	Force   bool     `help:"Write the figures even if other programs used the machine meanwhile: plans by them may be worse than plans by the built-in figures."`
}

// measureFlags are the flags that calibrate and accuracy share.
type measureFlags struct {
	Files  []string `arg:"" optional:"" help:"The .loop files whose kernels are measured; a stencil by default."`
	Params []string `short:"p" name:"param" sep:"none" placeholder:"X=64,Y=64" help:"Values of parameters of the nests. The measured runs are smaller, in the same proportions."`
	Quick  bool     `help:"Measure for seconds instead of a minute, less accurately. On a busy machine, calibrate measures up to twice, and three times with this flag: that may take ten times as long."`
	Werror bool     `help:"Treat warnings of the compiler as errors."`
}

// errInterrupted ends a command that the user has interrupted.
var errInterrupted = errors.New("interrupted")

// stencil is the nest that is measured by default: most kernels resemble it.
const stencil = `// Gauss-Seidel sweeps over a plate.
param T, N = 50, 1000
array u[0..N+1, 0..N+1] float64 inout

for t = 1..T, i = 1..N, j = 1..N {
	u[i,j] = 0.25*(u[i-1,j] + u[i,j-1] + u[i+1,j] + u[i,j+1])
}
`

// Run calibrates and writes the figures.
func (c *calibrateCommand) Run(a *app) error {
	path, err := c.checkedOutput()
	if err != nil {
		return err
	}
	setups, err := c.setups()
	if err != nil {
		return err
	}
	base, err := machineIn(path)
	if err != nil {
		return err
	}
	if base == nil {
		base = cost.DefaultMachine()
		base.Kernels = map[string]cost.Kernel{}
	}
	job, err := c.job(a, "loopc calibrate")
	if err != nil {
		return err
	}
	if err := raceable(job, setups); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), shutdownSignals()...)
	defer stop()
	began := time.Now()
	m, samples, err := calibrate.Calibrate(ctx, job, base)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	if err := c.report(a, path, m, samples); err != nil {
		return err
	}
	races, err := c.races(ctx, a, job, m, setups)
	if err != nil {
		return err
	}
	// Another process may have measured other nests in the meantime.
	latest, err := machineIn(path)
	if err != nil {
		return err
	}
	if latest != nil {
		calibrate.Merge(m, latest, samples)
	}
	for _, r := range races {
		r.Apply(m)
	}
	if err := writeMachine(path, m); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "written to %s after %d s\n", path, int(time.Since(began).Seconds()))
	return err
}

// checkedOutput returns the path of the file of figures. It fails now if a file cannot be
// written, rather than after a minute of measurements.
func (c *calibrateCommand) checkedOutput() (path string, err error) {
	if path, err = c.output(); err != nil {
		return "", err
	}
	for _, file := range []string{path, c.Samples} {
		if err := writable(file); err != nil {
			return "", err
		}
	}
	if c.Samples != "" && samePlace(path, c.Samples) {
		return "", usagef("--samples %s: the figures go there", c.Samples)
	}
	return path, nil
}

// output returns the path of the file of figures. It makes the folder of the default one.
func (c *calibrateCommand) output() (string, error) {
	if c.Out != "" {
		return c.Out, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for the figures: %w; name one with -o", err)
	}
	dir = filepath.Join(dir, "loopc")
	return filepath.Join(dir, "machine.json"), os.MkdirAll(dir, 0o777)
}

// raceable returns an error if plans of a nest of the job cannot be raced on one of the setups.
func raceable(job *calibrate.Job, setups []calibrate.Setup) error {
	for k, prog := range job.Programs {
		for _, w := range setups {
			if err := calibrate.Raceable(prog, job.Params[k], w); err != nil {
				return usagef("--try %s: %s: %v", w, prog.Nest.Name, err)
			}
		}
	}
	return nil
}

// report writes the file of samples, and prints the figures. Doubtful figures are an error, unless --force is given.
func (c *calibrateCommand) report(a *app, path string, m *cost.Machine, samples []*calibrate.Sample) error {
	if err := writeSamples(c.Samples, samples); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s\n", m.Name)
	if err := calibrate.WriteFigures(a.stdout, m, samples); err != nil {
		return err
	}
	return c.judge(a, path, calibrate.Doubt(m, samples))
}

// judge refuses doubtful figures, or only warns of them with --force.
func (c *calibrateCommand) judge(a *app, path, doubt string) error {
	switch {
	case doubt != "" && !c.Force:
		left := "is as it was"
		if _, err := os.Stat(path); err != nil {
			left = "is not written"
		}
		return fmt.Errorf("%s; %s %s: measure again when nothing else runs, or write these figures with --force", doubt, path, left)
	case doubt != "":
		fmt.Fprintf(a.stderr, "loopc: warning: %s\n", doubt)
	}
	return nil
}

// writeSamples writes the samples to the file, unless its name is empty.
func writeSamples(file string, samples []*calibrate.Sample) error {
	if file == "" {
		return nil
	}
	var text bytes.Buffer
	if err := calibrate.WriteSamples(&text, samples); err != nil {
		return err
	}
	return writeFile(file, text.Bytes())
}

// writeMachine checks m and writes its file.
func writeMachine(path string, m *cost.Machine) error {
	text, err := cost.FormatMachine(m)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return writeFile(path, text)
}

// setups reads the flags --try.
func (c *calibrateCommand) setups() (all []calibrate.Setup, err error) {
	for _, text := range c.Try {
		w, err := calibrate.ParseSetup(text)
		if err != nil {
			return nil, usagef("--try %v", err)
		}
		all = append(all, w)
	}
	return all, nil
}

// races races plans of all nests on all setups, and prints which are the fastest.
func (c *calibrateCommand) races(ctx context.Context, a *app, job *calibrate.Job, m *cost.Machine, setups []calibrate.Setup) (races []*calibrate.Race, err error) {
	for k, prog := range job.Programs {
		for _, w := range setups {
			r, err := job.Race(ctx, m, prog, job.Params[k], w)
			switch {
			case ctx.Err() != nil:
				return nil, errInterrupted
			case err != nil:
				return nil, fmt.Errorf("%s on %s: %w", prog.Nest.Name, w, err)
			}
			if err := r.Write(a.stdout); err != nil {
				return nil, err
			}
			races = append(races, r)
		}
	}
	return races, nil
}

// machineIn returns the machine in the file, or nil if the file is missing or empty. Any
// other content is an error, because it would be overwritten.
func machineIn(path string) (*cost.Machine, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return nil, nil
	}
	m, _, err := cost.FindMachine(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w; it is not replaced: remove it, or name another file with -o", err)
	}
	return m, nil
}

// samePlace reports whether two paths lead to one file, which need not exist.
func samePlace(a, b string) bool {
	real := func(path string) string {
		if file, err := filepath.EvalSymlinks(path); err == nil {
			path = file
		} else if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(folder, filepath.Base(path))
		}
		if file, err := filepath.Abs(path); err == nil {
			path = file
		}
		return path
	}
	return real(a) == real(b)
}

// writable returns an error if the file at path cannot be replaced or created. An empty path is
// fine.
func writable(path string) error {
	if path == "" {
		return nil
	}
	return files.CheckWritable(path)
}

// job compiles and builds the nests, for the named command.
func (c *measureFlags) job(a *app, command string) (*calibrate.Job, error) {
	j := &calibrate.Job{Quick: c.Quick, Tell: a.tellRuns}
	sources, err := c.sources()
	if err != nil {
		return nil, err
	}
	given, err := c.params()
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, s := range sources {
		l, err := a.lower(s, c.Werror)
		if err != nil {
			return nil, err
		}
		if err := l.requireOneNest(command, "it fits figures to the times of single nests. Copy the nest that takes the longest to a file of its own (loopc run -v has the time of each), or name no file: plans of all nests use what it measures of caches, memory and links, and that an assignment costs what one of this nest does"); err != nil {
			return nil, err
		}
		params, err := paramsOf(l, given)
		if err != nil {
			return nil, err
		}
		for _, name := range l.whole.Params {
			used[name] = true
		}
		program, err := a.program(l)
		if err != nil {
			return nil, err
		}
		j.Programs = append(j.Programs, &calibrate.Program{Nest: l.whole, Path: program})
		j.Params = append(j.Params, params)
	}
	for name := range given {
		if !used[name] {
			return nil, usagef("no nest has a parameter %s", name)
		}
	}
	return j, nil
}

// sources reads the files, or returns the stencil if there are none.
func (c *measureFlags) sources() (all []*source, err error) {
	if len(c.Files) == 0 {
		return []*source{{path: "stencil.loop", name: "stencil", text: []byte(stencil)}}, nil
	}
	for _, file := range c.Files {
		s, err := readSource(file)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// paramsOf returns the values of a nest's parameters: the given ones, or their defaults.
func paramsOf(l *lowered, given map[string]int) (params []int, err error) {
	var missing []string
	for _, name := range l.whole.Params {
		v, ok := given[name]
		if !ok {
			v, ok = l.whole.Defaults[name]
		}
		if !ok {
			missing = append(missing, name)
		}
		params = append(params, v)
	}
	return params, withoutDefault(missing, l.source.name)
}

// tellRuns reports the progress of runs: see calibrate.Job.
func (a *app) tellRuns(what string, done, all int) {
	if !isTerminal(a.stderr) {
		if done == 0 {
			fmt.Fprintf(a.stderr, "loopc: %s: %d runs\n", what, all)
		}
		return
	}
	fmt.Fprintf(a.stderr, "\r\x1b[K%s: %d of %d runs", what, done, all)
	if done+1 == all {
		fmt.Fprint(a.stderr, "\r\x1b[K")
	}
}

// params reads the flags -p.
func (c *measureFlags) params() (map[string]int, error) {
	given := map[string]int{}
	for _, flag := range c.Params {
		for part := range strings.SplitSeq(flag, ",") {
			name, value, ok := strings.Cut(part, "=")
			v, err := strconv.Atoi(value)
			if !ok || err != nil {
				return nil, usagef("-p %s: it is of the form NAME=NUMBER", part)
			}
			given[strings.TrimSpace(name)] = v
		}
	}
	return given, nil
}
