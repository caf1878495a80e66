package plan

import "slices"

// Scheduled completes o by the schedule of the nest. An option in o wins, and also drops what may contradict it in the schedule: a grid
// with another number of ranks; CPUs and mesh, if o has CPUs; a grid or mesh with several ranks or CPUs along o's mapping dimension; and
// the schedule's mapping dimension, if there are several ranks or CPUs along it.
func (n *Nest) Scheduled(o Options) Options {
	if o.Written {
		return o // a schedule is about tiles
	}
	s := n.Schedule
	at := n.dimension // the index of a loop's entry
	several := func(list []int, k int) bool { return k >= 0 && k < len(list) && list[k] > 1 }
	fits := func(list []int, count int) bool {
		return count == 0 || slices.Contains(list, 0) || Product(list) == count
	}
	if along := at(o.Map); o.Grid == nil && fits(s.Grid, o.Ranks) && !several(s.Grid, along) {
		o.Grid = s.Grid
	}
	if along := at(o.Map); o.CPUs == 0 && o.Mesh == nil && !several(s.Mesh, along) {
		o.Mesh, o.CPUs = s.Mesh, s.CPUs
	}
	if along := at(s.Map); o.Map == "" && !several(o.Grid, along) && !several(o.Mesh, along) {
		o.Map = s.Map
	}
	if o.Tile == nil {
		o.Tile = s.Tile
	}
	if o.Sub == 0 && (o.Group == Any || o.Group == s.Group) { // sub-tiles belong to a grouping
		o.Sub = s.Sub
	}
	o.Group = either(o.Group, s.Group)
	o.Assign = either(o.Assign, s.Assign)
	o.Comm = either(o.Comm, s.Comm)
	o.Shape = either(o.Shape, s.Shape)
	return o
}

// either returns a, or b if a is left open.
func either[T comparable](a, b T) T {
	var open T
	if a == open {
		return b
	}
	return a
}
