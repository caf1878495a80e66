package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Digest identifies the program and every decision about this run: ranks with different digests must not communicate.
func (p *Plan) Digest() string {
	h := sha256.New()
	fmt.Fprintln(h, p.Nest.Digest, p.Params, p.Group, p.Assign, p.Comm, p.Map, p.Side, p.Tiles, p.Grid, p.Mesh, p.Block, p.Sub, p.Offset, p.Ranks, p.CPUs)
	for x := range p.Side {
		if p.FirstSide(x) < p.Side[x] {
			fmt.Fprintln(h, x, p.Origin[x])
		}
	}
	if p.Epoch > 0 || p.Done > 0 {
		fmt.Fprintln(h, "epoch", p.Epoch, p.Done)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// String describes the plan with its numbers, in a few lines of text. Package cost describes its messages.
func (p *Plan) String() string {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "%-16s%s\n", what, fmt.Sprintf(format, args...))
	}
	if len(p.Params) > 0 {
		var s []string
		for k, v := range p.Params {
			s = append(s, fmt.Sprintf("%s = %d", p.Nest.Params[k], v))
		}
		line("parameters", "%s", strings.Join(s, ", "))
	}
	if p.Empty {
		line("iterations", "none")
		return b.String()
	}
	user := p.UserDims()
	pick := func(v []int) string {
		var s []string
		for _, k := range user {
			s = append(s, fmt.Sprint(v[k]))
		}
		return strings.Join(s, " × ")
	}
	narrower := ""
	for _, k := range user {
		if p.FirstSide(k) < p.Side[k] {
			narrower += fmt.Sprintf(", the first %d along %s", p.FirstSide(k), p.Nest.Dims[k])
		}
	}
	line("tile", "%s iterations, %s tiles%s", pick(p.Side), pick(p.Tiles), narrower)
	columns := p.Columns()
	across := "dimension 0"
	if p.Map > 0 || !p.Nest.Levelled {
		across = p.Nest.Dims[p.Map]
	}
	line("mapping", "tiles along %s share a worker; %s", across, Plural(columns, "column"))
	line("ranks", "%s as %s, %s each as %s", Plural(p.Ranks, "rank"), pick(p.Grid), Plural(p.CPUs, "CPU"), pick(p.Mesh))
	how := "overlapped"
	if p.Comm != Overlap {
		how = p.Comm.String()
	}
	line("schedule", "%s, %s, %s grouping, %s", how, p.Assign, p.Group, Plural(p.Steps(), "step"))
	if p.Windows > 1 {
		line("epochs", "%d of %s each, one after the other", p.Windows, Plural(p.Epoch, "level"))
	}
	return b.String()
}
