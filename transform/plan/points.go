package plan

import "math"

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
