package plan

import (
	"fmt"
	"slices"
)

// fitting adapts options for a program to this nest, one of its nests. Tile, first tile, grid and mesh apply to nests with that many loops,
// a mapping dimension to nests with a loop of its name, and an epoch to nests of several loops. A nest that a grid or a mesh does not fit
// gets the same number of ranks or CPUs.
func (n *Nest) fitting(o Options) Options {
	if o.Tile != nil && !n.fits(o.Tile) {
		o.Tile = nil
	}
	if o.First != nil && !n.fits(o.First) {
		o.First = nil
	}
	if o.Grid != nil && !n.fits(o.Grid) {
		if o.Ranks == 0 {
			o.Ranks = known(o.Grid)
		}
		o.Grid = nil
	}
	if o.Mesh != nil && !n.fits(o.Mesh) {
		if o.CPUs == 0 {
			o.CPUs = known(o.Mesh)
		}
		o.Mesh = nil
	}
	if !n.hasLoop(o.Map) {
		o.Map = ""
	}
	if n.Levelled {
		o.Epoch = 0
	}
	return o
}

// ForEach adapts options for a program to each of its nests, and completes them by the schedules of the nests. All nests have the same
// number of ranks: the number of the options, or of the options' grid, or of the largest grid in a schedule; schedules' grids with other
// numbers of ranks are dropped. An option that fits no nest is an error.
func ForEach(nests []*Nest, o Options) (each []Options, err error) {
	if len(nests) == 1 { // New will report what does not fit
		return []Options{nests[0].Scheduled(o)}, nil
	}
	if err := suit(nests, o); err != nil {
		return nil, err
	}
	switch {
	case o.Ranks != 0:
	case o.Grid != nil:
		o.Ranks = known(o.Grid)
	default:
		for _, n := range nests {
			if grid := n.Scheduled(n.fitting(o)).Grid; grid != nil {
				o.Ranks = max(o.Ranks, known(grid))
			}
		}
	}
	for _, n := range nests {
		each = append(each, n.Scheduled(n.fitting(o)))
	}
	return each, nil
}

// known multiplies the entries of v that are not left open (0).
func known(v []int) int {
	x := 1
	for _, f := range v {
		x *= max(1, f)
	}
	return x
}

// loops returns the names of those dimensions that are the user's loops.
func (n *Nest) loops() []string {
	if n.Levelled {
		return n.Dims[1:]
	}
	return n.Dims
}

func (n *Nest) fits(v []int) bool { return len(v) == len(n.loops()) }

func (n *Nest) hasLoop(name string) bool { return n.dimension(name) >= 0 }

// suit returns an error if an option fits none of the nests of a program; see fitting.
func suit(nests []*Nest, o Options) error {
	for _, x := range []struct {
		what string
		v    []int
	}{{"the tile", o.Tile}, {"the first tile", o.First}, {"the grid", o.Grid}, {"the mesh of CPUs", o.Mesh}} {
		if x.v != nil && !slices.ContainsFunc(nests, func(n *Nest) bool { return n.fits(x.v) }) {
			return fmt.Errorf("%s %v is for %d loops, and no nest has so many", x.what, x.v, len(x.v))
		}
	}
	if o.Map != "" && !slices.ContainsFunc(nests, func(n *Nest) bool { return n.hasLoop(o.Map) }) {
		return fmt.Errorf("no nest has a loop %s to map along", o.Map)
	}
	return nil
}
