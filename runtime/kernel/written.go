package kernel

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"loopc/runtime/element"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A run whose loops run as they are written has the kernel's name AsWritten. If a vector kernel computes the rows, the
// name is that kernel's, followed by InArrays.
const (
	AsWritten = "loops"
	InArrays  = " in arrays"
)

// AsLoops tells how a nest may run without tiles, as its loops are written, and at which speed.
type AsLoops struct {
	// Pace is the number of cycles of an iteration in Go, 0 if they must not run.
	Pace float64
	// Unpaced is why Pace is 0, as the predicate of a sentence.
	Unpaced string
	// Cycles is the number of cycles of an iteration if a vector kernel computes the rows in the entire arrays, in the order of the loops. 0:
	// no vector kernel may. Waits is that from the results of a row to those of the next row, if that needs them.
	Cycles, Waits float64
	// Reached are the internal arrays to which these loops, in Go, give initial content only where they reach.
	Reached []int
	// Sections are the arrays whose initial content a run in entire arrays writes section by section, in little time a cell.
	Sections []int
	// Front is a kernel with lanes across rows, in entire arrays, too; nil: the nest has none.
	Front *Front
	// Apart are the coordinates along which CPUs may share the iterations of the kernel that computes the rows.
	Apart []int
	// CPUs is the number of CPUs that share the items, if runs of the nest are items of a batch; else 0.
	CPUs int
	// Copied is the bytes of arrays that a run in tiles copies, twice, for an item of a batch.
	Copied int64
	// Ranks says that several ranks share the items of batches.
	Ranks bool
	// Named says that the user has named the kernel of a single nest: only this kernel may replace its tiles, not loops in Go.
	Named bool
}

// Figures of the loops as they are written: the bytes that caches hold, and the seconds to load a byte that the first does not.
const (
	nearBytes, farBytes = 1 << 20, 16 << 20
	roughSeconds        = 20e-3    // runs that take longer have more tiles simulated
	freshBytes          = 32 << 20 // fresh memory up to this does not count: see cost.Machine.Fresh
	heldBytes           = 1 << 18  // of an array: a core's cache holds it besides others
	nearByte            = 0.0085e-9
	apart               = 2 // times as long where several rows are computed together, or not in vectors: prefetchers follow few rows at a time
)

// Tiles of small runs take longer than predicted. Each run of a nest makes workers, blocks and edges, several nests hand arrays
// on, and first rows and parts of rows take a factor more time.
const (
	mostWritten    = 50e-3 // seconds between two looks whether the run must end (Fields.Due): until then, loops in Go go on
	clearlyWritten = 0.9   // of the time of tiles: all runs together must take less
	beginTiles     = 70e-6
	copiedByte     = 0.8e-9 // into new memory, and back
	joinTiles      = 30e-6  // for each further worker
	initialCell    = 1e-9
	sectionCell    = 0.15e-9 // of sections with the same value, or with cells of a given array
	unevenLevel    = 0.25e-6 // of tiles, if rows have different columns: cells beyond their ends, and what lanes leave over
	orderedCell    = 0.6e-9
	handedByte     = 0.15e-9
	resultByte     = 0.025e-9 // from a tile into its array
	mostEdges      = 2.5      // this factor grows with the number of loops, up to mostEdges
	wholeEdges     = 1.5      // in skewed storage
	edgedRun       = 1e-3     // at most so many seconds of a run take this factor: longer runs have longer rows
	edgedFew       = 20e-3    // instead of edgedRun, with less than fewLevels
	fewLevels      = 16       // with fewer, lanes across levels are idle
	eachRow        = 3e-9     // of a vector kernel on entire arrays
	eachBox        = 10e-9
	edgeCell       = 1.2e-9 // that a boundary gives
	eachRun        = 80e-9  // of a vector kernel, to find the boxes
	eachSum        = 0.8e-6 // of a run of a vector kernel, to take a sum of floats from lanes
	shareWork      = 10e-6  // with other CPUs
	leastShared    = 4      // times shareWork: a nest that takes less time is not shared
	mostPasses     = 1.5    // a nest that overwrites its cells less often moves as much from and to memory in tiles as in entire arrays
	fewBytes       = 1 << 20
	storedLevels   = 8 // of an array that has a dimension for each loop; the loops may store fewBytes more than tiles
)

