package sched

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Memory returns the bytes that a rank of p allocates for live levels, faces, copies of given arrays in the order of rows, and the scratch
// memory of the kernel that prog has chosen. Views of arrays are not included. The sum stops at plan.MostBytes.
func Memory(prog *Program, p *plan.Plan, rank int) int64 {
	return MemoryOf(prog, p, rank, cost.MemoryOf(p, rank, math.MaxInt64))
}

// MemoryOf returns what Memory returns, if cost.MemoryOf has returned m for the rank.
func MemoryOf(prog *Program, p *plan.Plan, rank int, m cost.Memory) int64 {
	bytes := plan.AddBytes(plan.AddBytes(m.Levels, m.Faces), m.Ordered)
	if prog.Kernel.Temporal == nil || p.KeepsWhole() || rank >= plan.Product(p.Grid) || bytes == plan.MostBytes {
		return bytes
	}
	lanes := prog.fit(p.Params).Kernel.Temporal
	for cpu := range plan.Product(p.Mesh) {
		if len(p.WorkerColumns(rank, cpu)) > 0 {
			bytes = plan.AddBytes(bytes, int64(halo.LaneBytes(p, lanes)))
		}
	}
	return bytes
}

// memories is the Memory of all ranks together. It stops when ctx ends, because there may be very many.
func memories(ctx context.Context, prog *Program, p *plan.Plan) (all int64, err error) {
	prog = prog.fit(p.Params) // once for all ranks
	for rank := range p.Ranks {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		all = plan.AddBytes(all, Memory(prog, p, rank))
	}
	return all, nil
}

// checkMemory refuses a plan whose rank needs more memory than the machine has, before it allocates any.
func checkMemory(prog *Program, p *plan.Plan, rank int) error {
	need, limit := Memory(prog, p, rank), MemoryLimit()
	if limit > 0 && need > limit {
		return fmt.Errorf("rank %d: needs %d MiB for its tiles, but the limit here is %d MiB; use more ranks, smaller tiles, or smaller parameters", rank, need>>20, limit>>20)
	}
	return nil
}

// checkMemories refuses ranks of this process that together need more memory than the machine has, before they allocate any.
func checkMemories(need int64) error {
	if limit := MemoryLimit(); limit > 0 && need > limit {
		return fmt.Errorf("the ranks need %d MiB for their tiles, but the limit here is %d MiB; use smaller tiles, or smaller parameters", need>>20, limit>>20)
	}
	return nil
}

// ArrayBytes returns the bytes of all arrays that are given, returned, or handed on from nest to nest, and a text that names
// the largest, at most mostNamed of a MiB or more. The items of a batch share one item's memory for arrays that are handed
// on. An extent beyond int is an error.
func ArrayBytes(prog *Program, params []int) (all int64, largest string, err error) {
	type sized struct {
		name  string
		bytes int64
	}
	var list []sized
	var nests []*plan.Nest
	for _, part := range prog.Parts() {
		nests = append(nests, part.Nest)
	}
	each, err := kernel.ArrayBytes(prog.Nest, nests, params)
	for k, bytes := range each {
		all, list = plan.AddBytes(all, bytes), append(list, sized{prog.Nest.Arrays[k].Name, bytes})
	}
	if err != nil {
		return 0, "", err
	}
	slices.SortStableFunc(list, func(a, b sized) int { return cmp.Compare(b.bytes, a.bytes) })
	var texts []string
	for _, x := range list[:min(len(list), mostNamed)] {
		if x.bytes>>20 > 0 {
			texts = append(texts, fmt.Sprintf("%s takes %d MiB", x.name, x.bytes>>20))
		}
	}
	return all, strings.Join(texts, ", "), nil
}

// mostNamed is how many arrays a message names.
const mostNamed = 4
