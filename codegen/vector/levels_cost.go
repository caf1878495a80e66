package vector

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// forms are the ways to hold vectors of rows in registers, the best first.
var forms = []levelForm{{2, 2, true}, {1, 1, true}, {1, 0, true}, {2, 2, false}, {1, 1, false}}

// mostRowStreams is how many row streams are interleaved at most.
const mostRowStreams = 4

// moreRowStreams bounds the time per point with more row streams, relative to the time with fewer: it
// is clearly less than 1, because more streams leave fewer registers for constants and have longer edges.
const moreRowStreams = 0.85

// A LevelKernel is the functions of Levels for one instruction set.
type LevelKernel struct {
	ISA       asm.ISA
	Lanes     kernel.Temporal // without the functions
	layout    *levelLayout
	One       Function // one row stream
	Many      Function // Lanes.Streams row streams; no name if that is one
	Streaming Function // Lanes.Streams row streams; no name if there is none
}

// Last is the function with the most row streams.
func (k *LevelKernel) Last() *Function {
	if k.Many.Name != "" {
		return &k.Many
	}
	return &k.One
}

// Assembly returns the text of a Go assembly file with the kernels of s, whose names begin with
// prefix, and their descriptions; or nothing, and why there are none.
func (s *Levels) Assembly(prefix, from string) (text []byte, kernels []LevelKernel, why Refusal) {
	file := &asm.File{}
	for _, isa := range asm.ISAs() {
		if s.most >= isa.Bytes()/s.lane {
			why.Why = "a dependence spans more levels than a vector has lanes"
			continue
		}
		k, ok := s.kernel(file, isa, prefix+"Levels"+strings.ToUpper(isa.String()))
		if !ok {
			why.Why = "there are not enough registers"
			continue
		}
		kernels = append(kernels, k)
	}
	if len(kernels) == 0 {
		return nil, nil, why
	}
	file.DropMoves()
	return file.Print("loopc from " + from), kernels, Refusal{}
}

// kernel adds the functions for an instruction set to a file. The first form that has enough
// registers decides whether a row overwrites another; of all forms that agree with it in that, the
// one with the least time per point is taken. If no form has enough registers, values of the last
// form live on the stack.
func (s *Levels) kernel(file *asm.File, isa asm.ISA, name string) (k LevelKernel, ok bool) {
	var parts []*asm.File
	take := func(form levelForm, one Function, files ...*asm.File) {
		y := s.layout(isa, form)
		k, ok, parts = LevelKernel{ISA: isa, Lanes: y.Temporal, layout: y, One: one}, true, files
	}
	for _, form := range forms {
		if form.inPlace && s.replaced() == 0 || ok && form.inPlace != (k.Lanes.InPlace > 0) {
			continue
		}
		one, part := s.best(isa, name, s.options(isa, 1, nil), form)
		if part == nil {
			continue
		}
		if !ok {
			take(form, one, part)
		}
		if s.long() {
			break
		}
		for rowStreams := s.wanted(isa, form, &one.Cost); rowStreams > 1 && rowStreams >= k.Lanes.Streams; rowStreams-- {
			many, more := s.best(isa, name, s.options(isa, rowStreams, &one.Cost), form)
			if more == nil || !many.gains(k.Last()) {
				continue
			}
			take(form, one, part, more)
			k.Many, k.Lanes.Streams = many, rowStreams
		}
	}
	if !ok {
		form := forms[len(forms)-1]
		one, part := s.best(isa, name, []levelOption{{rowStreams: 1, unroll: 1, spills: true}}, form)
		if part == nil {
			return k, false
		}
		take(form, one, part)
	}
	if streaming, part := s.bestStreaming(isa, name, &k); part != nil {
		k.Streaming, parts = streaming, append(parts, part)
	}
	k.Lanes.Cycles = thousandths(k.Last().Cost.Cycles(asm.Whole, max(1, k.Last().Blocks)))
	file.Join(parts...)
	return k, true
}

// thousandths rounds x.
func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }

// wanted is the number of row streams to interleave so that none has to wait; one is the cost of a
// stream alone. For 64-byte vectors the slower of both modeled processors decides, unless a result
// is returned: then stores, not latency, bound the number of streams [note vector-constants].
func (s *Levels) wanted(isa asm.ISA, form levelForm, one *asm.Cost) int {
	rowStreams := one.Latency[asm.Whole] / one.Ports[asm.Whole]
	if isa == asm.AVX512 && s.givenBack(s.layout(isa, form)) < 0 {
		rowStreams = max(rowStreams, one.Latency[asm.Halves]/one.Ports[asm.Halves])
	}
	return min(mostRowStreams, int(math.Ceil(rowStreams)))
}

// bestStreaming writes the function of kernel k that streams results while their rows are computed,
// if a vector is as large as a cache line.
func (s *Levels) bestStreaming(isa asm.ISA, name string, k *LevelKernel) (Function, *asm.File) {
	const line = 64
	if isa.Bytes() != line {
		return Function{}, nil
	}
	for _, form := range forms {
		y := s.layout(isa, form)
		if y.Buffered != k.Lanes.Buffered || y.Current != k.Lanes.Current || y.InPlace != k.Lanes.InPlace || s.givenBack(y) < 0 {
			continue
		}
		ways := s.options(isa, k.Lanes.Streams, &k.One.Cost)
		for w := range ways {
			ways[w].lines = true
		}
		if f, part := s.best(isa, name, ways, form); part != nil {
			return f, part
		}
	}
	return Function{}, nil
}

