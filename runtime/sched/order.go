package sched

import (
	"slices"
	"time"

	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// ordered returns fields for a run of nest k. They have copies in place of given arrays whose rows do not lie along the last dimension
// (plan.Array.RowDim); the rows of a copy do. The time to allocate memory for the copies goes into sum.
func (r *Rank) ordered(k int, p *plan.Plan, fields kernel.Fields, sum *Summary) kernel.Fields {
	copied := false
	for a := range p.Nest.Arrays {
		arr, view := &p.Nest.Arrays[a], &fields.Given[a]
		need := r.need(p, k, a)
		if arr.RowDim == 0 || need.Empty() || view.Cells() == 0 {
			continue
		}
		if !copied {
			fields.Given, copied = slices.Clone(fields.Given), true
		}
		began := time.Now()
		memory := r.orderedMemory(k, a, view.Size*need.Cells())
		sum.Prepare += time.Since(began).Seconds()
		fields.Given[a] = view.Ordered(len(arr.Lo)-1-arr.RowDim, need.Lo, need.Hi, memory, plan.Product(p.Mesh))
	}
	return fields
}

// orderedMemory returns memory of the given size for a copy of array a; if nest k runs again, its next run gets the same memory.
func (r *Rank) orderedMemory(k, a, size int) []byte {
	key := [2]int{k, a}
	memory := r.spares.ordered[key]
	if len(memory) == size {
		return memory
	}
	memory = r.crew.memory.LargeBytes(size, plan.Product(r.plans[k].Mesh))
	if r.keepsMemory(k) || r.couple.Coupling != nil {
		if r.spares.ordered == nil {
			r.spares.ordered = map[[2]int][]byte{}
		}
		r.spares.ordered[key] = memory
	}
	return memory
}
