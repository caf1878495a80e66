package plan

import (
	"iter"
	"slices"
)

// Chunked reports whether a worker runs its columns one after the other, and not one tile of each in turn.
func (p *Plan) Chunked() bool { return dealings[p.Assign].rank != nil }

// Chunks returns C_x, the number of rounds in which the ranks take the groups along dimension x. The
// paper calls the groups of a round a chunk.
func (p *Plan) Chunks(x int) int {
	if x == p.Map || !p.Chunked() {
		return 1
	}
	return CeilDiv(p.Tiles[x], p.Grid[x]*p.Mesh[x])
}

// Place splits a column's coordinate along dimension x into chunk, the number of its round; w, the place
// of its worker in the mesh of all CPUs of the round; and node, the coordinate of the rank that runs it.
func (p *Plan) Place(x, at int) (chunk, w, node int) {
	w = at / p.Block[x]
	deal := dealings[p.Assign].rank
	if deal == nil {
		return 0, w, w / p.Mesh[x]
	}
	workers := p.Grid[x] * p.Mesh[x]
	chunk, w = w/workers, w%workers
	return chunk, w, deal(chunk, w/p.Mesh[x], p.Grid[x])
}

// Worker returns the rank and the CPU that run the column at col. Ranks are numbered in
// lexicographic order of the grid, CPUs in lexicographic order of the mesh.
func (p *Plan) Worker(col []int) (rank, cpu int) {
	for x := range col {
		if x == p.Map {
			continue
		}
		_, w, node := p.Place(x, col[x])
		rank = rank*p.Grid[x] + node
		cpu = cpu*p.Mesh[x] + w%p.Mesh[x]
	}
	return rank, cpu
}

// span is a range of column coordinates, the upper end not included.
type span struct{ lo, hi int }

// spans returns the coordinates along dimension x of the columns that belong to CPU coordinate cpu of rank coordinate node, ascending.
func (p *Plan) spans(x, node, cpu int) []span {
	if x == p.Map {
		return []span{{0, 1}}
	}
	var out []span
	for chunk := range p.Chunks(x) {
		if s := p.span(x, chunk, node, cpu); s.lo < s.hi {
			out = append(out, s)
		}
	}
	return out
}

// span returns the entry of spans for one round, which may be empty. x is not the mapping dimension.
func (p *Plan) span(x, chunk, node, cpu int) span {
	at := node
	if place := dealings[p.Assign].place; place != nil {
		at = place(chunk, node, p.Grid[x])
	}
	w := (chunk*p.Grid[x]+at)*p.Mesh[x] + cpu
	return span{w * p.Block[x], min((w+1)*p.Block[x], p.Tiles[x])}
}

// rankTiles returns the first and the last coordinate along dimension x of the
// columns that belong to rank coordinate node; first > last if there are none.
func (p *Plan) rankTiles(x, node int) (first, last int) {
	if x == p.Map {
		return 0, 0
	}
	first, last = p.Tiles[x], -1
	for cpu := range p.Mesh[x] {
		s := p.span(x, 0, node, cpu)
		if s.lo >= s.hi {
			continue // the spans of later rounds are empty, too
		}
		first = min(first, s.lo)
		for chunk := p.Chunks(x) - 1; chunk > 0; chunk-- {
			if late := p.span(x, chunk, node, cpu); late.lo < late.hi {
				s = late
				break
			}
		}
		last = max(last, s.hi-1)
	}
	return first, last
}

// WorkerColumns returns the columns of one worker, in the order of InOrder.
func (p *Plan) WorkerColumns(rank, cpu int) []int { return slices.Collect(p.eachColumn(rank, cpu)) }

// eachColumn yields WorkerColumns.
func (p *Plan) eachColumn(rank, cpu int) iter.Seq[int] {
	n := len(p.Tiles)
	all := make([][]span, n)
	for x := n - 1; x >= 0; x-- {
		all[x] = p.spans(x, rank%p.Grid[x], cpu%p.Mesh[x])
		rank /= p.Grid[x]
		cpu /= p.Mesh[x]
	}
	return func(yield func(int) bool) {
		if rank > 0 || p.Empty {
			return // beyond the grid: idle
		}
		col := make([]int, n)
		var rec func(x int) bool
		rec = func(x int) bool {
			if x == n {
				return yield(p.columnOf(col))
			}
			for _, s := range all[x] {
				for col[x] = s.lo; col[x] < s.hi; col[x]++ {
					if !rec(x + 1) {
						return false
					}
				}
			}
			return true
		}
		rec(0)
	}
}

// InOrder yields the tiles of a worker in the order in which it runs them: column by column if the plan is Chunked, else one tile of each
// column in turn. columns is the number of its columns; active returns the first and the last tile of a column.
func (p *Plan) InOrder(columns int, active func(column int) (first, last int)) iter.Seq2[int, int] {
	return func(yield func(column, tile int) bool) {
		if p.Chunked() {
			for c := range columns {
				first, last := active(c)
				for k := first; k <= last; k++ {
					if !yield(c, k) {
						return
					}
				}
			}
			return
		}
		var waiting, running []int // columns, by their first tile; in order
		for c := range columns {
			if first, last := active(c); first <= last {
				waiting = append(waiting, c)
			}
		}
		first := func(c int) int { k, _ := active(c); return k }
		slices.SortStableFunc(waiting, func(a, b int) int { return first(a) - first(b) })
		for k := 0; len(waiting)+len(running) > 0; k++ {
			if len(running) == 0 {
				k = first(waiting[0])
			}
			for len(waiting) > 0 && first(waiting[0]) == k {
				at, _ := slices.BinarySearch(running, waiting[0])
				running, waiting = slices.Insert(running, at, waiting[0]), waiting[1:]
			}
			left := running[:0] // the columns that have tiles behind tile k
			for _, c := range running {
				if !yield(c, k) {
					return
				}
				if _, last := active(c); last > k {
					left = append(left, c)
				}
			}
			running = left
		}
	}
}

// tilesOf yields the tiles that a worker runs, in its order: the column of each and its number in the column.
func (p *Plan) tilesOf(rank, cpu int) iter.Seq2[int, int] {
	mine, n := p.WorkerColumns(rank, cpu), len(p.Tiles)
	first, last := make([]int, len(mine)), make([]int, len(mine))
	col, lo, hi := make([]int, n), make([]int, n), make([]int, n)
	for i, c := range mine {
		p.ColumnAt(c, col)
		first[i], last[i] = p.Active(col, lo, hi)
	}
	return func(yield func(column, k int) bool) {
		for c, k := range p.InOrder(len(mine), func(i int) (int, int) { return first[i], last[i] }) {
			if !yield(mine[c], k) {
				return
			}
		}
	}
}
