package kernel

import (
	"slices"

	"loopc/transform/plan"
)

// ArrayBytes returns the bytes of each array of a program that the caller has or takes, or that its nests hand on. The items
// of a batch share the memory of one of them. An array whose extent no int can count is an error.
func ArrayBytes(program *plan.Nest, nests []*plan.Nest, params []int) ([]int64, error) {
	all := make([]int64, len(program.Arrays))
	for k := range program.Arrays {
		a := &program.Arrays[k]
		add := func(extent []int) {
			all[k] = plan.AddBytes(all[k], plan.BytesOf(append([]int{a.Size}, extent...)...))
		}
		_, extent, err := a.Extent(params)
		if err != nil {
			return nil, err
		}
		switch {
		case a.Role == plan.In || a.Role == plan.InOut:
			add(extent)
		case a.Role == plan.Internal && slices.ContainsFunc(nests, func(n *plan.Nest) bool { return n.Arrays[k].Role != plan.Internal }):
			if a.Item > 0 {
				extent[a.Item-1] = min(extent[a.Item-1], 1)
			}
			add(extent)
		}
		if _, extent = a.SliceExtent(params); a.Returned() {
			add(extent)
		}
	}
	return all, nil
}
