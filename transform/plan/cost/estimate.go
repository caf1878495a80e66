package cost

import (
	"math"

	"loopc/transform/plan"
)

// mostSampled is the most columns that an estimate examines.
const mostSampled = 128

// Estimate predicts the time of the plan on m by closed forms, for a run of the given number of iterations (0: they are counted), with
// the parts of the time as far as they are known. It is for pruning, and for runs that are too long to simulate. The time is [P1] eq.
// (1), steps times the time of a step, with two differences. A face between ranks takes the time of its message, not a step of its
// own. If a network interface, or the round trip of a message, is slower than the CPUs, it determines the time of a step. Estimate
// itself takes some microseconds.
func Estimate(p *plan.Plan, m *Machine, link string, points int64) Prediction {
	if p.Empty {
		return Prediction{Workers: p.Ranks * p.CPUs, Estimated: true}
	}
	c := costsOf(p, m, link)
	c.points = points
	return estimated(p, c)
}

// estimated is Estimate with the given costs.
func estimated(p *plan.Plan, c *costs) Prediction {
	n := len(p.Tiles)
	col := make([]int, n)
	looked, tiles := columnsSampled(p)
	out := Prediction{Workers: p.Ranks * p.CPUs, Tiles: whole64(tiles), Estimated: true}
	if len(looked) == 0 {
		return out
	}
	full, filling := c.shared(p)
	r := paceOf(p, full, tiles)

	// A column begins a fillTime after the first column of its round, and a round an offsetTime after the round before.
	begin, end := math.Inf(1), math.Inf(-1)
	offset := offsetTime(p, r)
	least, most := math.MaxInt, -1
	for _, s := range looked {
		p.ColumnAt(s.column, col)
		at, chunk := 0.0, 0
		for x := range col {
			if x == p.Map {
				continue
			}
			k, w, _ := p.Place(x, col[x])
			chunk = chunk*p.Chunks(x) + k
			at += fillTime(p, r, x, w)
		}
		at += offset * float64(chunk)
		perTile := r.step / float64(p.Sub)
		begin = min(begin, at+perTile*float64(s.first))
		end = max(end, at+perTile*float64(s.last+1))
		least = min(least, p.StepOf(col, s.first))
		most = max(most, p.StepOf(col, s.last))
	}
	out.Steps = most - least + 1
	out.Messages, out.Bytes = sent(p, r.part, tiles/float64(p.Columns()))
	out.Seconds = end - begin
	if p.KeepsWhole() {
		// Tiles without iterations delay nobody, wherever they are.
		out.Seconds = tiles*(r.compute+r.pack)/float64(min(out.Workers, plan.Product(p.Mesh))) + lastFill(p, r)
	}
	if fill := lastFill(p, r); filling != nil && fill > 0 {
		// As a pipeline fills and drains, not all CPUs of a node compute.
		faster := lastFill(p, paceOf(p, filling, tiles)) / fill
		out.Seconds -= (1 - faster) * min(2*fill, out.Seconds)
	}
	out.Seconds += c.open(p)
	out.All.Compute = r.compute * tiles
	out.Core = out.All.Compute / max(1, float64(full.cpus)/float64(c.cores)) // so many CPUs share a core
	out.All.Pack = r.pack * tiles
	out.Work = out.All.Compute + out.All.Pack
	workers := float64(min(out.Workers, plan.Product(p.Grid)*plan.Product(p.Mesh)))
	out.All.Compute += c.fresh * workers
	out.Compute, out.Pack = out.All.Compute/workers, out.All.Pack/workers
	out.Fill = min(lastFill(p, r), max(0, out.Seconds-out.Compute-out.Pack))
	out.Waiting = max(0, out.Seconds-out.Compute-out.Pack-out.Fill)
	out.All.Waiting = max(0, out.Seconds*float64(out.Workers)-out.All.Compute-out.All.Pack)
	if out.Seconds > 0 {
		out.Efficiency = min(1, out.All.Compute/(out.Seconds*float64(out.Workers)))
	}
	return out.repeated(p)
}

// shared returns the costs while all CPUs of a node compute, and while only some compute, as in
// a pipeline that fills; filling is nil if there is only one CPU.
func (c *costs) shared(p *plan.Plan) (full, filling *costs) {
	cpus := min(c.node*plan.Product(p.Mesh), p.Columns())
	of := func(factor float64) *costs {
		x := *c
		x.cpus = cpus
		x.kernel = c.kernel.slowed(factor)
		x.point *= factor
		x.alone *= factor
		return &x
	}
	sum, n := 0.0, 0
	for k := 1; k < cpus; k += plan.CeilDiv(cpus, mostShared) {
		sum += c.kernel.contentionOf(k, c.cores)
		n++
	}
	if n > 0 {
		filling = of(sum / float64(n))
	}
	return of(c.kernel.contentionOf(cpus, c.cores)), filling
}

// An estimate computes the speed for at most mostShared different numbers of computing CPUs.
const mostShared = 16

// A stretch is the active tiles of a column.
type stretch struct{ column, first, last int }

