package vector

import (
	"slices"

	"loopc/ir"
)

// A use is a read of a stream, some rows and columns before the iteration.
type use struct{ read, row, col int }

// skewed assigns streams to reads for the wavefront scheme. The reads of one value at one level share
// a stream, whatever their rows and columns: each reads the vector of some step, shifted by some lanes.
func (s *Shape) skewed() {
	uses := map[int][]use{}
	s.eachRead(func(r *ir.Read, from ir.ReadFrom) {
		if from.From == ir.FromInitial {
			a := s.given(r)
			uses[a.stream] = append(uses[a.stream], use{r.ID, 0, a.back})
			return
		}
		row, col := from.Dist[s.last-1], from.Dist[s.last]
		if from.Dist[:s.last-1].Sign() == 0 { // of rows that are computed together
			if s.store[from.Value] < 0 {
				panic("BUG: vector: a value without storage is read")
			}
			if col < 1 {
				s.skew = 1
			}
			uses[s.store[from.Value]] = append(uses[s.store[from.Value]], use{r.ID, row, col})
			return
		}
		dist := slices.Clone(from.Dist)
		dist[s.last-1], dist[s.last] = 0, 0
		k := s.stream(Stream{Memory: Live, Value: from.Value, Dist: dist, Elem: r.T, Along: 1, self: -1})
		uses[k] = append(uses[k], use{r.ID, row, col})
	})
	for k := range s.Streams {
		if x := &s.Streams[k]; x.Elem.Size() != s.lane {
			refuse("%s values are wider or narrower than the results", x.Elem)
		}
	}
	s.assign(uses)
}

// assign says for each read which vector of its stream it takes, by how many lanes shifted, and for each stream which
// cells are read.
func (s *Shape) assign(uses map[int][]use) {
	for k := range s.Streams {
		x := &s.Streams[k]
		all := uses[k]
		if len(all) == 0 {
			continue
		}
		own := x.self >= 0
		rows, offset := 0, 0
		if !own {
			// The vectors of the stream are those of the nearest row and column.
			rows = all[0].row
			for _, u := range all {
				rows = min(rows, u.row)
			}
			offset = s.skew*(all[0].row-rows) + all[0].col
			for _, u := range all {
				offset = min(offset, s.skew*(u.row-rows)+u.col)
			}
			if x.Memory == Live {
				x.Dist[s.last-1], x.Dist[s.last] = rows, offset
			} else if x.Along != 0 {
				x.Subs[s.rowDim(x.Array)].Const = -x.Along * offset
				if m, c := s.rowSub(x.Subs, x.Array); m >= 0 && s.front {
					x.Subs[m].Const -= c * rows
				}
			}
		}
		most, least := all[0].col, all[0].col
		for _, u := range all {
			lanes := u.row - rows
			back := s.skew*lanes + u.col - offset
			if own && back < 1 {
				panic("BUG: vector: the wavefront is not legal")
			}
			s.reads[u.read] = access{stream: k, back: back, lanes: lanes}
			x.history, x.shift = max(x.history, back), max(x.shift, lanes)
			most, least = max(most, u.col), min(least, u.col)
		}
		x.first, x.beyond = offset-most, offset-least
		if own {
			x.first, x.beyond = -most, max(0, -least)
		}
	}
}
