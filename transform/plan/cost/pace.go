package cost

import (
	"loopc/transform/plan"
)

// A pace is the speed at which the tiles of a plan follow one another in an estimate.
type pace struct {
	compute, pack float64    // CPU time of a tile
	step          float64    // from a step to the next: one tile of each column of a worker; Sub of each, with vertical grouping
	hop           [2]float64 // from the start of a worker's tile to that of its neighbor's tile: within a rank, between ranks
	part          float64    // fraction of a tile that has iterations
}

// paceOf computes the pace of a worker that has neighbors in all directions and average tiles. tiles is the number of tiles of the run.
func paceOf(p *plan.Plan, c *costs, tiles float64) pace {
	points := c.points
	if points == 0 {
		points, _ = p.Points()
	}
	part := iteratedPart(p, float64(points)/windows(p), tiles)
	r := pace{part: part, compute: meanCompute(p, c, part)}

	block := 1.0
	for x, b := range p.Block {
		if x != p.Map {
			block *= float64(b)
		}
	}
	sub := float64(p.Sub)
	var sent sentInStep
	for d := range p.Directions() {
		bytes := faceMean(p, d, part)
		all, local := columnsSending(p, d, p.Block)
		remote := all - local
		r.pack += 2 * (c.kernel.Byte*bytes + c.kernel.Piece*bytes/pieceMean(p, d)) * all / block
		r.addMessages(&c.links[localLink], local/block, bytes, 1)
		r.addMessages(&c.links[remoteLink], remote/block, bytes, sub)
		if remote > 0 {
			ofRank, inRank := columnsSending(p, d, rankBlock(p))
			sent.longest = max(sent.longest, bytes*sub)
			sent.byWorker += remote * bytes * sub
			sent.byRank += (ofRank - inRank) * bytes * sub
			sent.columns = min(block, sent.columns+remote)
		}
	}
	remote := &c.links[remoteLink]
	cpu := r.compute + r.pack
	r.step = block * sub * cpu
	if sent.longest > 0 {
		if p.Comm == plan.Blocking {
			r.step += transferTime(remote, sent.byWorker)*remote.Overlap + sent.columns*(remote.Latency+remote.Sync)
		}
		r.step = max(r.step, transferTime(remote, sent.byRank))
		// The slots of an edge limit the steps. A slot is packed, travels, is read, and is free again when its credit has come back.
		cycle := (2*block*sub*cpu + transferTime(remote, sent.longest) + remote.Latency + remote.Credit) / plan.LeastSlots
		r.step = max(r.step, cycle)
	}
	r.hop[localLink] = (block-1+1/float64(fewestPortions(p, c)))*cpu + c.links[localLink].Latency + c.links[localLink].Wakeup
	r.hop[remoteLink] = block*sub*cpu + transferTime(remote, sent.longest)*remote.Overlap + remote.Latency + remote.Wakeup
	return r
}

// Indices of costs.links and pace.hop.
const (
	localLink  = iota // within a rank
	remoteLink        // between ranks
)

// sentInStep is what goes to other ranks in a step, in bytes.
type sentInStep struct {
	longest  float64 // message
	byWorker float64
	byRank   float64
	columns  float64 // columns of a worker that send
}

// addMessages adds the CPU time that a tile spends on messages. The tile has count faces of the given
// length; a message has the faces of so many tiles.
func (r *pace) addMessages(link *Link, count, bytes, tiles float64) {
	r.pack += count * ((link.Start+link.Receive)/tiles + 2*link.Byte*bytes)
	if link.Bandwidth > 0 {
		r.pack += count * (1 - link.Overlap) * bytes / link.Bandwidth
	}
}

// transferTime is the time that bytes take on a link, 0 if its bandwidth is not limited.
func transferTime(link *Link, bytes float64) float64 {
	if link.Bandwidth <= 0 {
		return 0
	}
	return bytes / link.Bandwidth
}

