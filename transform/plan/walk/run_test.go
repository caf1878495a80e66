package walk_test

import (
	"math/rand/v2"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A tileRun runs the tiles of a plan one by one, with a kernel that computes nothing: the
// operations of a tile do not depend on the content of cells.
type tileRun struct {
	p       *plan.Plan
	counts  walk.Counts // of the last tile
	points  int         // iterations that the kernel was asked for
	columns []column    // by number
	slots   [][]byte    // per direction
}

// A column is a column of tiles with the faces that it gets and sends.
type column struct {
	*halo.Column
	in, out []face
}

// A face is what travels along an edge, in a slot that all edges of a direction share.
type face struct {
	*halo.Face
	from []int
	dir  int
}

// An idler is a kernel that only counts what it is asked for.
type idler struct{ r *tileRun }

// Box implements kernel.Loops.
func (k idler) Box(lo, hi []int) {
	box := walk.Op{Lo: lo, Hi: hi}
	k.r.points += box.Cells()
}

func (idler) Bind(*kernel.Block)                          {}
func (idler) Init(int, []int, int, int, []byte, int, int) {}

// newTileRun prepares to run the tiles of p.
func newTileRun(p *plan.Plan, traits kernel.Traits) *tileRun {
	r := &tileRun{p: p, columns: make([]column, p.Columns())}
	fields := fieldsOf(p)
	var first *halo.Worker
	for rank := range volume(p.Grid) {
		for cpu := range volume(p.Mesh) {
			k := kernel.Kernel{Loops: idler{r}, Traits: traits}
			w := halo.NewWorker(p, k, fields, first, nil)
			w.Count(&r.counts)
			first = w
			columns := p.WorkerColumns(rank, cpu)
			for k, col := range w.NewColumns(columns) {
				r.columns[columns[k]].Column = col
			}
		}
	}
	dirs := p.Directions()
	for d := range dirs {
		r.slots = append(r.slots, make([]byte, p.MessageCapacity(&dirs[d], false)))
	}
	for _, e := range p.Edges() {
		from := make([]int, len(p.Side))
		p.ColumnAt(e.From, from)
		out, in := &r.columns[e.From], &r.columns[e.To]
		out.out = append(out.out, face{halo.NewFace(p, &dirs[e.Dir]), from, e.Dir})
		in.in = append(in.in, face{halo.NewFace(p, &dirs[e.Dir]), from, e.Dir})
	}
	for k := range r.columns {
		c := &r.columns[k]
		for _, f := range c.in {
			c.In = append(c.In, f.Face)
		}
		for _, f := range c.out {
			c.Out = append(c.Out, f.Face)
		}
	}
	return r
}

// tile runs tile k of column c and returns what it did, and its iterations.
func (r *tileRun) tile(c, k int) (counts walk.Counts, points int) {
	r.counts, r.points = walk.Counts{}, 0
	col := &r.columns[c]
	lo, hi := make([]int, len(r.p.Side)), make([]int, len(r.p.Side))
	lay := func(faces []face) {
		for _, f := range faces {
			f.Slot = nil
			if r.p.FaceBytes(f.from, k, &r.p.Directions()[f.dir], lo, hi) == 0 {
				continue
			}
			if _, err := f.Lay(r.p, f.from, k, r.slots[f.dir]); err != nil {
				panic(err)
			}
		}
	}
	lay(col.in)
	lay(col.out)
	points = col.Run(k)
	return r.counts, points
}

// fieldsOf allocates the given and the returned arrays of a run of p.
func fieldsOf(p *plan.Plan) kernel.Fields {
	f := kernel.Fields{Given: make([]array.View, len(p.Nest.Arrays)), Result: make([]array.View, len(p.Nest.Arrays)), Reduced: make([]kernel.Reduced, len(p.Nest.Arrays))}
	for a := range p.Nest.Arrays {
		arr := &p.Nest.Arrays[a]
		lo, extent := arr.SliceExtent(p.Params)
		hi := slices.Clone(lo)
		for m := range hi {
			hi[m] += extent[m] - 1
		}
		if arr.Returned() {
			f.Result[a] = viewOf(arr.Elem, lo, hi)
		}
		if arr.Role == plan.In || arr.Role == plan.InOut {
			var least, most []int
			for m := range arr.Lo {
				least, most = append(least, arr.Lo[m].Eval(p.Params, nil)), append(most, arr.Hi[m].Eval(p.Params, nil))
			}
			f.Given[a] = viewOf(arr.Elem, least, most)
		}
	}
	return f
}

func viewOf(elem string, lo, hi []int) array.View {
	v, err := array.Make(elem, lo, hi)
	if err != nil {
		panic(err)
	}
	return v
}

func volume(v []int) int {
	all := 1
	for _, x := range v {
		all *= x
	}
	return all
}

// temporalOf describes a kernel whose lanes are levels for a nest, or returns nil if there
// can be none.
func temporalOf(rng *rand.Rand, nest *plan.Nest) *kernel.Temporal {
	n := len(nest.Dims)
	if n < 2 || !nest.InitialOnly() || nest.Whole {
		return nil
	}
	nothing := func(*int) {}
	l := &kernel.Temporal{One: nothing, Many: nothing, Count: []int{4, 8}[rng.IntN(2)], Streams: 1 + rng.IntN(4)}
	rows := [][]int{make([]int, n-2)}
	for v := range nest.Values {
		size := nest.Arrays[nest.Values[v].Array].Size
		if l.Size == 0 {
			l.Size = size
		}
		reach := nest.Values[v].Levels() - 1
		if size < 4 || size != l.Size || reach >= l.Count {
			return nil
		}
		for _, d := range nest.Values[v].Flow {
			outer := d[1 : n-1]
			if !slices.ContainsFunc(rows, func(e []int) bool { return slices.Equal(e, outer) }) {
				rows = append(rows, outer)
			}
			if slices.Max(append([]int{0}, outer...)) == 0 && d[0] > 0 && d[n-1] == 0 {
				l.Skew = 1
			}
		}
		x := kernel.LaneValue{InBuffer: n > 2}
		if x.InBuffer {
			x.At, x.Fill = l.Buffered, l.Current
			l.Buffered += 1 + reach
			l.Current++
		} else {
			x.At, x.Fill = l.Current, l.Current
			l.Current += 1 + reach
		}
		l.Values = append(l.Values, x)
		for k := 1; k <= reach; k++ {
			l.CarryIn = append(l.CarryIn, kernel.LanePlane{Value: v, Level: k})
			l.CarryOut = append(l.CarryOut, kernel.LanePlane{Value: v, Level: k})
		}
	}
	slices.SortFunc(rows, slices.Compare[[]int])
	if l.Rows = rows; n == 3 && len(rows) == 2 && rows[1][0] > 0 {
		l.InPlace, l.TailMask = rng.IntN(2), rng.IntN(2) == 0
	}
	return l
}
