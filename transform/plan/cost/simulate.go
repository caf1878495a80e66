package cost

import (
	"context"
	"fmt"
	"math"

	"loopc/runtime/trace"
	"loopc/transform/plan"
	"loopc/transform/plan/queue"
)

// mostSimulated is the most tiles that Simulate runs, which takes some seconds; longer runs are estimated.
const mostSimulated = 1 << 23

// mostKinds is the most kinds of tiles that Simulate examines, one by one: that takes as long as mostSimulated equal tiles.
const mostKinds = mostSimulated >> 5

// A Predictor predicts one plan on several machines. It examines tiles only once. One goroutine may use it.
type Predictor struct {
	Effort *Effort // effort of a search; nil: unlimited
	// Rows is how many rows are examined, to stand for the others, of a tile that the bounds of the
	// space cut; 0: as many as predictions need.
	Rows     int
	Most     float64 // most tiles that are simulated; longer runs are estimated
	plan     *plan.Plan
	contents *contents
}

// NewPredictor returns a Predictor of p.
func NewPredictor(p *plan.Plan) *Predictor {
	return &Predictor{Most: mostSimulated, plan: p}
}

// Predict returns the prediction of the plan on m, with messages between ranks at the cost of the named link: Simulate without spans.
func (r *Predictor) Predict(m *Machine, link string) Prediction {
	return r.Simulate(context.Background(), m, link, nil)
}

// Simulate executes the plan on m, tile by tile as the runtime does. If span is not nil,
// Simulate calls it for every span of time, in any order.
//
// A worker runs its tiles in order. A tile waits until its faces have arrived (their first portions, from CPUs of its rank) and its own
// faces have slots. Then it computes, frees the slots that it has read and posts its own. Its speed depends on how many workers of its node
// compute at the same time: Kernel.Contention. The interface of a rank sends one message at a time, with the bandwidth of the link; the
// part Overlap of it does not take CPU time. With blocking sends, a tile finally waits until its faces have arrived. There is no barrier.
//
// A run of more than Most tiles, or of 1/32 as many different ones, is estimated, without spans: see Estimate. If ctx ends or no
// effort is left, Simulate stops, and its result is useless. A link that LinkNamed does not know costs nothing.
func (r *Predictor) Simulate(ctx context.Context, m *Machine, link string, span func(Span)) Prediction {
	p := r.plan
	c := costsOf(p, m, link)
	if p.Empty {
		return Prediction{Workers: p.Ranks * p.CPUs}
	}
	tiles := 1.0
	for _, t := range p.Tiles {
		tiles *= float64(t)
	}
	if tiles > r.Most {
		return estimated(p, c)
	}
	if l := c.kernel.lanesOf(); r.contents == nil || l != r.contents.lanes {
		r.contents = newContents(p, l, r.Effort, r.Rows)
	}
	if tiles > mostKinds && r.contents.kinds() > r.Most*mostKinds/mostSimulated {
		return estimated(p, c)
	}
	s := newSimulation(ctx, p, c, r.contents)
	s.listen = span
	return s.run()
}

// Looked returns how many kinds of tiles a simulation examined, and whether it examined all of them exactly; 0 if the run was estimated.
func (r *Predictor) Looked() (kinds int, exact bool) {
	if r.contents == nil {
		return 0, false
	}
	return r.contents.looks, !r.contents.rough && !r.contents.edges.rough
}

// A simSlot is a slot of an edge. It holds a message from the posting until the message is
// read; after that it is free from a certain time on.
type simSlot struct {
	when       float64 // when the message arrives, or when the slot is free
	bytes      int
	copied     int // bytes that the sender packed, of a single face
	runs       int // of a single face
	begin, end int // first and last tile with a face in the message
}

// A simEdge is the edge that leaves a column in a direction.
type simEdge struct {
	to         int32 // column; -1: there is none
	link       int8  // 0: within a rank, 1: between ranks
	slot       int   // its first
	slots      int
	sent, read int // messages
}

// A simColumn is a column of tiles.
type simColumn struct {
	first, last int // active tiles
	step        int // of tile 0
	worker      int // in simulation.workers
	done        int // tiles before this one are done
	// The field whole is the content of tiles wholeFirst to wholeLast.
	wholeFirst, wholeLast int
	whole                 *content
}