// meanCompute is the CPU time of an average tile, of which the fraction part has iterations.
func meanCompute(p *plan.Plan, c *costs, part float64) float64 {
	n := len(p.Side)
	levels := min(p.Side[0], p.Hi[0]-p.Lo[0]+1)
	full, row := 1.0, p.Side[n-1]
	for _, s := range p.Side {
		full *= float64(s)
	}
	if p.KeepsWhole() {
		row = min(row, p.LevelExtent()[n-1])
	}
	compute := c.kernel.Tile + c.kernel.Level*float64(levels) + part*full*(c.kernel.Row/float64(row)+c.point)
	first, lo, hi := make([]int, n), make([]int, n), make([]int, n)
	for x := range first {
		if p.FirstSide(x) < p.Side[x] {
			first[x] = 1 // the coordinate of a tile with the usual width
		}
	}
	p.TileBox(first, 0, lo, hi)
	var work edgeWork
	if l := c.kernel.lanesOf(); l.across != plan.AcrossLevels {
		work.box(l, lo, hi, float64(levels))
	} else if l.all > 0 {
		slabs := newSlabCounter(p, l)
		h := slabs.height(levels)
		if h > 0 {
			slabs.tile(lo, hi, lo[0], lo[0]+h-1, true, &work)
		}
		if left := float64(levels - h); left > 0 { // levels outside slabs
			work.runs += left
			work.scalar += left * full / float64(p.Side[0])
		}
	}
	compute += part * (c.kernel.lanesTime(&work.laneWork) + c.point*(work.idle-work.lone) + c.alone*work.lone)
	if p.Map > 0 && !p.KeepsWhole() {
		compute += c.kernel.Level * float64(p.HaloWidth[0])
	}
	if c.kernel.copies(p) {
		bytes, runs := carried(p, lo, hi)
		compute += 2 * (c.kernel.Byte*bytes + c.kernel.Piece*runs)
	}
	return compute
}

// iteratedPart is the average fraction of a tile that has iterations.
func iteratedPart(p *plan.Plan, points, tiles float64) float64 {
	full := 1.0
	for _, s := range p.Side {
		full *= float64(s)
	}
	return min(1, points/max(1, tiles)/full)
}

// rankBlock is the number of columns, per dimension, that Block gives to all CPUs of a rank together.
func rankBlock(p *plan.Plan) []int {
	b := make([]int, len(p.Block))
	for x := range b {
		b[x] = p.Block[x] * p.Mesh[x]
	}
	return b
}

// columnsSending counts the columns of a block that send in direction d, and those that send to a column of their own rank. It assumes
// that this block has a neighbor along a dimension if any block has one.
func columnsSending(p *plan.Plan, d int, block []int) (all, local float64) {
	all, local = 1, 1
	for x, b := range block {
		if x == p.Map {
			continue
		}
		send, near := b, b
		if p.Directions()[d].Step[x] == 1 {
			if p.Grid[x] > 1 {
				near--
			} else if p.Tiles[x] <= b {
				send, near = b-1, b-1
			}
		}
		all *= float64(send)
		local *= float64(near)
	}
	return all, local
}

// faceMean is the length of an average face in direction d, if the fraction part of a tile has iterations. The last tiles of a
// dimension are shorter, but they do not send along that dimension.
func faceMean(p *plan.Plan, d int, part float64) float64 {
	for x, step := range p.Directions()[d].Step {
		if step == 1 {
			part *= float64(p.Tiles[x]*p.Side[x]) / float64(p.Hi[x]-p.Lo[x]+1)
		}
	}
	return float64(p.MessageCapacity(&p.Directions()[d], false)) * min(1, part)
}

// pieceMean is the average length in bytes of the contiguous runs of a face in direction d.
func pieceMean(p *plan.Plan, d int) float64 {
	last := len(p.Side) - 1
	bytes, runs := 0.0, 0.0
	for v, width := range p.Directions()[d].Width {
		if width == nil {
			continue
		}
		cells := p.Side[last]
		if p.Directions()[d].Step[last] == 1 {
			cells = min(cells, width[last])
		}
		bytes += float64(cells * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		runs++
	}
	return max(1, bytes/max(1, runs))
}