// A Weighing is the choice between tiles and the loops as they are written. The zero value is that of a program without nests.
type Weighing struct {
	Loops, Tiles float64 // predicted seconds
	decides      float64 // what is compared with Tiles: Loops, but strips outside of batches count as the loops that they replace
	longest      float64 // predicted seconds of the longest part of a run that cannot be ended
	refused      string  // why there must be tiles; "": the times decide
	Asked        bool    // for the loops, whatever they take: see plan.Options.Written
	untimed      bool    // Tiles lacks nests whose tiles were not predicted, because other things decide
}

// severalRanks is why the run of several ranks must be one of tiles.
const severalRanks = "there are several ranks"

// leastTold is how many seconds several ranks must lose at least before a user is told.
const leastTold = 1e-3

// OneRank reports whether there are tiles only because there are several ranks, and one rank, which is predicted to take so
// many seconds, takes less time.
func (w *Weighing) OneRank(seconds float64) bool {
	return w.refused == severalRanks && w.Tiles-seconds >= leastTold && !w.untimed && w.longest < mostWritten && seconds < clearlyWritten*w.Tiles
}

// Tiled returns why there are tiles; "" if the loops run as they are written.
func (w *Weighing) Tiled() string {
	switch must := w.whyTiles(); {
	case must != "":
		return must
	case w.Asked || w.decides < clearlyWritten*w.Tiles:
		return ""
	}
	return "that is predicted to take less time"
}

// whyTiles returns why there must be tiles, whatever they take; "" if the times decide.
func (w *Weighing) whyTiles() string {
	if w.refused == "" && !w.Asked && w.longest >= mostWritten {
		return "a part of the loops that cannot be ended takes too long"
	}
	return w.refused
}

// Add adds a number of runs of the nest of p, which was made with options o. others says that the program has other nests, or repeats.
func (w *Weighing) Add(p *plan.Plan, o plan.Options, runs int, loops AsLoops, m *cost.Machine, others bool) {
	if p.Empty && (others || w.Asked && loops.Pace > 0) {
		return // as in the first repetitions of triangular loops
	}
	m = MachineOf(m, others)
	cpus := o.CPUs
	o.Ranks, o.CPUs, o.Written = 0, 0, false
	w.refused = cmp.Or(w.refused, loops.whyTiles(p, o))
	whole := p.Window(0, 0) // the loops are not cut
	x := loops.price(whole, m)
	if !w.Asked {
		w.unasked(whole, loops, &x, cpus > 0 && !others && !x.vector && p.CPUs > 1 && !loops.beatsShared(whole, o, &x, m))
	}
	w.Loops += float64(runs) * x.seconds / float64(max(1, loops.CPUs))
	w.decides += float64(runs) * x.decides / float64(max(1, loops.CPUs))
	if !x.vector {
		w.longest = max(w.longest, x.content, (x.seconds-x.content)/float64(parts(whole)))
	}
	w.Tiles += float64(runs) * float64(loops.Copied) * copiedByte
	if loops.CPUs > 0 && x.seconds < mostWritten { // the loops win: tiles of each item begin anew, and most items may be smaller
		w.Tiles += float64(runs) * (x.seconds/clearlyWritten + beginTiles)
		return
	}
	if why := w.whyTiles(); why != "" && (why != severalRanks || x.seconds >= mostWritten) {
		w.untimed = true // tiles take long to predict, and do not count
		return
	}
	w.Tiles += float64(runs) * (tileSeconds(p, m, &x, others) + x.moves)
}

// beatsShared reports whether the loops, whose price is x, take clearly less time than tiles of one CPU divided by the CPUs of p.
// Only a plan with a bad prediction seems to be faster than that.
func (l AsLoops) beatsShared(p *plan.Plan, o plan.Options, x *price, m *cost.Machine) bool {
	o.CPUs = 1
	one, err := plan.New(p.Nest, p.Params, o)
	return err == nil && x.decides < clearlyWritten*tileSeconds(one, m, x, false)/float64(p.CPUs)
}

// unasked refuses loops that replace tiles only if somebody asks for them. cpus says that several CPUs are asked for and tiles may use
// them, but the loops, in Go, use one.
func (w *Weighing) unasked(p *plan.Plan, loops AsLoops, x *price, cpus bool) {
	switch {
	case cpus:
		w.refused = "several CPUs are asked for"
	case loops.Named && !x.vector && !x.front:
		w.refused = cmp.Or(w.refused, "the kernel that was named does not compute in entire arrays")
	case loops.CPUs == 0 && storesMore(p, x.vector):
		w.refused = cmp.Or(w.refused, "the loops as they are written would store more")
	}
}

