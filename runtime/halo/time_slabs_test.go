package halo_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// A laneModel is a kernel with lanes, in Go, that follows kernel.Temporal step by step. It
// interprets a sample like an interpreter.
type laneModel struct {
	interpreter
	lanes *kernel.Temporal
	back  int // see replacedBack
	// ownBack is the most steps back that a row reads itself.
	ownBack int
	calls   *laneCalls
}

// laneCalls counts what kernels computed.
type laneCalls struct{ one, many, masked, whole, lost, below atomic.Int64 }

// lanesOf describes a kernel for s with the given lanes and streams; nil if a dependence is as
// long as there are lanes.
func (s *sample) lanesOf(rng *rand.Rand, count, chains int) *kernel.Temporal {
	nest := s.nest
	n := len(nest.Dims)
	l := &kernel.Temporal{Count: count, Size: nest.Arrays[0].Size, Streams: chains}
	rows := [][]int{make([]int, n-2)}
	for v := range nest.Values {
		reach := nest.Values[v].Levels() - 1
		if reach >= count {
			return nil
		}
		for _, d := range nest.Values[v].Flow {
			outer := d[1 : n-1]
			rows = append(rows, outer)
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
	l.Rows = distinct(rows)
	s.replaceRow(l, rng)
	for x := range n {
		at := plan.Affine{Iters: make([]int, n)}
		at.Iters[x] = 1
		l.Indices = append(l.Indices, kernel.LoopIndex{At: at})
	}
	return l
}

// replaceRow mostly makes a row overwrite the farthest one, where it may.
func (s *sample) replaceRow(l *kernel.Temporal, rng *rand.Rand) {
	most, at := 0, -1
	for k, d := range l.Rows {
		if len(d) == 0 || d[0] < most || d[0] == 0 {
			continue
		}
		if at = k; d[0] == most {
			at = -1 // two rows
		}
		most = d[0]
	}
	if at < 0 || slices.Max(append([]int{0}, l.Rows[at][1:]...)) > 0 || rng.IntN(4) == 0 {
		return
	}
	n := len(s.nest.Dims)
	for v := range s.nest.Values {
		for _, d := range s.nest.Values[v].Flow {
			if slices.Equal(d[1:n-1], l.Rows[at]) && d[n-1]+l.Skew*d[0] > mostBack {
				return
			}
		}
	}
	l.InPlace, l.TailMask = at, rng.IntN(4) > 0
}

// cell reads or writes lane k of a vector at an address.
func (m *laneModel) cell(at, k int) unsafe.Pointer {
	return unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&at)), k*m.lanes.Size) // an address, as assembly gets it
}

func (m *laneModel) get(at, k int) uint64 {
	if m.lanes.Size == 4 {
		return uint64(*(*uint32)(m.cell(at, k)))
	}
	return *(*uint64)(m.cell(at, k))
}

func (m *laneModel) set(at, k int, x uint64) {
	if m.lanes.Size == 4 {
		*(*uint32)(m.cell(at, k)) = uint32(x)
		return
	}
	*(*uint64)(m.cell(at, k)) = x
}

// run computes the steps of several streams, one step of each in turn.
func (m *laneModel) run(frame *int, chains int) {
	l := m.lanes
	f := unsafe.Slice(frame, l.FrameWords())
	old := make([][]uint64, chains) // the row that is overwritten, step by step
	replaced := func(c, from, to int) {
		for x := from * l.Buffered * l.Count; l.InPlace > 0 && x < to*l.Buffered*l.Count; x++ {
			old[c] = append(old[c], m.get(f[l.FrameStream(c)+l.StreamRow(l.InPlace)], x))
		}
	}
	for c := range chains {
		replaced(c, -m.back, 0)
	}
	steps := f[kernel.FrameSteps]
	if f[kernel.FrameNeeded] < 0 || f[kernel.FrameNeeded] > f[kernel.FrameFull1] {
		panic(fmt.Sprintf("kept from step %d of %d on, without masks up to %d", f[kernel.FrameNeeded], steps, f[kernel.FrameFull1]))
	}
	if f[kernel.FrameTail] != 0 {
		m.calls.below.Add(int64(min(1, len(l.CarryOut))))
		if !l.TailMask {
			panic("planes get lanes below the highest")
		}
	}
	for step := range steps {
		masked := step < f[kernel.FrameFull0] || step >= f[kernel.FrameFull1]
		if masked {
			m.calls.masked.Add(1)
		} else {
			m.calls.whole.Add(1)
		}
		for c := range chains {
			replaced(c, step, step+1)
			m.step(f[l.FrameStream(c):], step, f[kernel.FrameTail], masked, old[c])
		}
	}
	// Only later steps read these.
	for c := range chains {
		now := f[l.FrameStream(c)+kernel.StreamCurrent]
		for step := f[kernel.FrameFull0]; step < f[kernel.FrameNeeded]-m.ownBack; step++ {
			m.calls.lost.Add(1)
			for k := range l.Current * l.Count {
				m.set(now, step*l.Current*l.Count+k, 0x55555555)
			}
		}
	}
}