// gains reports whether f, with more row streams than another function, is worthwhile on one
// modeled processor and does no harm on the other; or, with equally many, whether it occupies
// the units of both for a shorter time [note vector-constants].
func (f *Function) gains(than *Function) bool {
	if f.Blocks == than.Blocks {
		return f.Cost.Ports.Sum() < than.Cost.Ports.Sum()
	}
	share := func(m asm.Model) float64 { return f.Cost.Cycles(m, f.Blocks) / than.Cost.Cycles(m, than.Blocks) }
	whole, halves := share(asm.Whole), share(asm.Halves)
	return min(whole, halves) < moreRowStreams && max(whole, halves) <= 1
}

// best writes a function in the first of some ways for which registers suffice. The file is nil if
// they suffice for none.
func (s *Levels) best(isa asm.ISA, name string, ways []levelOption, form levelForm) (Function, *asm.File) {
	for _, o := range ways {
		o.form = form
		called := fmt.Sprintf("%sx%d", name, o.rowStreams)
		if o.lines {
			called += "Lined"
		}
		if f, part := s.function(isa, called, o); part != nil {
			return f, part
		}
	}
	return Function{}, nil
}

// mostWaiting is the most vector instructions that may wait for others and still leave room, in the
// smaller of the modeled schedulers, for instructions of another row stream. That scheduler holds 64
// instructions; instructions on 64 bytes also wait for units.
func mostWaiting(isa asm.ISA) float64 {
	if isa == asm.AVX512 {
		return 48
	}
	return 64
}

// mostInterleaved is the most row streams whose instructions are interleaved: their temporary
// vectors are in registers at the same time.
const mostInterleaved = 2

// interleaves reports whether instructions of different row streams may change places within a
// step. Streams lag one another, so none reads a vector that another one writes in the same step.
// But a stream may overwrite a vector that the stream before it reads for the last time in that
// step. That is harmless if no row reads another, or if there is one value, whose step reads all
// its rows before it writes.
func (s *Levels) interleaves() bool {
	if len(s.rows) == 1 {
		return true
	}
	n := 0
	for _, stmt := range s.l.Values {
		if s.live[stmt] {
			n++
		}
	}
	return n == 1
}

// options are the ways of writing a function for the given number of row streams, the best
// first; one is the cost of a single stream. Usually a round has two steps of each stream, one
// after the other, which takes the fewest instructions. If many of these instructions would wait,
// the processor cannot look ahead to other streams; then streams take single steps alternately.
// That does not help if constants are read from memory, because loads bound such a step [note
// vector-constants].
func (s *Levels) options(isa asm.ISA, rowStreams int, one *asm.Cost) []levelOption {
	two := levelOption{rowStreams: rowStreams, hoist: true, unroll: 2}
	memory := levelOption{rowStreams: rowStreams, unroll: 2}
	if s.long() {
		two.unroll, memory.unroll = 1, 1
	}
	if rowStreams == 1 {
		return []levelOption{two, memory}
	}
	turns := []levelOption{{rowStreams: rowStreams, hoist: true, unroll: 1}}
	if s.interleaves() {
		interleaved := turns[0]
		interleaved.interleaved = mostInterleaved
		turns = slices.Insert(turns, 0, interleaved)
	}
	if float64(2*rowStreams)*(one.Shuffles+one.Arithmetic+one.Other) <= mostWaiting(isa) {
		turns = slices.Insert(turns, 0, two)
	}
	return append(turns, memory)
}

// function writes a function with its constants; the file is nil if there are not
// enough registers.
func (s *Levels) function(isa asm.ISA, name string, o levelOption) (Function, *asm.File) {
	file := &asm.File{Spills: o.spills}
	y := s.layout(isa, o.form)
	y.Streams = o.rowStreams
	f := &levelFunction{
		function: s.Shape.kernel(file, isa, name, asm.NewPool(file, name)),
		s:        s, y: y, o: o, timed: s.timed(asm.LatencyShift(asm.Whole, isa), o.form),
		strides: map[int]asm.Reg{}, pinned: map[int]asm.Reg{}, fixed: map[int]asm.Reg{},
	}
	f.write()
	f.cost.Latency = s.criticalPath(isa, o.form)
	if file.Allocate() != nil {
		return Function{}, nil
	}
	f.cost.Bound(f.Machine) // with the spilled values
	return Function{Name: name, ISA: isa, Rows: o.rowStreams * f.Lanes(), Blocks: o.rowStreams, Cost: f.cost}, file
}

// criticalPath is the longest path of operations from the vectors of a step to those of the
// next step. If units are half as wide, each operation on 64 bytes occupies one for two cycles,
// and others of the path wait for it [note vector-constants].
func (s *Levels) criticalPath(isa asm.ISA, form levelForm) (b asm.Bound) {
	const waiting = 1.25
	for m := range b {
		b[m] = s.timed(asm.LatencyShift(asm.Model(m), isa), form).latency(isa)
	}
	if isa == asm.AVX512 {
		b[asm.Halves] *= waiting
	}
	return b
}

// timed returns the shape, with the time from the step before to each read, if moving lanes up takes shuffle cycles.
func (s *Levels) timed(shuffle float64, form levelForm) *Shape {
	x := *s.Shape
	x.entry = func(r *ir.Read) float64 {
		f, ok := s.flows[r.ID]
		if !ok || f.row > 0 || f.back > 1 {
			return math.Inf(-1)
		}
		late := shuffle * float64(f.vector.up)
		if s.plus[f.vector.value] != 0 {
			late++
		}
		if !form.holds(f) {
			late += asm.LatencyMemory
		}
		return late
	}
	return &x
}
