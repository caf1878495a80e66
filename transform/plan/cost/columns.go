package cost

import "loopc/transform/plan"

// A columnInfo is the part of a column's data on which edges depend.
type columnInfo struct {
	rank, cpu int
	step, sub int // of tile 0
	active    bool
	first     int // active tiles, see Plan.Active
	last      int
}

// columnInfos returns the columnInfo of every column. There may be very many columns and many
// plans, so it tabulates the terms of each coordinate once, and adds up those of a column.
func columnInfos(p *plan.Plan) []columnInfo {
	n := len(p.Tiles)
	at := make([][]columnInfo, n) // terms by dimension and coordinate
	col := make([]int, n)
	for x := range at {
		if x == p.Map {
			at[x] = make([]columnInfo, 1)
			continue
		}
		at[x] = make([]columnInfo, p.Tiles[x])
		for c := range at[x] {
			col[x] = c
			of := &at[x][c]
			_, w, node := p.Place(x, c)
			of.rank, of.cpu = node, w%p.Mesh[x]
			of.step, of.sub = p.StepOf(col, 0), p.SubStep(col, 0) // the other coordinates are 0 and add nothing
		}
		col[x] = 0
	}
	all := make([]columnInfo, p.Columns())
	lo, hi := make([]int, n), make([]int, n)
	for c := range all {
		p.ColumnAt(c, col)
		of := &all[c]
		for x := range at {
			one := &at[x][col[x]]
			of.rank, of.cpu = of.rank*p.Grid[x]+one.rank, of.cpu*p.Mesh[x]+one.cpu
			of.step, of.sub = of.step+one.step, of.sub+one.sub
		}
		of.first, of.last = p.Active(col, lo, hi)
		of.active = of.first <= of.last
	}
	return all
}

// leads reports whether the column at col has a neighbor in a direction.
func leads(p *plan.Plan, col []int, dir *plan.Direction) bool {
	for x, step := range dir.Step {
		if step == 1 && col[x]+1 == p.Tiles[x] {
			return false
		}
	}
	return true
}

// eachSlots calls f for each edge that carries messages, with the ranks at its ends and the bytes of its slots.
func eachSlots(p *plan.Plan, f func(from, to int, bytes int64)) {
	if p.Empty {
		return
	}
	columns := columnInfos(p)
	for d := range p.Directions() {
		dir := &p.Directions()[d]
		capacity := [2]int{p.MessageCapacity(dir, false), p.MessageCapacity(dir, true)}
		on := 0 // by how much the number of the receiving column exceeds that of the sending one
		for x, t := range p.Tiles {
			if x != p.Map {
				on = on*t + dir.Step[x]
			}
		}
		col := make([]int, len(p.Tiles))
		for c := range columns {
			from := &columns[c]
			if !from.active && p.Alike { // else it may be active in another window
				continue
			}
			p.ColumnAt(c, col)
			if !leads(p, col, dir) {
				continue
			}
			to := &columns[c+on]
			if !to.active && p.Alike {
				continue
			}
			remote, far := from.rank != to.rank, 0
			if remote {
				far = 1
			}
			slots := p.SlotsFor(to.step-from.step, to.sub-from.sub, to.first, to.last, remote, !remote && from.cpu == to.cpu)
			f(from.rank, to.rank, plan.BytesOf(slots, capacity[far]))
		}
	}
}