// mostBack is the most steps back to which the model reads the overwritten row.
const mostBack = 3

// replacedBack returns how many steps back results of that row are read.
func (s *sample) replacedBack(l *kernel.Temporal) int {
	most, n := 0, len(s.nest.Dims)
	for v := range s.nest.Values {
		for _, d := range s.nest.Values[v].Flow {
			if l.InPlace > 0 && slices.Equal(d[1:n-1], l.Rows[l.InPlace]) {
				most = max(most, d[n-1]+l.Skew*d[0])
			}
		}
	}
	return most
}

// rowBack returns how many steps back a row reads itself.
func (s *sample) rowBack(l *kernel.Temporal) int {
	most, n := 0, len(s.nest.Dims)
	for v := range s.nest.Values {
		for _, d := range s.nest.Values[v].Flow {
			if slices.Max(append([]int{0}, d[1:n-1]...)) == 0 {
				most = max(most, d[n-1]+l.Skew*d[0])
			}
		}
	}
	return most
}

func (m *laneModel) step(w []int, step, top int, masked bool, old []uint64) {
	l, nest := m.lanes, m.s.nest
	n := len(nest.Dims)
	vector := l.Count * l.Size
	// at returns the address of vector k of value v's cell, the given rows and steps back.
	at := func(v, k, row, back int) int {
		x := l.Values[v]
		if x.InBuffer {
			return w[l.StreamRow(row)] + (step-back)*l.Buffered*vector + (x.At+k)*vector
		}
		return w[kernel.StreamCurrent] + (step-back)*l.Current*vector + (x.At+k)*vector
	}
	own := 0 // of Rows
	for k, d := range l.Rows {
		if slices.Max(append([]int{0}, d...)) == 0 {
			own = k
		}
	}
	v := w[kernel.StreamStep] + step
	results := make([][]uint64, len(nest.Values))
	for u := range nest.Values {
		for lane := range l.Count {
			p := make([]int, n)
			for x := range p {
				it := l.Indices[x].At.Iters
				p[x] = w[l.StreamIndex(x)] + step*it[n-1] + lane*(it[0]-l.Skew*it[n-1])
			}
			results[u] = append(results[u], result(nest, u, p, func(_ int, q []int) bool { return m.s.inside[key(q)] }, func(from int, q []int) uint64 {
				d := moved(p, -1, q)
				row := slices.IndexFunc(l.Rows, func(e []int) bool { return slices.Equal(e, d[1:n-1]) })
				back := d[n-1] + l.Skew*d[0]
				if row > 0 && row == l.InPlace {
					return old[((m.back+step-back)*l.Buffered+l.Values[from].At+d[0])*l.Count+l.LaneIndex(lane)]
				}
				return m.get(at(from, d[0], row, back), l.LaneIndex(lane))
			}))
		}
	}
	insert, out := 0, 0
	for u := range nest.Values {
		x := at(u, 0, own, 0)
		for lane := range l.Count {
			seat := l.LaneIndex(lane)
			lo, hi := int64(m.get(w[kernel.StreamBounds], seat)), int64(m.get(w[kernel.StreamBounds], l.Count+seat))
			if l.Size == 4 {
				lo, hi = int64(int32(lo)), int64(int32(hi))
			}
			if !masked || lo <= int64(v) && int64(v) <= hi {
				m.set(x, seat, results[u][lane])
			} else {
				m.set(x, seat, m.get(w[kernel.StreamCurrent]+(step*l.Current+l.Values[u].Fill)*vector, seat))
			}
		}
		for k := 1; k < nest.Values[u].Levels(); k++ {
			from, to := at(u, k-1, own, 0), at(u, k, own, 0)
			for lane := l.Count - 1; lane > 0; lane-- {
				m.set(to, l.LaneIndex(lane), m.get(from, l.LaneIndex(lane-1)))
			}
			m.set(to, l.LaneIndex(0), m.get(w[l.StreamCarryIn(insert)], step))
			insert++
		}
		for j := 1; j < nest.Values[u].Levels(); j++ {
			seat, before := l.LaneIndex(l.Count-j), 0
			if top != 0 { // stored under a mask: the address is that of the vector
				seat += bits.TrailingZeros(uint(top))
				before = seat
			}
			m.set(w[l.StreamCarryOut(out)], step+before, m.get(x, seat))
			out++
		}
	}
}

