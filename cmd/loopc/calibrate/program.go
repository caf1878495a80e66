// Package calibrate measures what computation and messages cost on a machine, and how
// accurately the planner predicts the times of runs there.
//
// Measurements are runs of emitted programs as a user runs them: one process for each run,
// with the nest's own kernel and the executors and transports of the runtime. The time of a
// run is the time in its summary. The figures of a cost.Machine are fitted so that
// predictions come nearest to the measured times; see Fit.
//
// The input is programs and their nests. The output is a cost.Machine, and tables of
// predictions beside measurements.
package calibrate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A Program is an emitted program and the nest that it runs.
type Program struct {
	Nest *plan.Nest
	Path string // of the executable
}

// A Config is one way to run a program.
type Config struct {
	Program *Program
	Plan    *plan.Plan
	Link    string  // cost.LinkInproc or cost.LinkTCP: how ranks are connected
	Virtual float64 // seconds that virtual CPUs take for an iteration; 0: real ones
}

// newConfig plans a run.
func newConfig(prog *Program, params []int, o plan.Options, link string, virtual float64) (*Config, error) {
	p, err := plan.New(prog.Nest, params, o)
	if err != nil {
		return nil, err
	}
	return &Config{Program: prog, Plan: p, Link: link, Virtual: virtual}, nil
}

// params returns text such as "X=64,Y=64".
func (c *Config) params() string {
	var s []string
	for k, name := range c.Plan.Nest.Params {
		s = append(s, fmt.Sprintf("%s=%d", name, c.Plan.Params[k]))
	}
	return strings.Join(s, ",")
}

// arguments are the flags of the program that run exactly c's plan.
func (c *Config) arguments() []string {
	o := c.Plan.Options()
	args := append(o.Flags(), "--random", "1", "--progress", "none", "--summary", "-", "--transport", c.Link)
	if len(c.Plan.Params) > 0 {
		args = append(args, "-p", c.params())
	}
	if c.Virtual > 0 {
		args = append(args, "--virtual", strconv.FormatFloat(c.Virtual*1e9, 'g', -1, 64))
	}
	return args
}

// A summary has the fields of a run's summary that calibrate reads.
type summary struct {
	Rows     int     `json:"rows"`  // see cost.Kernel
	Lanes    int     `json:"lanes"` // see cost.Kernel
	Across   int     `json:"across"`
	Lines    bool    `json:"lines"`
	Points   int64   `json:"points"`
	Seconds  float64 `json:"seconds"`
	Compute  float64 `json:"compute_seconds"` // of all workers
	Pack     float64 `json:"pack_seconds"`
	Messages int64   `json:"messages"`
	Bytes    int64   `json:"bytes"`
}

// mostTime bounds a single run.
const mostTime = time.Minute

// run runs the program once and returns its summary and its total CPU time.
func (c *Config) run(ctx context.Context) (s summary, cpu time.Duration, err error) {
	ctx, stop := context.WithTimeout(ctx, mostTime)
	defer stop()
	cmd := exec.CommandContext(ctx, c.Program.Path, c.arguments()...)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return s, 0, fmt.Errorf("%s %s: %w\n%s", c.Plan.Nest.Name, strings.Join(c.arguments(), " "), err, strings.TrimSpace(stderr.String()))
	}
	if err := json.NewDecoder(&stdout).Decode(&s); err != nil {
		return s, 0, fmt.Errorf("%s: its summary cannot be read: %w", c.Plan.Nest.Name, err)
	}
	return s, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// pilotPoints is the number of iterations of the pilot run, from which the durations of
// other runs are estimated.
const pilotPoints = 2e6

// rate is the program's iterations per second on one CPU, with the tiles of plan.New: the
// best of three short runs.
func (prog *Program) rate(ctx context.Context, base []int) (float64, error) {
	params, err := sized(prog.Nest, base, pilotPoints, -1, 1)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", prog.Nest.Name, err)
	}
	c, err := newConfig(prog, params, plan.Options{Ranks: 1, CPUs: 1}, cost.LinkInproc, 0)
	if err != nil {
		return 0, err
	}
	best := 0.0
	for range 3 {
		s, _, err := c.run(ctx)
		if err != nil {
			return 0, err
		}
		best = max(best, float64(s.Points)/max(s.Seconds, 1e-6))
	}
	return best, nil
}
