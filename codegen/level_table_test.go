package codegen_test

import (
	"math"
	"math/rand/v2"

	"loopc/ir"
	"loopc/runtime/kernel"
)

// A levelTable is a table of a model: a region with its cells, and its dimensions.
type levelTable struct {
	region, cells       int
	elem                ir.Type
	index               string // the type of lanes' subscripts
	least, most, stride []int
}

// tables makes the tables of the kernel, with dimensions of their own.
func (m *levelModel) makeTables(rng *rand.Rand) {
	m.tables, m.narrow = map[int]*levelTable{}, map[int]int{}
	for _, p := range m.y.Params {
		x := m.tables[p.Param]
		if p.Part != "" && x == nil {
			a := &m.b.n.Arrays[p.Param]
			x = &levelTable{elem: a.Elem, stride: make([]int, len(a.Lo)), least: make([]int, len(a.Lo))}
			for range a.Lo {
				x.most = append(x.most, max(1, kernel.LoadedBytes/a.Elem.Size())-1+rng.IntN(7))
			}
			m.tables[p.Param] = x
		}
		switch p.Part {
		case kernel.TableLeast:
			x.least[p.Dim] = rng.IntN(9) - 4
		case kernel.TableMost:
			x.index = p.Elem
		case kernel.TableStride:
			x.stride[p.Dim] = -1 // not 1
		}
	}
	for _, x := range m.tables {
		cells := 1
		for _, unset := range []int{0, -1} { // first the dimension along which cells are neighbors
			for d := range x.most {
				if x.stride[d] == unset {
					x.stride[d], cells = cells, cells*(x.most[d]+1)
				}
			}
		}
		x.region, x.cells = len(m.regions), cells
		lanes := make([]uint64, cells)
		for k := range lanes {
			if lanes[k] = randomLane(rng, x.elem); x.elem.Size() < 4 {
				lanes[k] &= 1<<(8*x.elem.Size()) - 1
			}
		}
		m.regions, m.types = append(m.regions, lanes), append(m.types, x.elem)
		m.narrow[x.region] = x.elem.Size()
	}
}

// part is a number of a table in the frame.
func (x *levelTable) part(p kernel.LaneParam) int {
	if p.Part == kernel.TableLast {
		return x.cells - kernel.LoadedBytes/x.elem.Size()
	}
	number := map[kernel.TablePart][]int{kernel.TableLeast: x.least, kernel.TableMost: x.most, kernel.TableStride: x.stride}[p.Part][p.Dim]
	if p.Elem == "float64" {
		return int(math.Float64bits(float64(number)))
	}
	return number
}

// lookup returns the cell that lanes find, and bits that are not 0 if a subscript is wrong.
func (m *levelModel) lookup(e *ir.Lookup, subs []int64) (cell laneValue, wrong uint64) {
	x, at := m.tables[e.Array], 0
	for d, sub := range subs {
		y, most := sub-int64(x.least[d]), int64(x.most[d])
		clamped := max(0, min(y, most))
		switch x.index {
		case "int32":
			clamped = int64(min(uint32(y), uint32(most)))
			wrong |= uint64(int64(int32(y) ^ int32(clamped)))
		case "float64":
			wrong |= math.Float64bits(float64(y)) ^ math.Float64bits(float64(clamped))
		default:
			wrong |= uint64(y ^ clamped)
		}
		at += int(clamped) * x.stride[d]
	}
	if m.y.Size == 4 {
		wrong = uint64(uint32(wrong))
	}
	return laneOf(x.elem, m.regions[x.region][at]), wrong
}

// reducedLane is what r makes of two values.
func reducedLane(r *ir.Reduce, x, y uint64) uint64 {
	switch r.Type {
	case ir.Float64:
		return math.Float64bits(extremeOf(r.Op, math.Float64frombits(x), math.Float64frombits(y)))
	case ir.Float32:
		return uint64(math.Float32bits(extremeOf(r.Op, math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y)))))
	}
	if r.Op == ir.ReduceSum {
		return uint64(uint32(x + y))
	}
	return uint64(uint32(extremeOf(r.Op, int32(x), int32(y))))
}
