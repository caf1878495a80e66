package halo

import (
	"fmt"

	"loopc/transform/plan"
)

// A Face is one message of a tile: its slot, and the boxes of cells packed there.
type Face struct {
	Slot []byte // nil: this tile has no face here
	dir  *plan.Direction
	lo   [][]int // per value: box of cells, undefined where has is false
	hi   [][]int
	has  []bool
	part [][]byte // per value: its part of Slot
	earlyFace
}

// NewFace prepares a face in the given direction.
func NewFace(p *plan.Plan, dir *plan.Direction) *Face {
	f := &Face{dir: dir}
	for range p.Nest.Values {
		f.lo = append(f.lo, make([]int, len(p.Side)))
		f.hi = append(f.hi, make([]int, len(p.Side)))
	}
	f.has = make([]bool, len(f.lo))
	f.part = make([][]byte, len(f.lo))
	return f
}

// Lay places the face in slot, for tile k of the sending column at from, and returns the length of the face in bytes. It fails if the slot
// is shorter.
func (f *Face) Lay(p *plan.Plan, from []int, k int, slot []byte) (int, error) {
	at := 0
	f.Slot = slot
	for v := range f.lo {
		f.has[v] = p.PointsBox(from, k, f.lo[v], f.hi[v]) && p.FaceBox(from, f.dir, v, f.lo[v], f.hi[v])
		if !f.has[v] {
			continue
		}
		bytes := p.Nest.Arrays[p.Nest.Values[v].Array].Size
		for x := range f.lo[v] {
			bytes *= f.hi[v][x] - f.lo[v][x] + 1
		}
		if at+bytes > len(slot) {
			return 0, fmt.Errorf("face of %d bytes or more in a slot of %d", at+bytes, len(slot))
		}
		f.part[v] = slot[at : at+bytes]
		at += bytes
	}
	return at, nil
}