// TestRandomLanes runs random nests with kernels whose lanes are levels, under random plans,
// and compares every returned cell with a direct evaluation.
func TestRandomLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	runs, tops, count := 0, 0, 150
	if testing.Short() {
		count = 40
	}
	var calls laneCalls
	deep := [5]int{}
	for k := range count {
		elems := []string{"int64", "float64"}
		if rng.IntN(2) == 0 {
			elems = []string{"int32", "float32"}
		}
		s := randomNestOf(rng, elems)
		if k%8 == 0 { // so many rows that the buffer wraps around
			s = randomNestLike(rng, elems, []int{4, 120, 5})
		}
		lanes, onTop := 2+rng.IntN(3), k%4 == 1
		if onTop {
			s = randomNestOnTop(rng, elems, lanes*(1+rng.IntN(3))-rng.IntN(2))
		}
		if len(s.points) == 0 || len(s.points) > 5000 {
			continue
		}
		chains := 1 + rng.IntN(3)
		if onTop {
			chains = 2
		}
		l := s.lanesOf(rng, lanes, chains)
		if l == nil {
			continue
		}
		prog := &sched.Program{Nest: s.nest, Kernel: kernel.Version{New: func(_ []int, fields kernel.Fields) kernel.Kernel {
			m := &laneModel{interpreter: interpreter{s: s, fields: fields}, lanes: new(kernel.Temporal), back: s.replacedBack(l), ownBack: s.rowBack(l), calls: &calls}
			*m.lanes = *l
			m.lanes.One = func(f *int) { calls.one.Add(1); m.run(f, 1) }
			m.lanes.Many = func(f *int) { calls.many.Add(1); m.run(f, l.Streams) }
			return kernel.Kernel{Loops: m, Traits: kernel.Traits{Temporal: m.lanes}}
		}}}
		for range 4 {
			o := randomOptions(rng, s.nest)
			if onTop && rng.IntN(4) > 0 { // full slabs, and entire rows that no neighbor needs
				o = plan.Options{Ranks: 1, CPUs: 1}
			}
			if len(s.nest.Dims) == 3 && rng.IntN(2) == 0 { // slabs with idle lanes and entire levels, with tiles above
				o = plan.Options{Ranks: 1, CPUs: 1, Map: s.nest.Dims[0], Tile: []int{max(1, s.nest.HaloWidth()[0]) + rng.IntN(4), 0, 0}}
			}
			p, err := plan.New(s.nest, s.params, o)
			if err != nil {
				continue
			}
			if onTop && p.Tiles[0] == 1 && p.Columns() == 1 {
				tops++
			}
			f := s.fields(rng.IntN(2) == 0)
			sum, err := sched.RunPlans(t.Context(), prog, []*plan.Plan{p}, f, sched.Watch{}, inproc.Mesh)
			if err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			if sum.Points != int64(len(s.points)) {
				t.Fatalf("%s: %d iterations ran, there are %d", p, sum.Points, len(s.points))
			}
			s.check(t, p, f)
			runs++
			deep[len(s.nest.Dims)]++
		}
	}
	one, many, masked, whole := int(calls.one.Load()), int(calls.many.Load()), int(calls.masked.Load()), int(calls.whole.Load())
	if tops < count/8 {
		t.Errorf("only %d runs give back what is in the top lane, and nothing else", tops)
	}
	if calls.below.Load() < int64(count/10) && !testing.Short() {
		t.Errorf("only %d calls in which lanes below the highest write planes", calls.below.Load())
	}
	if calls.lost.Load() < int64(runs) {
		t.Errorf("only %d steps left nothing behind", calls.lost.Load())
	}
	if runs < count/2 || one < runs || many < runs || masked < runs || whole < runs || slices.Min(deep[2:]) < count/20 {
		t.Errorf("only %d runs; calls of one chain: %d, of many: %d, with masks: %d, without: %d; runs by depth: %v", runs, one, many, masked, whole, deep)
	}
}
