package explain

import "fmt"

// An ownerName names, beside the picture, the owner of the tiles at a height.
type ownerName struct {
	name string
	y    float64
}

// leastApart is how far lines of text must be from one another.
const leastApart = 15.0

// ownerNames names the CPUs beside their columns of tiles; if there are too many CPUs, the
// ranks; if there are too many ranks, every second rank, every fifth, and so on.
func ownerNames(s *cellSpace, f *frame) []ownerName {
	runs := owners(s, f)
	var cpus, ranks []ownerName
	for k, from := 0, 0; k < len(runs); k++ {
		r := runs[k]
		cpus = append(cpus, ownerName{workerName(s.p, r.rank, r.cpu), (r.top + r.bottom) / 2})
		if k+1 == len(runs) || runs[k+1].rank != r.rank {
			ranks = append(ranks, ownerName{fmt.Sprintf("rank %d", r.rank), (runs[from].top + r.bottom) / 2})
			from = k + 1
		}
	}
	if far(cpus) {
		return cpus
	}
	for every := 1; ; every *= 10 {
		for _, n := range []int{every, 2 * every, 5 * every} {
			var sparse []ownerName
			for k := 0; k < len(ranks); k += n {
				sparse = append(sparse, ranks[k])
			}
			if far(sparse) {
				return sparse
			}
		}
	}
}

// far reports whether at most a tenth of the names are too close to the name before. At the
// ends of a space that is no box, some names always are too close.
func far(names []ownerName) bool {
	near := 0
	for k := 1; k < len(names); k++ {
		if names[k].y-names[k-1].y < leastApart {
			near++
		}
	}
	return near <= len(names)/10
}

// An ownerRun is a run of adjacent columns of tiles that one CPU computes.
type ownerRun struct {
	rank, cpu   int
	top, bottom float64
	left, right float64 // the range of x where tiles lie both just above and just below top
}

// owners returns which rank and CPU runs which columns of tiles.
func owners(s *cellSpace, f *frame) []ownerRun {
	var runs []ownerRun
	left, right := f.left, f.left
	for v := range s.size[1] {
		for u := range s.size[0] {
			c := s.cells[key([]int{u, v})]
			if c == nil {
				continue
			}
			top := f.place(0, float64(c.lo[1])-0.5).y
			bottom := f.place(0, float64(c.hi[1])+0.5).y
			for w := u; w < s.size[0]; w++ {
				if d := s.cells[key([]int{w, v})]; d != nil {
					top = min(top, f.place(0, float64(d.lo[1])-0.5).y)
					bottom = max(bottom, f.place(0, float64(d.hi[1])+0.5).y)
				}
			}
			wasLeft, wasRight := left, right
			left, right = f.place(float64(c.lo[0])-0.5, 0).x, f.left
			for w := s.size[0] - 1; w >= u; w-- {
				if d := s.cells[key([]int{w, v})]; d != nil {
					right = f.place(float64(d.hi[0])+0.5, 0).x
					break
				}
			}
			if n := len(runs); n > 0 && runs[n-1].rank == c.rank && runs[n-1].cpu == c.cpu {
				runs[n-1].bottom = bottom
			} else {
				runs = append(runs, ownerRun{c.rank, c.cpu, top, bottom, max(left, wasLeft), min(right, wasRight)})
			}
			break
		}
	}
	return runs
}

// borders2 draws lines between the tiles of ranks.
func borders2(g *picture, s *cellSpace, f *frame) {
	if s.block[1] > 1 {
		return
	}
	runs := owners(s, f)
	for k, r := range runs {
		if k > 0 && runs[k-1].rank != r.rank {
			g.line(point{r.left - 4, r.top}, point{r.right, r.top}, borderClass(f.cell(s, 1)))
		}
	}
}

// borderClass is the CSS class of borders between ranks; thin borders where tiles are thin.
func borderClass(thin float64) string {
	if thin < 12 {
		return "border fine"
	}
	return "border"
}
