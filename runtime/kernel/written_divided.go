package kernel

import "loopc/transform/plan"

// Divided returns the coordinate along which a vector kernel's iterations are divided among the CPUs of p, and the
// number of CPUs; -1 and 1 if one CPU computes them all.
func (l AsLoops) Divided(p *plan.Plan) (x, cpus int) {
	points, _ := p.Points()
	seconds, _, vector, front := l.iteration(p, points)
	if !vector || front || p.CPUs < 2 || seconds*float64(points) < leastShared*shareWork {
		return -1, 1
	}
	for _, x := range l.Apart {
		if p.Hi[x]-p.Lo[x]+1 >= 2*p.CPUs {
			return x, p.CPUs
		}
	}
	return -1, 1
}

// Fast reports whether the runs of the nest of p take less time if a vector kernel computes their rows.
func (l AsLoops) Fast(p *plan.Plan) bool {
	points, _ := p.Points()
	_, _, vector, front := l.iteration(p, points)
	return vector || front
}
