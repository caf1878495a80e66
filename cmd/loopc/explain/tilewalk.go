package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// TileWalk writes the operations of a tile in the middle of the run, one per line, in
// order.
func TileWalk(to io.Writer, s *Subject) error {
	p := s.Plan
	out := bufio.NewWriter(to)
	col, k, ok := middleTile(p)
	if !ok {
		fmt.Fprintln(out, "No tile has iterations.")
		return out.Flush()
	}
	t := walkText{Writer: out, p: p}
	t.head(col, k)
	if kernel := s.Machine.KernelFor(p); kernel.Rows > 0 && kernel.Across == plan.AcrossLevels {
		fmt.Fprintf(out, "The kernel computes time slabs, as many levels at a time as a vector has lanes. Below is the\nwalk of a kernel that computes one level at a time.\n\n")
	}
	fmt.Fprintf(out, "%-8s %5s  %-10s %-40s %8s %10s\n", "", "level", "of", "box of "+strings.Join(p.Nest.Dims[1:], ", "), "cells", "bytes")
	for op := range walk.Tile(p, col, k) {
		t.op(&op)
	}
	c := &t.counts
	fmt.Fprintf(out, "\n%d iterations in %d boxes; %d exterior cells filled, %d results stored; %d bytes packed,\n%d unpacked, in %d rows\n",
		c.Points, c.Boxes, c.Filled, c.Stored, c.Packed, c.Unpacked, c.Moved)
	return out.Flush()
}

// middleTile returns the middle tile of a column: of the middle one or, if that has no tiles, of
// the next one that has. ok is false if none has.
func middleTile(p *plan.Plan) (col []int, k int, ok bool) {
	n := len(p.Side)
	col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
	all := p.Columns()
	for i := range all {
		c := (all/2 + i) % all
		p.ColumnAt(c, col)
		if first, last := p.Active(col, lo, hi); first <= last {
			return col, (first + last) / 2, true
		}
	}
	return col, 0, false
}

// A walkText prints operations.
type walkText struct {
	*bufio.Writer
	p      *plan.Plan
	counts walk.Counts
}

// head says which tile it is.
func (t *walkText) head(col []int, k int) {
	p := t.p
	lo, hi := make([]int, len(p.Side)), make([]int, len(p.Side))
	p.TileBox(col, k, lo, hi)
	how := "level by level"
	switch {
	case p.Compressed():
		how = "in a compressed grid"
	case p.KeepsWhole():
		how = "in skewed storage"
	}
	fmt.Fprintf(t, "tile %d of its column, %s:\n", k, how)
	for x, d := range p.Nest.Dims {
		fmt.Fprintf(t, "  %-12s %d..%d\n", d, lo[x], hi[x])
	}
	fmt.Fprintln(t)
}

// op prints an operation.
func (t *walkText) op(op *walk.Op) {
	t.counts.Add([]walk.Op{*op})
	level, of, box, cells, bytes := "", "", "", "", ""
	switch op.Kind {
	case walk.Await, walk.Post:
		of = t.face(op.Dir)
	case walk.Pack, walk.Unpack:
		of = t.p.Nest.Values[op.Value].Name + " " + t.face(op.Dir)
	case walk.Fill, walk.Store:
		of = t.p.Nest.Values[op.Value].Name
	}
	if op.Lo != nil {
		level, cells = fmt.Sprint(op.Lo[0]), fmt.Sprint(op.Cells())
		var sides []string
		for x := 1; x < len(op.Lo); x++ {
			sides = append(sides, fmt.Sprintf("%d..%d", op.Lo[x], op.Hi[x]))
		}
		box = strings.Join(sides, ", ")
	}
	if op.Bytes > 0 {
		bytes = fmt.Sprint(op.Bytes)
	}
	line := fmt.Sprintf("%-8s %5s  %-10s %-40s %8s %10s", op.Kind, level, of, box, cells, bytes)
	fmt.Fprintln(t, strings.TrimRight(line, " "))
}

// face names a face by the dimensions along which its neighbor lies.
func (t *walkText) face(dir int) string {
	if dir == walk.Carried {
		return "carried"
	}
	var along []string
	for x, s := range t.p.Directions()[dir].Step {
		if s == 1 {
			along = append(along, t.p.Nest.Dims[x])
		}
	}
	return strings.Join(along, " ")
}
