package explain

import (
	"loopc/transform/plan"
)

// A Face is the data that leave a column of tiles in one direction.
type Face struct {
	Name string `json:"name"` // "i": to the next column along i; "i+j": across the corner
	Step []int  `json:"step"` // to the neighboring column, per dimension
	// Values are the results that are sent, with their widths along the dimensions of Step.
	Values []FaceValue `json:"values"`
	// Tile is the length in bytes of the face of a whole tile.
	Tile int `json:"tile_bytes"`
	// Largest is the length of the longest message between ranks, which has Report.Sub
	// faces.
	Largest int `json:"largest_message"`
	// Over the whole run, between ranks, and between CPUs of one rank.
	Messages      int64 `json:"messages"`
	Bytes         int64 `json:"bytes"`
	LocalMessages int64 `json:"local_messages"`
	LocalBytes    int64 `json:"local_bytes"`
}

// A FaceValue is a part of a face: the results of one assignment.
type FaceValue struct {
	Name  string `json:"name"`
	Width []int  `json:"width"` // cells, per dimension; 0 along dimensions that the face does not cross
}

// mostFaces bounds the faces that are counted one by one, which takes about a second.
const mostFaces = 2_000_000

// faces describes every direction with a neighbor; counted is false if there are too many
// tiles to count the bytes of each face.
func faces(p *plan.Plan) (out []Face, counted bool) {
	out = []Face{}
	index := map[int]int{} // of a direction in out
	for k, dir := range p.Directions() {
		if !leads(p, dir.Step) {
			continue
		}
		index[k] = len(out)
		f := Face{
			Name: directionName(p, dir.Step), Step: dir.Step, Values: []FaceValue{},
			Tile: p.MessageCapacity(&dir, false), Largest: p.MessageCapacity(&dir, true),
		}
		for v, w := range dir.Width {
			if w != nil {
				f.Values = append(f.Values, FaceValue{p.Nest.Values[v].Name, w})
			}
		}
		out = append(out, f)
	}
	if !countable(p) {
		return out, false
	}
	for _, e := range p.Edges() {
		messages, bytes := traffic(p, &e)
		f := &out[index[e.Dir]]
		switch {
		case e.Remote():
			f.Messages += messages
			f.Bytes += bytes
		case e.CPU[0] != e.CPU[1]:
			f.LocalMessages += messages
			f.LocalBytes += bytes
		}
	}
	return out, true
}

// countable reports whether the faces of p are few enough to count.
func countable(p *plan.Plan) bool {
	return p.Columns() <= mostFaces/max(1, p.Tiles[p.Map]*len(p.Directions()))
}

// traffic is the number of messages and bytes along an edge over the whole run.
func traffic(p *plan.Plan, e *plan.EdgeOf) (messages, bytes int64) {
	s, ok := p.Stream(e)
	if !ok {
		return 0, 0
	}
	first, last := s.Tiles()
	for k := first; k <= last; k++ {
		f := s.Face(k)
		bytes += int64(f.Bytes)
		if f.Ends {
			messages++
		}
	}
	return messages, bytes
}
