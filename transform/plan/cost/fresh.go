package cost

import "loopc/transform/plan"

// freshMemory is the number of bytes of results and of skewed storage that the slowest CPU of a rank touches for the first time.
// All CPUs touch results as they compute. Before that, they touch the storage together, but the system supplies pages only
// about half as fast as they ask.
func freshMemory(p *plan.Plan) (bytes float64) {
	if p.Empty {
		return 0
	}
	cpus := float64(plan.Product(p.Mesh))
	bytes = freshResults(p) / float64(plan.Product(p.Grid)) / cpus
	if p.KeepsWhole() {
		bytes += float64(p.WholeBytes()) / ((1 + cpus) / 2)
	}
	return bytes
}

// freshResults is the size of the arrays that a run of p gives back and is not given. The results of other arrays lie where
// these are given.
func freshResults(p *plan.Plan) (bytes float64) {
	for k := range p.Nest.Arrays {
		if a := &p.Nest.Arrays[k]; a.Returned() && a.Role != plan.InOut {
			_, extent := a.SliceExtent(p.Params)
			bytes += extentBytes(a, extent)
		}
	}
	return bytes
}
