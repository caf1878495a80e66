package plan

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

// OneBlock reports whether the columns of a worker share a block: no level outlasts
// a tile, or no column begins before the one before it has ended.
func (p *Plan) OneBlock() bool { return p.Map != 0 || p.Chunked() }

// Stored reports whether results of value v outlive their iteration.
func (p *Plan) Stored(v int) bool {
	return len(p.Nest.Values[v].Flow) > 0 || p.Nest.Arrays[p.Nest.Values[v].Array].Returned()
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