// storesMore reports whether the loops store clearly more than tiles.
func storesMore(p *plan.Plan, vector bool) bool {
	stored := int64(min(storedBytes(p, vector), math.MaxInt64/2)) - fewBytes
	return cost.MemoryOf(p, 0, stored).Total() < stored
}

// A price is what one run of a nest takes as its loops are written, in seconds.
type price struct {
	seconds, decides float64 // see Weighing.decides
	content          float64 // part of seconds, before the loops run
	vector, front    bool    // see AsLoops.iteration
	moves            float64 // what a run in tiles moves from and to memory, if its price lacks that
	total, edges     float64 // bytes of arrays, and the factor for edges of tiles
}

// price predicts a run of the nest of p.
func (l AsLoops) price(p *plan.Plan, m *cost.Machine) price {
	count, _ := p.Points()
	points := float64(count)
	b := arraysOf(p, points)
	loop, decides, vector, front := l.iteration(p, count)
	decides = max(0, decides-loop) // what strips add, before CPUs share the iterations
	moved := 0.0
	if vector {
		var stored float64
		stored, moved = rotatingTraffic(p)
		b.total, b.again = b.total+stored, b.again+stored
	}
	each := func(float64) float64 { return apart * (moved + b.each) }
	if vector && !front {
		each = func(cache float64) float64 { return moved + movedInto(p, cache, heldBytes) }
	}
	edges, far, content := min(float64(len(p.Side)-1), mostEdges), beyondCaches(b.total, each, m), contentSeconds(p, points, l, vector)
	if vector && p.KeepsWhole() { // tiles call the same kernel, and fill the same cells
		k := m.KernelFor(p)
		loop += k.PointAt(int(min(b.again, math.MaxInt32))) - l.Cycles*cycle
		edges, content = wholeEdges, 0
	}
	if x, cpus := l.Divided(p); x >= 0 && vector {
		loop, far = loop/float64(cpus)+shareWork/points, far/float64(cpus)
	}
	x := price{vector: vector, front: front, content: content, total: b.total, edges: edges}
	streams := mostPasses*lastingCells(p) > points
	through := func(r plan.Access) bool { return mostPasses*cellsOf(p, &p.Nest.Arrays[r.Array]) > points }
	if vector && streams && (!front || slices.ContainsFunc(p.Nest.Reads, through)) { // rows of other tiles only store, past the caches
		x.moves = points * far
	}
	if streams || vector && !front {
		far = max(0, far-loop) // rows come while the rows before them are computed
	}
	if streams && !vector { // tiles wait for memory no longer, but copy
		x.moves = points*far + copiedResults(p)*resultByte
	}
	x.seconds = points*(loop+far) + content + m.Fresh*max(0, freshArrays(p, vector)-freshBytes)
	x.decides = x.seconds + points*decides
	return x
}

// whyTiles returns why a run by plan p must be one of tiles; "" if the times decide. o are the options of the plan without
// the numbers of ranks and CPUs.
func (l AsLoops) whyTiles(p *plan.Plan, o plan.Options) string {
	switch {
	case l.Pace <= 0:
		return called(p.Nest) + " " + l.Unpaced
	case p.Nest.Tile != nil || !reflect.ValueOf(o).IsZero():
		return "an option decides on tiles"
	case p.Empty:
		return called(p.Nest) + " has no iterations"
	case p.Ranks > 1 && !l.Ranks:
		return severalRanks
	}
	return ""
}

// tileSeconds predicts the seconds of a run in tiles. x is the price of the loops: if tiles seem to take less, their time is predicted
// more closely.
func tileSeconds(p *plan.Plan, m *cost.Machine, x *price, others bool) float64 {
	run := cost.NewPredictor(p)
	run.Most, run.Rows = 1<<6, 8
	seconds := run.Predict(m, cost.LinkInproc).Seconds
	edged := edgedFew
	if p.Side[0] >= fewLevels {
		edged = edgedRun
	}
	closer := 0.0
	if seconds > roughSeconds && x.decides >= clearlyWritten*seconds { // an estimate may be far off where few tiles are whole
		run.Most = 1 << 12
		closer = run.Predict(m, cost.LinkInproc).Seconds
	}
	seconds = max(seconds+(x.edges-1)*min(seconds, edged), closer) + beginTiles + float64(p.CPUs-1)*joinTiles
	if !p.KeepsWhole() { // the price of tiles counts the first writes to arrays only
		live := cost.MemoryOf(p, 0, math.MaxInt64).Levels
		seconds += m.Fresh * max(0, float64(live)-x.total-freshBytes)
	}
	if !Even(p.Nest) {
		seconds += float64(p.Hi[0]-p.Lo[0]+1) * float64(p.Windows) * unevenLevel
	}
	if others {
		return seconds + x.total*handedByte
	}
	if x.total > farBytes {
		return seconds + copiedContent(p)*handedByte
	}
	return seconds
}

