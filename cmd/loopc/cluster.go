package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// clusterLink is the name of the link between the nodes of a described cluster.
const clusterLink = "cluster"

// clusterFlags describe a cluster. The file may have the same settings; flags override it.
type clusterFlags struct {
	Cluster   string   `placeholder:"FILE" help:"A description of the cluster, in JSON, with fields named like the flags."`
	Nodes     positive `placeholder:"N" help:"Nodes, of --cpus CPUs each; the same as -n."`
	Point     string   `placeholder:"39.6ns" help:"Time of an iteration on a CPU, whatever the tile and however many CPUs compute. What tiles, levels, rows and bytes cost besides stays as on this machine."`
	Start     string   `placeholder:"100us" help:"CPU time of the sender for a message. By default 0 if another flag describes messages, else as on this machine."`
	Receive   string   `placeholder:"10us" help:"CPU time of the receiver for a message; 0 by default, likewise."`
	Latency   string   `placeholder:"50us" help:"Time of a message on its way, besides that of its bytes; credits and acknowledgements take as long; 0 by default, likewise."`
	Bandwidth string   `placeholder:"100Mbit" help:"Data that leave a node per second, in bits (Mbit, Gbit) or bytes (MB, GB); unlimited by default, likewise."`
	Overlap   string   `placeholder:"0..1" help:"The part of the transfer time of a message during which the sender's CPU computes; 1 by default, likewise."`
}

// A cluster is a description of a cluster. Fields that are nil were not described.
type cluster struct {
	Nodes     int       `json:"nodes"`
	CPUs      int       `json:"cpus"`
	Point     *quantity `json:"point"`     // s
	Start     *quantity `json:"start"`     // s
	Receive   *quantity `json:"receive"`   // s
	Latency   *quantity `json:"latency"`   // s
	Bandwidth *rate     `json:"bandwidth"` // bytes/s
	Overlap   *float64  `json:"overlap"`
}

// A quantity is a time in seconds, described by text with a unit.
type quantity float64

// A rate is in bytes per second, described by text with a unit.
type rate float64

// UnmarshalJSON implements json.Unmarshaler.
func (q *quantity) UnmarshalJSON(text []byte) (err error) {
	*q, err = fromJSON(text, parseTime)
	return err
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *rate) UnmarshalJSON(text []byte) (err error) {
	*r, err = fromJSON(text, parseRate)
	return err
}

func fromJSON[T ~float64](text []byte, parse func(string) (T, error)) (T, error) {
	var s string
	if json.Unmarshal(text, &s) == nil {
		return parse(s)
	}
	return parse(string(text))
}

