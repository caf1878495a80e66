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
	moved   int  // how many steps back results of the current row that were moved up are held
	inPlace bool // a row overwrites the farthest row that it reads
}

// holds reports whether registers hold the vector that flow f, of the current row, reads.
func (m levelForm) holds(f levelFlow) bool {
	if f.vector.up > 0 {
		return f.back <= m.moved
	}
	return f.back <= m.depth
}

// mostBack bounds how many steps back an overwritten row may be read: registers hold its vectors for
// so many steps.
const mostBack = 3

// replaced returns the index in rows of the row that the new row may overwrite; 0 if there is none.
// That row has the greatest distance along the outermost coordinate, and no distance along the
// others. It must be the only row at that distance: another one would already be overwritten.
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

// A levelPlace is the place of a vector in a cell of a row: of the rows in the circular buffer, or of
// the current row, which no other row reads.
type levelPlace struct {
	buffer bool
	at     int
}

// layout assigns places to vectors. Vectors that later rows read are in the circular buffer. The
// current row has all other stored values, and the vectors read further back in the row than
// registers hold. A vector that was moved up needs no place if registers hold it: the next call moves
// it again. But with s = 0, the cell for its lowest lane may be overwritten by then.
func (s *Levels) layout(isa asm.ISA, form levelForm) *levelLayout {
	y := &levelLayout{levelForm: form, at: map[levelVector]levelPlace{}, carryIns: map[levelVector]int{}}
	if form.inPlace {
		y.InPlace = s.replaced()
	}
	y.Count, y.Size, y.Skew, y.Streams = isa.Bytes()/s.lane, s.lane, s.skew, 1
	y.Rows, y.Given, y.Indices, y.Reduces = s.rows, slices.Clone(s.given), s.index, len(s.n.Reduces())
	y.Places = s.PlaceGroups()
	y.Checks, y.Again = s.LooksUp()
	for k := range y.Given {
		if s.inBytes(isa, k) {
			y.Given[k].Elem = ir.Uint8.String()
		}
	}
	for _, use := range s.Params {
		y.Params = append(y.Params, kernel.LaneParam{Param: use.Param, Float: use.Float, Elem: use.Type.String(), Part: use.Part, Dim: use.Dim})
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
		y.Values = append(y.Values, y.value(v, int(s.plus[v]), s.widenedTo(v)))
	}
	// Masks are needed where streams share a slab: only then do they overwrite rows.
	y.TailMask = isa == asm.AVX512 && y.InPlace > 0 && len(y.CarryOut) > 0
	y.vectors, y.backs = s.held(y)
	return y
}

// place assigns a place to vector x, in the circular buffer or in the current row, and an index
// among the planes if x was moved up.
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
func (y *levelLayout) value(v, plus int, elem string) kernel.LaneValue {
	x := kernel.LaneValue{At: -1, Plus: plus, Elem: elem}
	p, ok := y.at[levelVector{v, 0}]
	switch {
	case !ok:
		return x
	case !p.buffer:
		x.At, x.Fill = p.at, p.at
		return x
	}
	y.Current++
	x.InBuffer, x.At, x.Fill = true, p.at, y.Current-1
	return x
}

// widenedTo is the type in which lanes hold the results of value v, if it is not that of the array; else "".
func (s *Levels) widenedTo(v int) string {
	if s.n.Arrays[s.p.Values[v].Array].Elem.Size() == s.lane {
		return ""
	}
	t, _ := s.laneInt()
	return t.String()
}

// A heldVector is a vector that registers hold: of the current row, or of the row that it
// overwrites.
type heldVector struct {
	levelVector
	replaced bool
}

// held returns, in a fixed order, the vectors that registers hold from step to step, and for how many
// steps. A vector of the overwritten row that only its own step reads is included, with 0 steps.
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
				if _, needed := backs[x]; needed {
					vectors = append(vectors, x)
				}
			}
		}
	}
	return vectors, backs
}

// deadStores reports whether steps gain if they do not store the current row: registers hold
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

// Place returns where the layout of k has the vector of a value, moved up by some lanes; false if it has none.
func (k *LevelKernel) Place(value, up int) (kernel.LaneValue, bool) {
	p, ok := k.layout.at[levelVector{value, up}]
	return kernel.LaneValue{InBuffer: p.buffer, At: p.at}, ok
}
