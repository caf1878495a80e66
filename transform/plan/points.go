package plan

import (
	"math"
	"slices"
)

// mostRows bounds the rows that Points looks at: about a millisecond's work.
const mostRows = 1 << 14

// mostPoints stands for all greater numbers of iterations.
const mostPoints = 1 << 62

// Points counts the iterations of the run, to show progress. The count is exact if the space is
// a box before skewing or has few rows; otherwise it is estimated from a sample of the rows.
func (p *Plan) Points() (points int64, exact bool) {
	if p.Empty {
		return 0, true
	}
	// Skewing does not change the number of points, and most spaces are boxes before skewing.
	s := p.Space
	if p.Done > 0 {
		s = &Space{Depth: s.Depth, Ineq: append(s.Ineq[:len(s.Ineq):len(s.Ineq)], inequality{-p.Lo[0], append([]int{1}, make([]int, s.Depth-1)...)})}
	}
	s = s.unskewed(p.Nest.Skew)
	lo, hi, ok := s.box()
	if !ok {
		return 0, true
	}
	n := s.Depth
	if s.BoxInside(lo, hi) {
		cells := 1.0
		for k := range lo {
			cells *= float64(hi[k] - lo[k] + 1)
		}
		if cells >= mostPoints {
			return mostPoints, false
		}
		return int64(BoxCells(lo, hi)), true
	}
	// Visit the rows, every stride-th along each outer loop.
	stride := make([]int, n)
	rows, each := 1, 1.0
	for k := range stride {
		stride[k] = 1
	}
	count := func() int {
		rows = 1
		for k := 0; k < n-1; k++ {
			rows *= min(CeilDiv(hi[k]-lo[k]+1, stride[k]), 2*mostRows)
			if rows > mostRows {
				return rows
			}
		}
		return rows
	}
	for count() > mostRows {
		widest := 0
		for k := 0; k < n-1; k++ {
			if (hi[k]-lo[k]+1)/stride[k] > (hi[widest]-lo[widest]+1)/stride[widest] {
				widest = k
			}
		}
		stride[widest] *= 2
		each *= 2
	}
	q := make([]int, n)
	for k := 0; k < n-1; k++ {
		q[k] = lo[k] + (stride[k]-1)/2
	}
	sum := 0.0
	for {
		a, b := s.Span(q, lo[n-1], hi[n-1])
		sum += float64(max(0, b-a+1))
		k := n - 2
		for ; k >= 0; k-- {
			if q[k] += stride[k]; q[k] <= hi[k] {
				break
			}
			q[k] = lo[k] + (stride[k]-1)/2
		}
		if k < 0 {
			sum *= each
			return int64(min(math.Round(sum), mostPoints)), each == 1 && sum < 1<<53
		}
	}
}

// LevelSides returns the number of levels, and along each further coordinate the number of iterations of the smallest box that
// holds each level, shifted back by the slope of the coordinate times the level.
func (p *Plan) LevelSides(slopes []int) []int {
	frame := make([][]int, p.Space.Depth) // of the plan's coordinates, over those of the box
	for x := range frame {
		frame[x] = make([]int, p.Space.Depth)
		frame[x][0] = slopes[x]
		frame[x][x] = 1
	}
	sides := make([]int, p.Space.Depth)
	lo, hi, ok := p.Space.unskewed(frame).box()
	for x := range sides {
		if sides[x] = 1; ok {
			sides[x] = max(1, hi[x]-lo[x]+1)
		}
	}
	return sides
}

// ReadsUnwritten reports whether iterations may read, at a flow distance, from a place without an iteration that is at level
// first or later. The first coordinate is the level. Guards are not taken into account.
func (p *Plan) ReadsUnwritten(first int) bool {
	for v := range p.Nest.Values {
		for _, d := range p.Nest.Values[v].Flow {
			if p.Space.readsUnwritten(d, first) {
				return true
			}
		}
	}
	return false
}

func (s *Space) readsUnwritten(d []int, first int) bool {
	back := make([]int, s.Depth)
	for x := range d {
		back[x] = -d[x]
	}
	level := make([]int, s.Depth)
	level[0] = 1
	for _, violated := range s.Leaving(back).Ineq {
		outside := inequality{C: -violated.C - 1, A: make([]int, s.Depth)}
		for x, c := range violated.A {
			outside.A[x] = -c
		}
		reads := &Space{Depth: s.Depth, Ineq: append(slices.Clone(s.Ineq), inequality{-d[0] - first, level}, outside)}
		if _, _, ok := reads.box(); ok {
			return true
		}
	}
	return false
}

// unskewed returns the same space over the coordinates j with p = T·j.
func (s *Space) unskewed(skew [][]int) *Space {
	out := &Space{Depth: s.Depth}
	for i := range s.Ineq {
		q := inequality{C: s.Ineq[i].C, A: make([]int, s.Depth)}
		for r, c := range s.Ineq[i].A {
			for k, t := range skew[r] {
				q.A[k] += c * t
			}
		}
		out.Ineq = append(out.Ineq, q)
	}
	return out
}
