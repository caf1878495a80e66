package transform

import (
	"slices"

	"loopc/transform/plan"
)

// keepsWhole reports whether levels of a nest are to be kept whole: some level needs
// one before it, no iteration needs one before it in its row, so that lanes lie along
// rows, which want to be long, and cells outside the space have their initial content.
func keepsWhole(p *plan.Nest) bool {
	for v := range p.Values {
		if len(p.Values[v].Fallbacks) > 0 {
			return false
		}
		for _, d := range p.Values[v].Flow {
			if last := len(d) - 1; !slices.ContainsFunc(d[:last], func(x int) bool { return x != 0 }) {
				return false
			}
		}
	}
	for _, a := range p.Arrays {
		if a.Edges != nil {
			return false
		}
	}
	return p.Margin()[0] > 0
}