// A simWorker is a worker and what it has done so far.
type simWorker struct {
	rank, cpu int
	columns   []int
	at, tile  int // its next turn: columns[at]
	from, to  int // tiles of the columns that run one tile each in turn
	what      *content
	began     bool
	blocked   bool    // until another worker posts or reads
	now       float64 // its own time, which may be later than that of the current event
	packing   float64 // part of the work of its tile, s
	work      float64 // of its tile: s of a CPU that computes alone on its node
	Split
}

// A simulation is one execution of a plan.
type simulation struct {
	ctx      context.Context
	p        *plan.Plan
	c        *costs
	contents *contents
	listen   func(Span)

	columns []simColumn
	edges   []simEdge // column by column, len(dirs) each
	back    []int     // per direction: the distance to the sending column
	slots   []simSlot
	workers []simWorker
	nic     []nic // per rank
	hosts   []simHost
	events  queue.Queue[simEvent]
	pushed  int // events so far

	least int // the first step
	most  int // the last one

	col []int
	out Prediction
}

func newSimulation(ctx context.Context, p *plan.Plan, c *costs, of *contents) *simulation {
	n, dirs := len(p.Tiles), len(p.Directions())
	s := &simulation{ctx: ctx, p: p, c: c, contents: of, col: make([]int, n)}
	s.nic = make([]nic, plan.Product(p.Grid))
	s.columns = make([]simColumn, p.Columns())
	of.effort.spend(len(s.columns) * (1 + dirs))
	s.edges = make([]simEdge, len(s.columns)*dirs)
	s.least, s.most = math.MaxInt, -1
	infos := columnInfos(p)
	for k := range s.columns {
		col := &s.columns[k]
		if s.stopped() {
			return s
		}
		col.first, col.last, col.step = infos[k].first, infos[k].last, infos[k].step
		if !infos[k].active {
			continue
		}
		p.ColumnAt(k, s.col)
		col.wholeFirst, col.wholeLast, col.whole = s.contents.whole(s.col)
		s.least = min(s.least, col.step+plan.FloorDiv(col.first, p.Sub))
		s.most = max(s.most, col.step+plan.FloorDiv(col.last, p.Sub))
	}
	for d := range p.Directions() {
		back := 0
		for x, t := range p.Tiles {
			if x != p.Map {
				back = back*t + p.Directions()[d].Step[x]
			}
		}
		s.back = append(s.back, back)
	}
	s.openEdges(infos)
	for rank := range plan.Product(p.Grid) {
		for cpu := range plan.Product(p.Mesh) {
			mine := p.WorkerColumns(rank, cpu)
			if s.stopped() {
				return s
			}
			w := simWorker{rank: rank, cpu: cpu, columns: mine, now: c.open(p)}
			if s.start(&w) {
				for _, c := range mine {
					s.columns[c].worker = len(s.workers)
				}
				s.workers = append(s.workers, w)
			}
		}
	}
	s.hosts = make([]simHost, plan.CeilDiv(plan.Product(p.Grid), c.node))
	return s
}

// stopped reports whether the simulation must stop.
func (s *simulation) stopped() bool { return s.contents.effort.spent() || s.ctx.Err() != nil }

// openEdges makes the edges and their slots.
func (s *simulation) openEdges(infos []columnInfo) {
	p, dirs := s.p, len(s.p.Directions())
	for k := range s.columns {
		p.ColumnAt(k, s.col)
		from := &infos[k]
		for d := range p.Directions() {
			e := &s.edges[k*dirs+d]
			e.to = -1
			if !from.active || !leads(p, s.col, &p.Directions()[d]) || !infos[k+s.back[d]].active {
				continue
			}
			e.to = int32(k + s.back[d])
			to := &infos[e.to]
			remote := from.rank != to.rank
			if remote {
				e.link = 1
			}
			e.slot, e.slots = len(s.slots), p.SlotsFor(to.step-from.step, to.sub-from.sub, to.first, to.last, remote, !remote && from.cpu == to.cpu)
			s.slots = append(s.slots, make([]simSlot, e.slots)...)
		}
	}
}

// start sets the worker before its first tile; it returns false if there is none.
func (s *simulation) start(w *simWorker) bool {
	w.from, w.to = 0, -1
	for _, c := range w.columns {
		col := &s.columns[c]
		switch {
		case col.first > col.last:
			continue
		case w.from > w.to:
			w.from, w.to = col.first, col.last
		}
		w.from, w.to = min(w.from, col.first), max(w.to, col.last)
	}
	if w.from > w.to {
		return false
	}
	w.at, w.tile = -1, w.from
	if s.p.Chunked() {
		w.tile = math.MaxInt - 1
	}
	return s.next(w)
}