// cluster reads the description: the file, then the flags. All errors are usageErrors, also
// those of reading the file.
func (f *clusterFlags) cluster() (*cluster, error) {
	c := &cluster{}
	if f.Cluster != "" {
		data, err := os.ReadFile(f.Cluster)
		if err != nil {
			return nil, usagef("--cluster: %v", err)
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(c); err != nil {
			return nil, usagef("--cluster %s: %v", f.Cluster, err)
		}
		if _, err := d.Token(); err != io.EOF {
			return nil, usagef("--cluster %s: there is more after the description", f.Cluster)
		}
	}
	if f.Nodes != 0 {
		c.Nodes = int(f.Nodes)
	}
	for _, t := range []struct {
		flag, text string
		to         **quantity
	}{{"point", f.Point, &c.Point}, {"start", f.Start, &c.Start}, {"receive", f.Receive, &c.Receive}, {"latency", f.Latency, &c.Latency}} {
		if t.text == "" {
			continue
		}
		x, err := parseTime(t.text)
		if err != nil {
			return nil, usagef("--%s: %v", t.flag, err)
		}
		*t.to = &x
	}
	if f.Bandwidth != "" {
		x, err := parseRate(f.Bandwidth)
		if err != nil {
			return nil, usagef("--bandwidth: %v", err)
		}
		c.Bandwidth = &x
	}
	if f.Overlap != "" {
		x, err := strconv.ParseFloat(f.Overlap, 64)
		if err != nil {
			return nil, usagef("--overlap %s: not a number", f.Overlap)
		}
		c.Overlap = &x
	}
	switch {
	case c.Nodes < 0:
		return nil, usagef("%d nodes: there must be one at least", c.Nodes)
	case c.CPUs < 0:
		return nil, usagef("%d CPUs: a node must have one at least", c.CPUs)
	case c.Overlap != nil && !(*c.Overlap >= 0 && *c.Overlap <= 1):
		return nil, usagef("overlap %g: it is from 0 to 1", *c.Overlap)
	}
	return c, nil
}

// machine returns the planner's machine for the cluster. Figures that the description lacks are those of
// this machine, which is here; those of messages between nodes are those of its link named between. But
// if the description has a figure of messages, the others are 0, except overlap, which is 1, and
// messages within a node cost nothing.
func (c *cluster) machine(here *cost.Machine, between string, p *plan.Plan) (*cost.Machine, error) {
	m := *here
	m.Cores, m.Node = p.CPUs, 1
	if c.Point != nil {
		// c.Point is the time of all assignments of an iteration: times in Kernels are not multiplied by their number.
		m.Kernel = here.KernelFor(p)
		m.Kernel.Point = []cost.Rate{{Seconds: float64(*c.Point)}}
		m.Kernel.Rows, m.Kernel.Contention, m.Kernel.Move = 0, nil, 0 // c.Point includes their costs
		m.Kernels = map[string]cost.Kernel{p.Nest.Digest: m.Kernel}
	}
	local, err := here.LinkNamed(cost.LinkLocal)
	if err != nil {
		return nil, err
	}
	link, err := here.LinkNamed(between)
	if err != nil {
		return nil, err
	}
	if c.Start != nil || c.Receive != nil || c.Latency != nil || c.Bandwidth != nil || c.Overlap != nil {
		link, local = cost.Link{Overlap: 1}, cost.Link{Overlap: 1}
		set := func(to *float64, from *quantity) {
			if from != nil {
				*to = float64(*from)
			}
		}
		set(&link.Start, c.Start)
		set(&link.Receive, c.Receive)
		set(&link.Latency, c.Latency)
		link.Credit, link.Sync = link.Latency, link.Latency
		if c.Bandwidth != nil {
			link.Bandwidth = float64(*c.Bandwidth)
		}
		if c.Overlap != nil {
			link.Overlap = *c.Overlap
		}
	}
	local.Complete = true // a tile waits for whole faces, as on the papers' clusters
	m.Links = map[string]cost.Link{cost.LinkLocal: local, clusterLink: link}
	if err := m.Check(); err != nil {
		return nil, usagef("the cluster: %v", err)
	}
	return &m, nil
}

// A unit is a name with a factor and a divisor. Two numbers keep 10us exactly 1e-5, where
// one factor would round.
type unit struct {
	name    string
	by, per float64
}

// parseTime reads a time such as 39.6ns, 50us or 0.1s.
func parseTime(text string) (quantity, error) {
	x, err := parseUnit(text, "a time such as 39.6ns, 50us, 1ms or 2s", []unit{{"ns", 1, 1e9}, {"us", 1, 1e6}, {"µs", 1, 1e6}, {"ms", 1, 1e3}, {"s", 1, 1}})
	return quantity(x), err
}

// parseRate reads a bandwidth such as 100Mbit, 1Gbit/s or 12.5MB.
func parseRate(text string) (rate, error) {
	x, err := parseUnit(strings.TrimSuffix(text, "/s"), "a bandwidth such as 100Mbit, 10Gbit or 12.5MB", []unit{
		{"kbit", 1e3, 8}, {"Mbit", 1e6, 8}, {"Gbit", 1e9, 8}, {"Tbit", 1e12, 8}, {"bit", 1, 8},
		{"kB", 1e3, 1}, {"MB", 1e6, 1}, {"GB", 1e9, 1}, {"TB", 1e12, 1}, {"B", 1, 1},
	})
	if err == nil && x <= 0 {
		err = fmt.Errorf("%q: nothing would ever arrive", text)
	}
	return rate(x), err
}

// parseUnit reads a number with one of the units; only 0 needs none.
func parseUnit(text, want string, units []unit) (float64, error) {
	number, in := strings.TrimSpace(text), unit{by: 1, per: 1}
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, in = strings.TrimSpace(rest), u
			break
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0:
		return 0, fmt.Errorf("%q is not %s", text, want)
	case in.name == "" && x != 0:
		return 0, fmt.Errorf("%q has no unit: write %s%s, if that is what it is in", text, number, units[1].name)
	}
	return x * in.by / in.per, nil
}

// duration returns the text of a time in the unit that suits it.
func duration(s float64) string {
	switch {
	case s == 0:
		return "0 s"
	case s < 1e-6:
		return fmt.Sprintf("%.4g ns", s*1e9)
	case s < 1e-3:
		return fmt.Sprintf("%.4g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.4g ms", s*1e3)
	}
	return fmt.Sprintf("%.4g s", s)
}

// volume returns the text of a number of bytes in the unit that suits it.
func volume(bytes int64) string {
	x := float64(bytes)
	for _, u := range []unit{{"TB", 1e12, 1}, {"GB", 1e9, 1}, {"MB", 1e6, 1}, {"kB", 1e3, 1}} {
		if x >= u.by {
			return fmt.Sprintf("%.4g %s", x/u.by, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// linkText describes the link between nodes.
func linkText(l cost.Link) string {
	bytes := "no time"
	if l.Bandwidth > 0 {
		bytes = volume(int64(l.Bandwidth)) + "/s"
	}
	s := []string{
		fmt.Sprintf("a message takes %s and its bytes %s", duration(l.Latency), bytes),
		fmt.Sprintf("CPU time %s to send, %s to receive", duration(l.Start), duration(l.Receive)),
	}
	if l.Byte > 0 {
		s[1] += fmt.Sprintf(", %s a byte", duration(l.Byte))
	}
	return strings.Join(append(s, fmt.Sprintf("overlap %g", l.Overlap)), ", ")
}
