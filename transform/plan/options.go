package plan

// Options returns options that leave nothing open: New makes the same plan of
// them, with the same digest.
func (p *Plan) Options() Options {
	o := Options{
		Ranks: p.Ranks, CPUs: p.CPUs, Map: p.mapName(),
		Grid: p.perLoop(p.Grid), Mesh: p.perLoop(p.Mesh),
		Group: p.Group, Assign: p.Assign, Comm: p.Comm,
	}
	side := append([]int(nil), p.Side...)
	if p.Group == Vertical {
		o.Sub = p.Sub
		side[p.Map] *= p.Sub // New cuts it again
	}
	o.Tile = p.perLoop(side)
	return o
}

// mapName is the name of the mapping dimension, "" if that is no loop of the
// user's: then the others are divided, or are of one iteration each.
func (p *Plan) mapName() string {
	if p.Map == 0 && p.Nest.Levelled {
		return ""
	}
	return p.Nest.Dims[p.Map]
}

// perLoop picks what belongs to the user's loops.
func (p *Plan) perLoop(v []int) []int {
	var out []int
	for _, k := range p.userDims() {
		out = append(out, v[k])
	}
	return out
}
