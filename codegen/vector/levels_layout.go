package vector

import (
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// A levelLayout says where vectors are, for one instruction set.
type levelLayout struct {
	kernel.Temporal
	levelForm
	at       map[levelVector]levelPlace
	carryIns map[levelVector]int // their indices among the planes
	vectors  []heldVector        // see held
	backs    map[heldVector]int
}

// A levelForm says which vectors of rows are in registers.
type levelForm struct {
	depth   int  // how many steps back the current row's results are held in registers
	moved   int  // the same for results that were moved up
	inPlace bool // a row overwrites the farthest row that it reads
}

// holds reports whether registers hold the vector that a flow reads of the current row.
func (m levelForm) holds(f levelFlow) bool {
	if f.vector.up > 0 {
		return f.back <= m.moved
	}
	return f.back <= m.depth
}

// mostBack bounds how many steps back a row may be read that has been overwritten: its vectors are
// held in registers for that many steps.
const mostBack = 3

// replaced returns the index in rows of the row that the new row may overwrite; 0 if there is
// none. Its distance is the greatest, and only along the outermost coordinate. Another row with
// that coordinate would already have been overwritten.
func (s *Levels) replaced() int {
	out, most := 0, 0
	for k, d := range s.rows {
		switch {
		case len(d) == 0 || d[0] < most || d[0] == 0:
		case d[0] > most:
			out, most = k, d[0]
		default:
			return 0 // two rows, unless a farther one follows
		}
	}
	for k, d := range s.rows {
		for x, e := range d {
			if k == out && x > 0 && e != 0 || k != out && x == 0 && e == most {
				return 0
			}
		}
	}
	for _, f := range s.flows {
		if f.row == out && f.back > mostBack {
			return 0
		}
	}
	return out
}

// A levelPlace is the place of a vector in a cell: of a row in the circular buffer, or of the
// current row, which no other row reads.
type levelPlace struct {
	buffer bool
	at     int
}

// layout assigns places to vectors. Vectors that later rows read are in the circular buffer.
// The current row has the other stored values, and those read further back in the row than
// registers hold. A vector that was moved up needs no place while registers hold it: it is
// moved again when a call begins. But with s = 0, the cell that was moved into its lowest lane
// may have been overwritten by then.
func (s *Levels) layout(isa asm.ISA, form levelForm) *levelLayout {
	y := &levelLayout{levelForm: form, at: map[levelVector]levelPlace{}, carryIns: map[levelVector]int{}}
	if form.inPlace {
		y.InPlace = s.replaced()
	}
	y.Count, y.Size, y.Skew, y.Streams = isa.Bytes()/s.lane, s.lane, s.skew, 1
	y.Rows, y.Given, y.Indices, y.Reduces = s.rows, slices.Clone(s.given), s.index, len(s.n.Reduces())
	for k := range y.Given {
		if s.inBytes(isa, k) {
			y.Given[k].Elem = ir.Uint8.String()
		}
	}
	for _, use := range s.Params {
		y.Params = append(y.Params, kernel.LaneParam{Param: use.Param, Elem: use.Type.String()})
	}
	buffers, rereads := map[levelVector]bool{}, map[levelVector]bool{}
	for f := range s.times {
		buffers[f.vector] = buffers[f.vector] || f.row > 0
		rereads[f.vector] = rereads[f.vector] || (!form.holds(f) || s.skew == 0) && f.row == 0
	}
	for v := range s.shifts {
		for k := range s.shifts[v] + 1 {
			x := levelVector{v, k}
			current := k == 0 && !s.l.Dead[v] || k > 0 && rereads[x]
			y.place(x, buffers[x], current && s.live[s.l.Values[v]])
		}
		y.Values = append(y.Values, y.value(v, int(s.plus[v])))
	}
	// Only streams that share a slab overwrite rows.
	y.TailMask = isa == asm.AVX512 && y.InPlace > 0 && len(y.CarryOut) > 0
	y.vectors, y.backs = s.held(y)
	return y
}

// place assigns a place to a vector, in the circular buffer or in the current row, and, if it
// is moved up, an index among the planes.
func (y *levelLayout) place(x levelVector, buffer, current bool) {
	switch {
	case buffer:
		y.at[x] = levelPlace{true, y.Buffered}
		y.Buffered++
	case current:
		y.at[x] = levelPlace{false, y.Current}
		y.Current++
	}
	if x.up > 0 {
		y.carryIns[x] = len(y.CarryIn)
		y.CarryIn = append(y.CarryIn, kernel.LanePlane{Value: x.value, Level: x.up})
		y.CarryOut = append(y.CarryOut, kernel.LanePlane{Value: x.value, Level: x.up})
	}
}

// value describes where the vectors of a value are. Lanes that are inactive in a step take
// their content from the current row.
func (y *levelLayout) value(v, plus int) kernel.LaneValue {
	p, ok := y.at[levelVector{v, 0}]
	switch {
	case !ok:
		return kernel.LaneValue{At: -1, Plus: plus}
	case !p.buffer:
		return kernel.LaneValue{At: p.at, Fill: p.at, Plus: plus}
	}
	y.Current++
	return kernel.LaneValue{InBuffer: true, At: p.at, Fill: y.Current - 1, Plus: plus}
}

// A heldVector is a vector that registers hold: of the current row, or of the row that it
// overwrites.
type heldVector struct {
	levelVector
	replaced bool
}

// held are the vectors that registers hold from step to step, and how many steps back, in a
// fixed order. A vector of the overwritten row is included, with 0, if it is read only at the
// same step.
func (s *Levels) held(y *levelLayout) (vectors []heldVector, backs map[heldVector]int) {
	backs = map[heldVector]int{}
	for f := range s.times {
		if y.InPlace > 0 && f.row == y.InPlace {
			x := heldVector{f.vector, true}
			backs[x] = max(backs[x], f.back)
		}
		if f.row == 0 && y.holds(f) {
			x := heldVector{f.vector, false}
			backs[x] = max(backs[x], f.back)
		}
	}
	for v := range s.shifts {
		for k := range s.shifts[v] + 1 {
			for _, replaced := range []bool{false, true} {
				x := heldVector{levelVector{v, k}, replaced}
				if _, some := backs[x]; some {
					vectors = append(vectors, x)
				}
			}
		}
	}
	return vectors, backs
}

// deadStores reports whether steps can gain by not storing the current row: registers hold
// everything that later steps read.
func (s *Levels) deadStores(y *levelLayout) bool {
	for _, f := range s.flows {
		if f.row == 0 && !y.holds(f) && !y.at[f.vector].buffer {
			return false
		}
	}
	for _, p := range y.at {
		if !p.buffer {
			return true
		}
	}
	return false
}

// Place returns where the layout of k has the vector of a value, moved up by some lanes.
func (k *LevelKernel) Place(value, up int) (kernel.LaneValue, bool) {
	p, ok := k.layout.at[levelVector{value, up}]
	return kernel.LaneValue{InBuffer: p.buffer, At: p.at}, ok
}
