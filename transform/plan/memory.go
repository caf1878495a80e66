package plan

import "slices"

// MostBytes stands for itself and for all greater numbers of bytes, so that sums do not overflow.
const MostBytes = 1 << 60

// AddBytes adds numbers of bytes; the sum stops at MostBytes.
func AddBytes(a, b int64) int64 { return min(min(a, MostBytes)+min(b, MostBytes), MostBytes) }

// BytesOf multiplies numbers of cells and their size; the product stops at MostBytes.
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

// OneBlock reports whether the columns of a worker share a block: either no level outlives a tile, or columns run one after the other.
func (p *Plan) OneBlock() bool { return p.Map != 0 || p.Chunked() }

// Blocks is how many blocks a worker with these columns needs: one that all share, or else as many
// as there are columns between their first and their last tiles at one time.
func (p *Plan) Blocks(columns []int) int {
	if p.OneBlock() {
		return min(1, len(columns))
	}
	n := len(p.Tiles)
	col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
	begin, end := make([]int, 0, len(columns)), make([]int, 0, len(columns))
	for _, c := range columns {
		p.ColumnAt(c, col)
		if first, last := p.Active(col, lo, hi); first <= last {
			begin, end = append(begin, first), append(end, last)
		}
	}
	slices.Sort(begin)
	slices.Sort(end)
	most, ended := 0, 0
	for k, first := range begin {
		for end[ended] < first {
			ended++
		}
		most = max(most, k+1-ended)
	}
	return most
}

// Stored reports whether a later iteration or the caller reads results of value v.
func (p *Plan) Stored(v int) bool {
	return len(p.Nest.Values[v].Flow) > 0 || p.Nest.Arrays[p.Nest.Values[v].Array].Returned()
}

// CarryBytes is the size of the cells of value v that a column carries from a tile to the next.
func (p *Plan) CarryBytes(v int) int {
	if !p.carry {
		return 0
	}
	reach := 0
	for _, d := range p.Nest.Values[v].Flow {
		reach = max(reach, d[p.Map])
	}
	bytes := reach * p.Nest.Arrays[p.Nest.Values[v].Array].Size
	for x, s := range p.Side {
		if x != p.Map {
			bytes = int(BytesOf(bytes, s+p.HaloWidth[x]))
		}
	}
	return bytes
}

// contracted returns a dimension along which all rows of a block share their cells, or 0. An accumulator such as C in C[i,j] = C[i,j] +
// A[i,k]*B[k,j] has one: each result replaces the only one that it reads, and those of the last row alone are returned.
func (p *Plan) contracted() int {
	nest := p.Nest
	// Of several values, one may be read after it has been replaced; so may the value of a reduction.
	if p.KeepsWhole() || len(nest.Values) != 1 || len(nest.Reduces) > 0 || !p.Space.BoxInside(p.Lo, p.Hi) {
		return 0
	}
	v := &nest.Values[0]
	if len(v.Flow) != 1 || len(v.Fallbacks) > 0 {
		return 0
	}
	by := v.Flow[0]
	at := slices.Index(by, 1) // the only dimension along which results replace one another; neither 0 nor that of rows
	for x, d := range by {
		if x != at && d != 0 {
			return 0
		}
	}
	overwrites := slices.ContainsFunc(v.Overwrites, func(o []int) bool { return slices.Equal(o, by) })
	if at < 1 || at == len(by)-1 || !overwrites {
		return 0
	}
	return at
}

// BlockLayout writes the strides of a block of p's tiles, in cells, and returns the cells of a level. The stride of the contracted
// dimension is 0. Rows and levels do not lie near a multiple of 4096 bytes from one another: the processor compares only the low twelve
// bits of a load with those of pending stores, and would mistake a neighboring row for the row being written.
func (p *Plan) BlockLayout(stride []int) (cells int) {
	size := 1
	for _, a := range p.Nest.Arrays {
		size = max(size, a.Size)
	}
	cells = 1
	contracted := p.contracted()
	for x := len(p.Side) - 1; x >= 1; x-- {
		if x == contracted {
			stride[x] = 0
			continue
		}
		stride[x] = cells
		cells = Apart(cells*(p.Side[x]+p.HaloWidth[x]), size, 1)
	}
	return cells
}

// Apart returns at least n cells of size bytes, a multiple of unit, such that rows of that
// length do not lie near a multiple of 4096 bytes from one another: see BlockLayout.
func Apart(n, size, unit int) int {
	const near = 512 // bytes
	n = CeilDiv(n, unit) * unit
	if past := (n*size + near) % 4096; n*size > 2048 && past < 2*near {
		n = CeilDiv(n+CeilDiv(2*near-past, size), unit) * unit
	}
	return n
}
