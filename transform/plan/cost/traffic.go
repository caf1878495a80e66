package cost

import "loopc/transform/plan"

// mostFaces bounds the faces that Traffic counts one by one. If there are more, each face counts as the longest of its direction.
const mostFaces = 1 << 16

// Traffic returns the bytes of faces that each pair of ranks exchanges. Entries [a][b] and [b][a]
// are equal: the sum of both directions. For runs of very many tiles it is an upper bound.
func Traffic(p *plan.Plan) [][]int64 {
	t := make([][]int64, p.Ranks)
	cells := make([]int64, p.Ranks*p.Ranks)
	for a := range t {
		t[a] = cells[a*p.Ranks : (a+1)*p.Ranks]
	}
	edges := p.Edges()
	exact := p.Empty || len(edges)*p.Tiles[p.Map] <= mostFaces
	for _, e := range edges {
		if !e.Remote() {
			continue
		}
		s, ok := p.Stream(&e)
		if !ok {
			continue
		}
		var bytes int64
		first, last := s.Tiles()
		if exact {
			for k := first; k <= last; k++ {
				bytes += int64(s.Face(k).Bytes)
			}
		} else {
			bytes = int64(last-first+1) * int64(p.MessageCapacity(s.Dir, false))
		}
		t[e.Rank[0]][e.Rank[1]] += bytes
		t[e.Rank[1]][e.Rank[0]] += bytes
	}
	return t
}
