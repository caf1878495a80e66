package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
	"loopc/transform/plan/search"
)

// A simulateCommand predicts a run on a cluster that need not exist, or
// regenerates figures of the papers, which are such runs.
type simulateCommand struct {
	File string `arg:"" optional:"" help:"The .loop file; none with --figure and --figures."`
	planFlags
	clusterFlags
	tilingFlag
	JSON bool `name:"json" help:"Print one JSON object: cluster, options of the plan, prediction."`
	figureFlags
	Werror bool `help:"Treat warnings of the compiler as errors."`
}

// Help implements kong.HelpProvider.
func (c *simulateCommand) Help() string {
	return `Executes the plan of a run tile by tile, message by message, on a cluster as described, and says how long it takes.
What the flags leave open of the plan is chosen for that cluster. A node is a rank.

All other costs are those of this machine (see --machine): what tiles, levels, rows and bytes cost; the time of an
iteration, without --point; and the costs of messages, without --start, --receive, --latency, --bandwidth and --overlap.
If one of these five is given, the defaults of the others are 0, 0, 0, unlimited and 1, messages cost nothing else, and
messages between the CPUs of a node are free. The output says what the link comes to.

Times and bandwidths need a unit. A file for --cluster is a JSON object with fields named like the flags, such as
{"nodes": 16, "cpus": 2, "latency": "50us", "bandwidth": "100Mbit"}.

` + wordsHint
}

// Run simulates.
func (c *simulateCommand) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.wanted() {
		return c.figures(a)
	}
	cluster, err := c.onCluster()
	if err != nil {
		return err
	}
	options, err := c.options()
	if err != nil {
		return err
	}
	s, err := c.read(c.File)
	if err != nil {
		return err
	}
	l, err := a.lower(s, c.Werror)
	if err != nil {
		return err
	}
	if err := l.requireOneNest("loopc simulate", "what goes from nest to nest is not simulated; loopc plan predicts each by itself"); err != nil {
		return err
	}
	params, _, err := l.params(&c.planFlags)
	if err != nil {
		return err
	}
	r, err := c.simulate(a, l, cluster, params, l.whole.Scheduled(options))
	if err != nil {
		return err
	}
	for _, w := range r.plan.Warnings {
		fmt.Fprintf(a.stderr, "loopc: warning: %s\n", w)
	}
	return c.print(a, r)
}

// check refuses contradictory flags.
func (c *simulateCommand) check() error {
	switch {
	case c.wanted() && c.File != "":
		return usagef("%s: a figure of the papers has a nest of its own", c.File)
	case c.wanted() && c.JSON:
		return usagef("figures come as tables and drawings, not with --json")
	case c.wanted():
		return nil
	case c.File == "":
		return usagef("name a .loop file to simulate, or a --figure")
	case c.Plot != "":
		return usagef("--plot draws a --figure")
	case c.JSON && c.CSV != "":
		return usagef("--json and --csv are two ways to print the same")
	}
	return nil
}

// onCluster reads the cluster. Unless flags say otherwise, it has as many nodes and CPUs as
// the plan has ranks and CPUs.
func (c *simulateCommand) onCluster() (*cluster, error) {
	cluster, err := c.cluster()
	if err != nil {
		return nil, err
	}
	if cluster.Nodes > 0 {
		if c.Ranks > 0 && int(c.Ranks) != cluster.Nodes {
			return nil, usagef("-n %d, but there are %d nodes: a node is a rank", c.Ranks, cluster.Nodes)
		}
		c.Ranks = positive(cluster.Nodes)
	}
	if c.CPUs == "" {
		c.CPUs = strconv.Itoa(max(1, cluster.CPUs))
	}
	return cluster, nil
}

// simulate chooses a plan for the cluster, and simulates its run.
func (c *simulateCommand) simulate(a *app, l *lowered, cluster *cluster, params []int, options plan.Options) (*simulated, error) {
	here, err := a.machine(c.Machine)
	if err != nil {
		return nil, err
	}
	here = l.figures(0, params, here, "")
	between, err := c.link(2)
	if err != nil {
		return nil, err
	}
	a.pass = "plan"
	// A first plan without figures gives the number of CPUs.
	p, err := plan.New(l.whole, params, options)
	if err != nil {
		return nil, c.refused(err)
	}
	m, err := cluster.machine(here, between, p)
	if err != nil {
		return nil, err
	}
	if p, _, err = search.Choose(context.Background(), l.whole, params, options, m, clusterLink); err != nil {
		return nil, c.refused(err)
	}
	a.pass = "simulate"
	run := cost.NewPredictor(p)
	run.Most = mostSimulated
	r := &simulated{Cluster: describe(m, p), Options: p.Options(), Prediction: run.Predict(m, clusterLink), plan: p}
	r.Cluster.Figures = kernelFigures(here, l.whole, cluster.Point != nil)
	return r, nil
}

// print prints the run as the flags say.
func (c *simulateCommand) print(a *app, r *simulated) error {
	switch {
	case c.JSON:
		text, err := json.MarshalIndent(r, "", "\t")
		if err != nil {
			return err
		}
		_, err = a.stdout.Write(append(text, '\n'))
		return err
	case c.CSV != "":
		var table bytes.Buffer
		if err := r.csv(&table); err != nil {
			return err
		}
		return a.write(c.CSV, table.Bytes())
	}
	return r.text(a.stdout)
}

// mostSimulated is the number of tiles up to which a run is simulated, which takes about a
// minute. Longer runs are estimated.
const mostSimulated = 1 << 26

// refused turns an error of the planner into a usageError, unless the program is faulty.
func (c *simulateCommand) refused(err error) error {
	var wrong *plan.ProgramError
	if errors.As(err, &wrong) {
		return err
	}
	return usagef("%v", err)
}

