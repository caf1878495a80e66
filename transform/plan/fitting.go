package plan

import (
	"fmt"
	"slices"
)

// Fitting returns options that are given for a whole program as those for this one of
// its nests: a tile, a first one, a grid and a mesh are for the nests with as many loops, a mapping
// dimension for those with a loop of its name. The others run on as many ranks and
// CPUs.
func (n *Nest) Fitting(o Options) Options {
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
	return o
}

// ForEach returns options that are given for a whole program as those for each of its
// nests, with what its schedule says where they say nothing. All have the same number
// of ranks: as many as are asked for, or as the grid has, or else the largest grid in a
// schedule; grids of schedules that have others are dropped. An option that fits no
// nest is an error.
func ForEach(nests []*Nest, o Options) (each []Options, err error) {
	if len(nests) == 1 { // what does not fit is the caller's mistake
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
			if grid := n.Scheduled(n.Fitting(o)).Grid; grid != nil {
				o.Ranks = max(o.Ranks, known(grid))
			}
		}
	}
	for _, n := range nests {
		each = append(each, n.Scheduled(n.Fitting(o)))
	}
	return each, nil
}

// known multiplies the entries of v that are not left open.
func known(v []int) int {
	x := 1
	for _, f := range v {
		x *= max(1, f)
	}
	return x
}

// loops returns the names of the dimensions that are loops of the user's.
func (n *Nest) loops() []string {
	if n.Levelled {
		return n.Dims[1:]
	}
	return n.Dims
}

func (n *Nest) fits(v []int) bool { return len(v) == len(n.loops()) }

func (n *Nest) hasLoop(name string) bool { return n.dimension(name) >= 0 }

// suit returns an error if there is an option that fits none of the nests of a
// program; see Fitting.
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