// TiledSeconds returns the predicted seconds of all runs in tiles; 0 if those of a nest were not predicted.
func (w *Weighing) TiledSeconds() float64 {
	if w.untimed {
		return 0
	}
	return w.Tiles
}

// Written reports whether the loops are to run as they are written.
func (w *Weighing) Written() bool { return w.Tiled() == "" }

// iteration predicts the seconds of an iteration whose cells are in the caches, and those by which it is compared with tiles:
// see Weighing.decides. vector says that decides is for a vector kernel, whose runs can be ended. front says that the kernel of
// seconds has lanes across rows.
func (l AsLoops) iteration(p *plan.Plan, points int64) (seconds, decides float64, vector, front bool) {
	seconds, vector = l.alongRows(p, points)
	if l.Front == nil || points == 0 || p.Empty {
		return seconds, seconds, vector, false
	}
	in := l.Front.For(p).cycles(p) * cycle
	if in > 0 {
		in += runSeconds(p.Nest) / float64(points)
	}
	switch {
	case in <= 0 || in >= seconds && (vector || !l.Named):
		return seconds, seconds, vector, false
	case l.CPUs == 0 && len(l.Front.Strips) > 0:
		return in, seconds, vector, true
	default:
		return in, in, true, true
	}
}

// runSeconds are the seconds of a run of a nest by a vector kernel, besides those of its iterations.
func runSeconds(n *plan.Nest) float64 {
	all := eachRun
	for _, r := range n.Reduces {
		if r.Op == "sum" && element.Named(r.Elem).Float {
			all += eachSum
		}
	}
	return all
}

// Frontal reports whether runs of the nest of p take the least time with lanes across rows of entire arrays.
func (l AsLoops) Frontal(p *plan.Plan) bool {
	points, _ := p.Points()
	_, _, _, front := l.iteration(p, points)
	return front
}

// alongRows predicts what iteration does, for loops in Go and for a vector kernel with lanes along rows.
func (l AsLoops) alongRows(p *plan.Plan, points int64) (seconds float64, vector bool) {
	seconds = l.Pace * cycle
	if l.Cycles <= 0 || points == 0 || p.Empty {
		return seconds, false
	}
	last, rotating, sides := len(p.Lo)-1, NewRotating(p.Nest), levelSides(p)
	row := max(1, float64(points)/float64(plan.BytesOf(sides[:last]...))) // on average
	box := row                                                            // if rows have different lengths, a box is one row
	edges := 0.0
	if rotating != nil {
		edges = rotating.edgeSeconds(p) * float64(sides[0])
	}
	if even := Even(p.Nest); even && rotating != nil && last == 1 && !rotating.Edged() {
		box *= float64(rotating.Slots(rotatingBytes(p))) / float64(rotating.Levels)
	} else if even {
		box *= float64(sides[last-1])
	}
	inRows := l.Cycles*cycle + eachRow/row + eachBox/box + orderedCells(p)/float64(points)*orderedCell + (edges+runSeconds(p.Nest))/float64(points)
	if inRows = max(inRows, l.Waits*cycle/row); inRows < seconds || l.Named {
		return inRows, true
	}
	return seconds, false
}

// Even reports whether all rows of a level of n have the same length.
func Even(n *plan.Nest) bool {
	slopes := Slopes(n)
	return !slices.ContainsFunc(Bounds(n), func(f plan.Affine) bool {
		loops := 0
		for _, c := range onLevels(f.Iters, slopes) {
			if c != 0 {
				loops++
			}
		}
		return loops > 1
	})
}

// called is what a message calls a nest.
func called(n *plan.Nest) string { return cmp.Or(n.Title, n.Name) }