// A simulated is a simulated run.
type simulated struct {
	Cluster    described       `json:"cluster"`
	Options    plan.Options    `json:"options"`
	Prediction cost.Prediction `json:"prediction"`
	plan       *plan.Plan
}

// described is the cluster of the simulation, in seconds and bytes.
type described struct {
	Nodes     int       `json:"nodes"`
	CPUs      int       `json:"cpus"`
	Point     float64   `json:"point"`     // s of an iteration in a tile of this plan
	Footprint int       `json:"footprint"` // working set of such a tile in bytes
	Figures   string    `json:"figures"`   // source of the costs of tiles
	Link      cost.Link `json:"link"`
	byTile    bool      // Point depends on the footprint
}

func describe(m *cost.Machine, p *plan.Plan) described {
	kernel, bytes := m.KernelFor(p), p.Footprint()
	return described{
		Nodes: p.Ranks, CPUs: p.CPUs, Point: kernel.PointAt(bytes), Footprint: bytes, Link: m.Links[clusterLink], byTile: len(kernel.Point) > 1,
	}
}

// kernelFigures says where the costs of a nest's tiles come from; point: the user gave the
// time of an iteration.
func kernelFigures(here *cost.Machine, nest *plan.Nest, point bool) string {
	s := here.Name
	if here.Measured != "" {
		s += ", measured " + here.Measured
		if !here.Knows(nest) {
			s += " with another nest, not with " + nest.Name
		}
	}
	if point {
		s += "; the time of an iteration is given"
	}
	return s
}

// csv prints a line of names and a line of values.
func (r *simulated) csv(w io.Writer) error {
	p, o := r.Prediction, r.plan
	var names, values []string
	add := func(name string, value any) {
		text := fmt.Sprint(value)
		if x, ok := value.(float64); ok {
			text = strconv.FormatFloat(x, 'g', 9, 64)
		}
		names, values = append(names, name), append(values, text)
	}
	add("nest", o.Nest.Name)
	for k, name := range o.Nest.Params {
		add(name, o.Params[k])
	}
	add("nodes", o.Ranks)
	add("cpus", o.CPUs)
	add("map", r.Options.Map)
	add("grid", plan.Times(r.Options.Grid))
	add("mesh", plan.Times(r.Options.Mesh))
	add("tile", plan.Times(r.Options.Tile))
	add("first", plan.Times(r.Options.First))
	add("group", o.Group)
	add("assign", o.Assign)
	add("comm", o.Comm)
	add("steps", p.Steps)
	add("tiles", p.Tiles)
	add("messages", p.Messages)
	add("bytes", p.Bytes)
	add("seconds", p.Seconds)
	add("efficiency", p.Efficiency)
	add("fill", p.Fill)
	add("compute", p.Compute)
	add("pack", p.Pack)
	add("waiting", p.Waiting)
	add("drain", p.Drain)
	_, err := fmt.Fprintf(w, "%s\n%s\n", strings.Join(names, ","), strings.Join(values, ","))
	return err
}

// text prints the run for people.
func (r *simulated) text(w io.Writer) error {
	p, o := r.Prediction, r.plan
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s%s\n", what, fmt.Sprintf(format, args...))
	}
	var params []string
	for k, name := range o.Nest.Params {
		params = append(params, fmt.Sprintf("%s = %d", name, o.Params[k]))
	}
	line("nest", "%s  %s", o.Nest.Name, strings.Join(params, ", "))
	tile := ""
	if r.Cluster.byTile {
		tile = " in tiles of " + volume(int64(r.Cluster.Footprint))
	}
	line("cluster", "%d × %d CPUs; %s an iteration%s; %s", r.Cluster.Nodes, r.Cluster.CPUs, duration(r.Cluster.Point), tile, linkText(r.Cluster.Link))
	line("figures", "%s", r.Cluster.Figures)
	if o.Empty {
		line("iterations", "none")
		_, err := io.WriteString(w, b.String())
		return err
	}
	first := ""
	if r.Options.First != nil {
		first = ", the first " + plan.Times(r.Options.First)
	}
	line("plan", "map %s, grid %s, CPUs %s, tiles of %s%s", o.Nest.Dims[o.Map], plan.Times(r.Options.Grid), plan.Times(r.Options.Mesh), plan.Times(r.Options.Tile), first)
	line("", "%s grouping, %s, %s", o.Group, o.Assign, o.Comm)
	line("time", "%s, %d steps, %d tiles", duration(p.Seconds), p.Steps, p.Tiles)
	if p.Estimated {
		line("", "estimated: there are more than %d tiles, or of many kinds, too many to go through", mostSimulated)
	}
	line("efficiency", "%.1f %%", 100*p.Efficiency)
	line("messages", "%d between nodes, %s", p.Messages, volume(p.Bytes))
	share := func(s cost.Split, total float64) string {
		var parts []string
		add := func(name string, x float64) {
			part := 0.0
			if total > 0 {
				part = 100 * x / total
			}
			parts = append(parts, fmt.Sprintf("%s %.1f %%", name, part))
		}
		add("fill", s.Fill)
		add("compute", s.Compute)
		add("pack", s.Pack)
		add("waiting", s.Waiting)
		add("drain", s.Drain)
		return strings.Join(parts, ", ")
	}
	line("last worker", "%s", share(cost.Split{Fill: p.Fill, Compute: p.Compute, Pack: p.Pack, Waiting: p.Waiting, Drain: p.Drain}, p.Seconds))
	line("all workers", "%s", share(p.All, p.Seconds*float64(p.Workers)))
	_, err := io.WriteString(w, b.String())
	return err
}