// next sets the worker's next tile, in the order of InOrder; it returns false if there is none.
func (s *simulation) next(w *simWorker) (more bool) {
	defer func() {
		if more {
			s.look(w)
		}
	}()
	if s.p.Chunked() {
		w.tile++
		for w.at < 0 || w.tile > s.columns[w.columns[w.at]].last {
			if w.at++; w.at == len(w.columns) {
				return false
			}
			w.tile = s.columns[w.columns[w.at]].first
		}
		return true
	}
	for {
		if w.at++; w.at == len(w.columns) {
			w.at = 0
			w.tile++
		}
		if w.tile > w.to {
			return false
		}
		if c := &s.columns[w.columns[w.at]]; c.first <= w.tile && w.tile <= c.last {
			return true
		}
	}
}

// look computes the content of the worker's next tile.
func (s *simulation) look(w *simWorker) {
	c := w.columns[w.at]
	col := &s.columns[c]
	w.what = col.whole
	if w.tile < col.wholeFirst || w.tile > col.wholeLast {
		s.p.ColumnAt(c, s.col)
		w.what = s.contents.at(s.col, w.tile)
	}
}

// run executes the plan.
func (s *simulation) run() Prediction {
	s.out.Workers = s.p.Ranks * s.p.CPUs
	if s.most < 0 || s.stopped() {
		return s.out
	}
	s.out.Steps = s.most - s.least + 1
	s.execute()
	if s.stopped() {
		return s.out
	}
	for i := range s.workers {
		if w := &s.workers[i]; w.blocked {
			panic(fmt.Sprintf("BUG: simulation: tile %d of column %d never begins", w.tile, w.columns[w.at]))
		}
	}
	for i := range s.edges {
		if e := &s.edges[i]; e.sent != e.read {
			panic(fmt.Sprintf("BUG: simulation: %d messages to column %d were sent, %d read", e.sent, e.to, e.read))
		}
	}
	return s.result()
}

// result sums up what the workers did.
func (s *simulation) result() Prediction {
	out := &s.out
	var last *simWorker
	for i := range s.workers {
		if w := &s.workers[i]; last == nil || w.now > last.now {
			last = w
		}
	}
	out.Seconds = last.now
	for i := range s.workers {
		w := &s.workers[i]
		w.Drain = out.Seconds - w.now
		out.All.Fill += w.Fill
		out.All.Compute += w.Compute
		out.All.Pack += w.Pack
		out.All.Waiting += w.Waiting
		out.All.Drain += w.Drain
	}
	out.All.Fill += float64(out.Workers-len(s.workers)) * out.Seconds // of workers without a tile
	out.Fill, out.Compute, out.Pack, out.Waiting, out.Drain = last.Fill, last.Compute, last.Pack, last.Waiting, last.Drain
	if out.Seconds > 0 {
		out.Efficiency = out.All.Compute / (float64(out.Workers) * out.Seconds)
	}
	return out.repeated(s.p)
}

func (s *simulation) stepOf(c, k int) int { return s.columns[c].step + plan.FloorDiv(k, s.p.Sub) }

// wait makes w wait until the given time; if w no longer polls then, it also has to wake up.
func (s *simulation) wait(w *simWorker, kind trace.Kind, when float64, link *Link) {
	if when > w.now+link.Spin {
		when += link.Wakeup
	}
	s.until(w, kind, when)
}

// until makes w wait until the time end.
func (s *simulation) until(w *simWorker, kind trace.Kind, end float64) {
	if end <= w.now {
		return
	}
	w.Waiting += end - w.now
	s.tell(w, kind, w.now, end)
	w.now = end
}

// spend makes w spend the given time on one activity.
func (s *simulation) spend(w *simWorker, kind trace.Kind, on *float64, seconds float64) {
	if seconds <= 0 {
		return
	}
	*on += seconds
	s.tell(w, kind, w.now, w.now+seconds)
	w.now += seconds
}

func (s *simulation) tell(w *simWorker, kind trace.Kind, begin, end float64) {
	if s.listen == nil {
		return
	}
	c := w.columns[w.at]
	s.listen(Span{Kind: kind, Rank: w.rank, CPU: w.cpu, Step: s.stepOf(c, w.tile), Column: c, Tile: w.tile, Begin: begin, End: end})
}
