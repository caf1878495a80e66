package cost

import (
	"math"
	"slices"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// executed is the definition of what Simulate must return: every worker runs its tiles in order as
// soon as it can, regardless of steps. Faces and slots come from Edges and Stream, and iterations
// are counted one by one. A face within a rank is ready when one level's share of the tile is done,
// unless the face leads to a later level, or Link.Complete says that tiles wait for complete faces.
// Between two events, all workers that compute on a node are equally fast.
func executed(p *plan.Plan, m *Machine) (seconds float64) {
	local, remote := m.Links[LinkLocal], m.Links["net"]
	kernel := m.KernelFor(p)
	point := kernel.PointAt(p.Footprint())
	type message struct {
		at    float64
		bytes int
	}
	type edge struct {
		plan.EdgeOf
		send, recv     *plan.Stream
		link           Link
		messages       []message
		read, acquired int
		handed         int       // of the tile at hand, before it ended
		free           []float64 // of every message that was read
	}
	n := len(p.Tiles)
	lo, hi, at, q := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	in, out := map[int][]*edge{}, map[int][]*edge{}
	edges := p.Edges()
	for dir := range p.Directions() { // in the order of directions, for readers too
		for i := range edges {
			e := &edge{EdgeOf: edges[i], link: local}
			if e.Dir != dir {
				continue
			}
			if e.Remote() {
				e.link = remote
			}
			var ok bool
			if e.send, ok = p.Stream(&e.EdgeOf); !ok {
				continue
			}
			e.recv, _ = p.Stream(&e.EdgeOf)
			in[e.To], out[e.From] = append(in[e.To], e), append(out[e.From], e)
		}
	}
	type part struct { // of a tile, after which a face is there
		e         *edge
		ungrouped float64
	}
	type worker struct {
		parts     []part
		turns     [][2]int
		mine      []int
		node      int
		now       float64
		ungrouped float64 // of its tile, alone on its node
		state     int     // begins when it can, begins at now, computes
	}
	const able, begins, computes = 0, 1, 2
	var workers []*worker
	for r := range plan.Product(p.Grid) {
		for c := range plan.Product(p.Mesh) {
			w := &worker{mine: p.WorkerColumns(r, c)}
			if m.Node > 0 {
				w.node = r / m.Node
			}
			active := func(i int) (int, int) {
				p.ColumnAt(w.mine[i], at)
				return p.Active(at, lo, hi)
			}
			for c, k := range p.InOrder(len(w.mine), active) {
				w.turns = append(w.turns, [2]int{c, k})
			}
			workers = append(workers, w)
		}
	}
	begin := func(w *worker) bool {
		c, k := w.mine[w.turns[0][0]], w.turns[0][1]
		for _, e := range in[c] {
			if e.recv.Face(k).Begins && e.read == len(e.messages) {
				return false
			}
		}
		for _, e := range out[c] {
			if e.send.Face(k).Begins && e.acquired-len(e.free) >= e.Slots {
				return false
			}
		}
		t, packed := w.now, 0.0
		wait := func(until float64, l Link) {
			if until > t+l.Spin {
				until += l.Wakeup
			}
			t = max(t, until)
		}
		pieces := 0
		handling := 0.0
		cut := func(e *edge) { // the face into rows
			p.ColumnAt(e.From, at)
			for v := range p.Nest.Values {
				if p.PointsBox(at, k, lo, hi) && p.FaceBox(at, &p.Directions()[e.Dir], v, lo, hi) {
					plantest.EachPoint(lo[:n-1], hi[:n-1], func([]int) { pieces++ })
				}
			}
		}
		for _, e := range in[c] {
			f := e.recv.Face(k)
			if f.Begins {
				wait(e.messages[e.read].at, e.link)
				handling += e.link.Receive + e.link.Byte*float64(f.Message)
			}
			packed += float64(f.Bytes)
			if f.Bytes > 0 {
				cut(e)
			}
		}
		for _, e := range out[c] {
			f := e.send.Face(k)
			if f.Begins {
				if e.acquired >= e.Slots {
					wait(e.free[e.acquired-e.Slots], e.link)
				}
				e.acquired++
			}
			packed += float64(f.Bytes)
			if f.Bytes > 0 {
				cut(e)
			}
		}
		p.ColumnAt(c, at)
		p.TileBox(at, k, lo, hi)
		points, rows := 0, map[string]bool{}
		plantest.EachPoint(lo, hi, func(j []int) {
			if plantest.Contains(p.Space, j) {
				points++
				copy(q, j)
				q[n-1] = 0
				rows[plantest.Key(q)] = true
			}
		})
		first, last := p.Active(at, make([]int, n), make([]int, n))
		levels := hi[0] - lo[0] + 1
		if p.Map > 0 || k == first {
			levels += p.HaloWidth[0]
		}
		carry := 0.0
		for v := range p.Nest.Values {
			reach := 0
			for _, d := range p.Nest.Values[v].Flow {
				reach = max(reach, d[p.Map])
			}
			if p.Map == 0 {
				continue
			}
			bytes := float64(reach * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
			strips := 1
			for x := range lo {
				switch {
				case x != p.Map:
					bytes *= float64(hi[x] - lo[x] + 1 + p.HaloWidth[x])
					if x < n-1 {
						strips *= hi[x] - lo[x] + 1 + p.HaloWidth[x]
					}
				case x < n-1:
					strips *= reach
				case reach == 0:
					strips = 0
				}
			}
			if k > first {
				carry += bytes
				pieces += strips
			}
			if k < last {
				carry += bytes
				pieces += strips
			}
		}
		w.now = t + handling
		for _, e := range out[c] {
			if dir := &p.Directions()[e.Dir]; !e.Remote() && !local.Complete && dir.Step[0] == 0 && hi[0] > lo[0] && e.send.Face(k).Bytes > 0 {
				w.parts = append(w.parts, part{e, 1 / float64(hi[0]-lo[0]+1)})
			}
		}
		w.ungrouped = kernel.Byte*(packed+carry) + kernel.Piece*float64(pieces) + kernel.Tile + kernel.Level*float64(levels) + kernel.Row*float64(len(rows)) + point*float64(points)
		for i := range w.parts {
			w.parts[i].ungrouped *= w.ungrouped
		}
		return true
	}
	end := func(w *worker) {
		c, k, t := w.mine[w.turns[0][0]], w.turns[0][1], w.now
		for _, e := range in[c] {
			if e.recv.Face(k).Ends {
				e.read++
				e.free = append(e.free, t+e.link.Credit)
			}
		}
		arrived := -1.0
		for _, e := range out[c] {
			f := e.send.Face(k)
			if !f.Ends {
				continue
			}
			t += e.link.Start + e.link.Byte*float64(f.Message)
			if e.handed > 0 {
				e.handed--
				continue
			}
			e.messages = append(e.messages, message{t + e.link.Latency, f.Message})
			if e.Remote() {
				arrived = max(arrived, t+e.link.Latency)
			}
		}
		if p.Comm == plan.Blocking && arrived >= 0 {
			t = max(t, arrived+remote.Sync)
		}
		w.now = t
		w.turns = w.turns[1:]
	}
	for now := 0.0; ; {
		for _, w := range workers {
			if w.state == able && len(w.turns) > 0 && begin(w) {
				w.state = begins
			}
		}
		busy := map[int]int{}
		for _, w := range workers {
			if w.state == computes {
				busy[w.node]++
			}
		}
		next, hands := math.Inf(1), false
		var first *worker
		for _, w := range workers {
			at := math.Inf(1)
			switch w.state {
			case begins:
				at = w.now
			case computes:
				at = now + w.ungrouped*kernel.contentionOf(busy[w.node], m.Cores)
			}
			if at < next {
				next, first, hands = at, w, false
			}
			for _, part := range w.parts {
				if at := now + part.ungrouped*kernel.contentionOf(busy[w.node], m.Cores); w.state == computes && at <= next {
					next, first, hands = at, w, true
				}
			}
		}
		if first == nil {
			break
		}
		for _, w := range workers {
			if w.state == computes {
				done := (next - now) / kernel.contentionOf(busy[w.node], m.Cores)
				w.ungrouped -= done
				for i := range w.parts {
					w.parts[i].ungrouped -= done
				}
			}
		}
		now = next
		if hands {
			least := slices.IndexFunc(first.parts, func(x part) bool {
				return !slices.ContainsFunc(first.parts, func(y part) bool { return y.ungrouped < x.ungrouped })
			})
			e := first.parts[least].e
			e.messages = append(e.messages, message{now + e.link.Latency, 0})
			e.handed++
			first.parts = slices.Delete(first.parts, least, least+1)
			continue
		}
		if first.state == begins {
			first.state = computes
			continue
		}
		first.now, first.state = now, able
		end(first)
	}
	for _, w := range workers {
		if len(w.turns) > 0 {
			return math.NaN()
		}
		seconds = max(seconds, w.now)
	}
	return seconds
}
