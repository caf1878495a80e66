package plan

// A Memory is what a rank needs for a plan, in bytes.
type Memory struct {
	Levels  int64 `json:"levels"`  // live levels of all values: blocks, and what columns carry from tile to tile
	Faces   int64 `json:"faces"`   // slots of its edges
	Given   int64 `json:"given"`   // GivenBox of the given arrays
	Results int64 `json:"results"` // ResultBox of those given back
}

// Total is the sum.
func (m Memory) Total() int64 {
	return AddBytes(AddBytes(m.Levels, m.Faces), AddBytes(m.Given, m.Results))
}

// MostBytes stands for all numbers of bytes from there on, so that none wraps around.
const MostBytes = 1 << 60

// AddBytes adds numbers of bytes, up to 2^60.
func AddBytes(a, b int64) int64 { return min(min(a, MostBytes)+min(b, MostBytes), MostBytes) }

// BytesOf multiplies numbers of cells and their size, up to 2^60 bytes.
func BytesOf(factors ...int) int64 {
	bytes := int64(1)
	for _, f := range factors {
		if f <= 0 {
			return 0
		}
		if bytes > MostBytes/int64(f) {
			bytes = MostBytes // a later factor may be 0
			continue
		}
		bytes *= int64(f)
	}
	return bytes
}

// Memory returns what a rank of p needs. What a kernel keeps beside the levels, and
// what the program is itself, comes on top.
func (p *Plan) Memory(rank int) Memory {
	var m Memory
	for _, e := range p.EdgesOf(rank) {
		m.Faces = AddBytes(m.Faces, p.slotBytes(&e))
	}
	p.own(rank, &m)
	return m
}

// Memories returns what each rank of p needs.
func (p *Plan) Memories() []Memory {
	all := make([]Memory, p.Ranks)
	p.eachSlots(func(from, to int, bytes int64) {
		all[from].Faces = AddBytes(all[from].Faces, bytes)
		if from != to { // slots of an edge between two are there at both ends
			all[to].Faces = AddBytes(all[to].Faces, bytes)
		}
	})
	for rank := range all {
		p.own(rank, &all[rank])
	}
	return all
}

// slotBytes is what the slots of an edge take, at one of its ends.
func (p *Plan) slotBytes(e *EdgeOf) int64 {
	if _, ok := p.Stream(e); !ok {
		return 0
	}
	return BytesOf(e.Slots, p.MessageCapacity(&p.dirs[e.Dir], e.Remote()))
}

// own adds to m what a rank has beside its faces.
func (p *Plan) own(rank int, m *Memory) {
	if p.whole {
		if rank == 0 && !p.Empty {
			m.Levels = int64(p.wholeBytes())
		}
	} else if rank < product(p.Grid) {
		for cpu := range product(p.Mesh) {
			if columns := len(p.WorkerColumns(rank, cpu)); columns > 0 {
				m.Levels = AddBytes(m.Levels, int64(p.WorkerBytes(columns)))
			}
		}
	}
	mine := p.rankBox(rank)
	for k := range p.Nest.Arrays {
		a := &p.Nest.Arrays[k]
		if a.Role == In || a.Role == InOut {
			m.Given = AddBytes(m.Given, boxBytes(p.givenBox(mine, k), a.Size))
		}
		if a.Returned() {
			m.Results = AddBytes(m.Results, boxBytes(p.resultBox(mine, k), a.Size))
		}
	}
}

// boxBytes is what the cells of b, of size bytes each, take.
func boxBytes(b box, size int) int64 {
	if b.empty() {
		return 0
	}
	bytes := int64(size)
	for k := range b.lo {
		bytes = BytesOf(int(bytes), b.hi[k]-b.lo[k]+1)
	}
	return bytes
}

// OneBlock reports whether the columns of a worker share a block: no level outlasts
// a tile, or no column begins before the one before it has ended.
func (p *Plan) OneBlock() bool { return p.Map != 0 || p.Chunked() }

// WorkerBytes is the memory of a worker with the given number of columns for live
// levels, faces not included.
func (p *Plan) WorkerBytes(columns int) int {
	bytes := p.blockBytes()
	if !p.OneBlock() {
		return int(BytesOf(columns, bytes))
	}
	if p.Chunked() {
		columns = 1 // one after the other, in the same memory
	}
	for v := range p.Nest.Values {
		bytes = int(AddBytes(int64(bytes), BytesOf(columns, p.CarryBytes(v))))
	}
	return bytes
}

// Stored reports whether results of value v outlive their iteration.
func (p *Plan) Stored(v int) bool {
	return len(p.Nest.Values[v].Flow) > 0 || p.Nest.Arrays[p.Nest.Values[v].Array].Returned()
}

// blockBytes is the memory of a block.
func (p *Plan) blockBytes() int {
	cells := p.BlockLayout(make([]int, len(p.Side)))
	bytes := 0
	for v := range p.Nest.Values {
		if val := &p.Nest.Values[v]; p.Stored(v) {
			bytes += val.Levels() * cells * p.Nest.Arrays[val.Array].Size
		}
	}
	return bytes
}

// CarryBytes is the size of what a column carries of value v from a tile to the
// next.
func (p *Plan) CarryBytes(v int) int {
	if !p.Carry() {
		return 0
	}
	reach := 0
	for _, d := range p.Nest.Values[v].Flow {
		reach = max(reach, d[p.Map])
	}
	bytes := reach * p.Nest.Arrays[p.Nest.Values[v].Array].Size
	for x, s := range p.Side {
		if x != p.Map {
			bytes = int(BytesOf(bytes, s+p.Margin[x]))
		}
	}
	return bytes
}

// BlockLayout writes the strides of a block of p's tiles, in cells, and returns the
// cells of a level. Rows and levels are kept from lying near a multiple of 4096
// bytes from one another: the processor compares the low twelve bits of a load
// with those of stores under way, and would take the neighboring row for the
// row being written.
func (p *Plan) BlockLayout(stride []int) (cells int) {
	size := 1
	for _, a := range p.Nest.Arrays {
		size = max(size, a.Size)
	}
	cells = 1
	for x := len(p.Side) - 1; x >= 1; x-- {
		stride[x] = cells
		cells = Apart(cells*(p.Side[x]+p.Margin[x]), size, 1)
	}
	return cells
}

// Apart returns at least n cells of size bytes, a multiple of unit, such that rows of so
// many do not lie near a multiple of 4096 bytes from one another: see BlockLayout.
func Apart(n, size, unit int) int {
	const near = 512 // bytes
	n = CeilDiv(n, unit) * unit
	if past := (n*size + near) % 4096; n*size > 2048 && past < 2*near {
		n = CeilDiv(n+CeilDiv(2*near-past, size), unit) * unit
	}
	return n
}
