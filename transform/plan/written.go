package plan

// InitBox returns the corners of a box of array number given. The box contains every cell that the init
// expression of array number target reads for the cells lo..hi of array target; ok is false if it reads
// none. If the nest does not list its reads, the box is the entire array.
func (p *Plan) InitBox(target, given int, lo, hi []int) (corners [2][]int, ok bool) {
	cells := box{lo, hi}
	least, most := p.bounds(&p.Nest.Arrays[given])
	var all box
	if !p.Nest.Listed {
		all = box{least, most}
	}
	for _, r := range p.Nest.InitReads {
		if r.Of == target && r.Array == given && r.Whole {
			all = box{least, most}
		} else if r.Of == target && r.Array == given {
			all = all.hull(cells.image(r.Subs, p.intervals))
		}
	}
	all = all.within(least, most)
	return [2][]int{all.lo, all.hi}, !all.empty()
}