// columnsSampled returns some columns, among them the columns that can end last, and about how many tiles the run has.
func columnsSampled(p *plan.Plan) (looked []stretch, tiles float64) {
	n := len(p.Tiles)
	lo, hi, col := make([]int, n), make([]int, n), make([]int, n)
	count := 0
	add := func(c int) {
		p.ColumnAt(c, col)
		first, last := p.Active(col, lo, hi)
		if p.KeepsWhole() { // other tiles run, too, but take almost no time
			first, last = p.Nonempty(col, lo, hi)
		}
		count++
		if first <= last {
			looked = append(looked, stretch{c, first, last})
			tiles += float64(last - first + 1)
		}
	}
	columns := p.Columns()
	if columns <= mostSampled {
		for c := range columns {
			add(c)
		}
		return looked, tiles
	}
	all := 1.0 // tiles
	if p.Space.BoxInside(p.Lo, p.Hi) {
		for _, t := range p.Tiles {
			all *= float64(t)
		}
	} else {
		// Sample more columns if the first ones have no tiles.
		for stride := plan.CeilDiv(columns, mostSampled) | 1; ; stride /= 2 { // odd, because tiles often repeat with powers of two
			tiles, count = 0, 0
			for c := 0; c < columns; c += stride {
				add(c)
			}
			if tiles > 0 || stride == 1 {
				break
			}
		}
		all = tiles * float64(columns) / float64(count)
	}
	// The corners of the space and of the last full round.
	var corner func(x, c int)
	corner = func(x, c int) {
		if x == n {
			add(c)
			return
		}
		if x == p.Map {
			corner(x+1, c)
			return
		}
		t := p.Tiles[x]
		corner(x+1, c*t)
		if t > 1 {
			corner(x+1, c*t+t-1)
		}
		if workers := p.Grid[x] * p.Mesh[x]; p.Chunked() && t > workers && t%workers > 0 {
			corner(x+1, c*t+t/workers*workers-1)
		}
	}
	corner(0, 0)
	return looked, all
}

// sent estimates the messages between ranks and their bytes: part is the fraction of a tile that has iterations, tiles the mean number
// of tiles of a column. For a rectangular space of complete tiles, sent equals Volume.
func sent(p *plan.Plan, part, tiles float64) (messages, bytes int64) {
	var number, length float64
	for d := range p.Directions() {
		all, near := 1.0, 1.0 // columns with an edge; and those whose edge stays on the rank
		for x, t := range p.Tiles {
			if x == p.Map {
				continue
			}
			if p.Directions()[d].Step[x] == 0 {
				all, near = all*float64(t), near*float64(t)
				continue
			}
			across := 0
			if p.Grid[x] > 1 {
				across = (t - 1) / (p.Mesh[x] * p.Block[x])
				across -= stays(p, x)
			}
			all, near = all*float64(t-1), near*float64(t-1-across)
		}
		number += (all - near) * math.Ceil(tiles/float64(p.Sub))
		length += math.Floor((all - near) * tiles * faceMean(p, d, part))
	}
	return whole64(number), whole64(length)
}

// stays is how many rounds along dimension x begin with the rank that ended the round before.
func stays(p *plan.Plan, x int) (n int) {
	if !p.Chunked() || p.Assign == plan.Cyclic {
		return 0
	}
	for at := p.Mesh[x] * p.Grid[x]; at < p.Tiles[x]; at += p.Mesh[x] * p.Grid[x] {
		_, _, before := p.Place(x, at-1)
		if _, _, begins := p.Place(x, at); begins == before {
			n++
		}
	}
	return n
}

// fillTime is the delay in seconds of the worker at place w along dimension x behind the worker at place 0.
func fillTime(p *plan.Plan, r pace, x, w int) float64 {
	outer := w / p.Mesh[x] // of the w hops from place 0, those between ranks
	inner := w - outer     // those between CPUs of a rank
	if p.Group == plan.Vertical {
		inner = w % p.Mesh[x] // the wavefront of a rank begins anew in every step
	}
	return float64(outer)*r.hop[1] + float64(inner)*r.hop[0]
}

// lastFill is the fillTime of the last worker.
func lastFill(p *plan.Plan, r pace) float64 {
	t := 0.0
	for x := range p.Tiles {
		if x != p.Map {
			t += fillTime(p, r, x, min(p.Grid[x]*p.Mesh[x], plan.CeilDiv(p.Tiles[x], p.Block[x]))-1)
		}
	}
	return t
}

// offsetTime computes Offset like Plan.offset, but in seconds, and as far as workers have to wait for it.
func offsetTime(p *plan.Plan, r pace) float64 {
	if !p.Chunked() {
		return 0
	}
	t := float64(plan.CeilDiv(p.Tiles[p.Map], p.Sub)) * r.step
	after := 1 // rounds along the later dimensions
	for x := len(p.Tiles) - 1; x >= 0; x-- {
		if x == p.Map {
			continue
		}
		last := fillTime(p, r, x, p.Grid[x]*p.Mesh[x]-1)
		switch {
		case p.Assign != plan.Cyclic && p.Grid[x] > 1 && p.Chunks(x) > 1:
			t += last
		case p.Chunks(x) > 1:
			hop := r.hop[0]
			if p.Grid[x] > 1 {
				hop = r.hop[1]
			}
			t = max(t, (last+hop)/float64(after))
		}
		after *= p.Chunks(x)
	}
	return t
}
