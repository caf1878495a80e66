package codegen_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"loopc/ir"
	"loopc/runtime/kernel"
	"loopc/testdata/lanesrun"
)

// job returns the calls.
func (m *levelModel) job(isa string) lanesrun.Job {
	j := lanesrun.Job{Nest: m.b.name, ISA: isa, Many: m.many}
	for k, r := range m.regions {
		j.Regions = append(j.Regions, m.bytes(k, r))
	}
	for _, part := range [][2]int{{0, m.split}, {m.split, m.steps}} {
		if part[0] < part[1] {
			j.Calls = append(j.Calls, lanesrun.Call{Frame: m.frame(part[0], part[1]-part[0])})
		}
	}
	return j
}

// size is the bytes of a lane of a region.
func (m *levelModel) size(region int) int {
	if m.narrow[region] > 0 {
		return m.narrow[region]
	}
	if m.types[region] == ir.Uint8 {
		return 1
	}
	return m.y.Size
}

func (m *levelModel) bytes(region int, lanes []uint64) []byte {
	var out []byte
	for _, x := range lanes {
		switch m.size(region) {
		case 1:
			out = append(out, byte(x))
		case 2:
			out = binary.LittleEndian.AppendUint16(out, uint16(x))
		case 4:
			out = binary.LittleEndian.AppendUint32(out, uint32(x))
		default:
			out = binary.LittleEndian.AppendUint64(out, x)
		}
	}
	return out
}

// frame returns the frame of a call for steps from the given one on.
func (m *levelModel) frame(from, steps int) []lanesrun.Word {
	y := *m.y
	y.Streams = m.chains
	f := make([]lanesrun.Word, y.FrameWords())
	number := func(k, x int) { f[k] = lanesrun.Word{Region: -1, Value: x} }
	for k := range f {
		number(k, 0)
	}
	number(kernel.FrameSteps, steps)
	number(kernel.FrameFull0, min(max(m.full0-from, 0), steps))
	number(kernel.FrameFull1, min(max(m.full1-from, 0), steps))
	number(kernel.FrameNeeded, min(max(min(m.kept, m.full1)-from, 0), steps))
	if m.idle > 0 {
		number(kernel.FrameTail, 1<<m.idle)
	}
	for k, p := range y.Params {
		switch p.Part {
		case "":
		case kernel.TableCells:
			f[y.FrameParam(k)] = lanesrun.Word{Region: m.tables[p.Param].region}
			continue
		default:
			number(y.FrameParam(k), m.tables[p.Param].part(p))
			continue
		}
		x := m.params[p.Param]
		switch p.Elem {
		case "float32":
			x = int(math.Float32bits(float32(x)))
		case "float64":
			x = int(math.Float64bits(float64(x)))
		}
		number(y.FrameParam(k), x)
	}
	for c := range m.chains {
		at := func(word, region, lane int) {
			f[y.FrameStream(c)+word] = lanesrun.Word{Region: region, Value: lane * m.size(region)}
		}
		number(y.FrameStream(c)+kernel.StreamStep, m.first[c]+from)
		at(kernel.StreamBounds, m.bounds[c], 0)
		for k, r := range m.ring[c] {
			at(y.StreamRow(k), r, (m.back+from)*y.Buffered*y.Count)
		}
		if y.Current > 0 {
			at(kernel.StreamCurrent, m.now[c], (m.back+from)*y.Current*y.Count)
		}
		for k := range y.CarryIn {
			at(y.StreamCarryIn(k), m.planes[c][k], m.insert(k)+from)
			at(y.StreamCarryOut(k), m.planes[c][k], m.out(k)-m.before(k)+from)
		}
		for k, g := range y.Given {
			at(y.StreamGiven(k), m.given[c][k], m.givenLane(g, from))
		}
		if y.Accumulators() > 0 {
			at(y.StreamReduced(), m.reduced[c], 0)
		}
		for k, i := range y.Indices {
			number(y.FrameStream(c)+y.StreamIndex(k), m.index[c][k]+from*i.At.Iters[len(i.At.Iters)-1])
		}
	}
	return f
}

// differs describes the first lane of memory that is not as in the model; all NaNs
// count as equal.
func (m *levelModel) differs(got [][]byte) string {
	for r, want := range m.regions {
		now := slices.Contains(m.now, r)
		for k, x := range want {
			if now {
				if step := k/(m.y.Current*m.y.Count) - m.back; m.full0 <= step && step < m.kept {
					continue
				}
			}
			var g uint64
			nan := false
			switch m.size(r) {
			case 1:
				g = uint64(got[r][k])
			case 2:
				g = uint64(binary.LittleEndian.Uint16(got[r][2*k:]))
			case 4:
				g = uint64(binary.LittleEndian.Uint32(got[r][4*k:]))
				nan = math.Float32frombits(uint32(g)) != math.Float32frombits(uint32(g)) && math.Float32frombits(uint32(x)) != math.Float32frombits(uint32(x))
			default:
				g = binary.LittleEndian.Uint64(got[r][8*k:])
				nan = math.IsNaN(math.Float64frombits(g)) && math.IsNaN(math.Float64frombits(x))
			}
			if g != x && !nan {
				return fmt.Sprintf("region %d (rings %v, now %v, planes %v), lane %d: %#x, want %#x; %d steps, the first call %d; %+v", r, m.ring, m.now, m.planes, k, g, x, m.steps, m.split, *m.y)
			}
		}
	}
	return ""
}

// randomLane returns bits of a lane: often special ones.
func randomLane(rng *rand.Rand, t ir.Type) uint64 {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -1e-310, 1e-40, 3e38, -1.7e308, 1, -1, 2147483648, -3e9}
	x := rng.NormFloat64() * 10
	if rng.IntN(4) == 0 {
		x = special[rng.IntN(len(special))]
	}
	if rng.IntN(4) == 0 { // large, or about the least normal number
		x *= math.Ldexp(1, []int{100, 1000, -126 + rng.IntN(5) - 2, -1022 + rng.IntN(5) - 2}[rng.IntN(4)])
	}
	switch t {
	case ir.Float64:
		return math.Float64bits(x)
	case ir.Float32:
		return uint64(math.Float32bits(float32(x)))
	}
	if t.Integer() && t.Size() < 4 {
		cell := t.Cell()
		return uint64(uint32(cell.Wrapped([]int64{0, 1, -1, cell.Lo, cell.Hi, cell.Hi/2 + 1}[rng.IntN(6)])))
	}
	if t == ir.Int64 {
		return uint64(int64(rng.Uint64()) >> rng.IntN(64))
	}
	if rng.IntN(4) == 0 {
		return uint64(rng.Uint32())
	}
	return uint64(uint32(rng.IntN(9) - 4))
}
