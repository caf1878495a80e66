package sched

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"loopc/runtime/halo"
	"loopc/transform/plan"
)

// Memory returns the bytes that a rank of p allocates for live levels, carried
// cells and faces. The views of its arrays come on top.
func Memory(p *plan.Plan, rank int) int64 { return memories(p)[rank] }

// memories returns what each rank of p allocates: see Memory.
func memories(p *plan.Plan) []int64 {
	bytes := make([]int64, p.Ranks)
	for rank := range product(p.Grid) {
		for cpu := range product(p.Mesh) {
			if columns := len(p.WorkerColumns(rank, cpu)); columns > 0 {
				bytes[rank] += int64(halo.WorkerBytes(p, columns))
			}
		}
	}
	dirs := p.Directions()
	for _, e := range p.Edges() {
		slots := int64(e.Slots) * int64(p.MessageCapacity(&dirs[e.Dir], e.Remote()))
		bytes[e.Rank[0]] += slots
		if e.Remote() {
			bytes[e.Rank[1]] += slots // they are there at both ends
		}
	}
	return bytes
}

// checkMemory refuses a plan whose rank would need more memory than the machine
// has, before any of it is allocated.
func checkMemory(p *plan.Plan, rank int) error {
	need, limit := Memory(p, rank), MemoryLimit()
	if limit > 0 && need > limit {
		return fmt.Errorf("rank %d: needs %d MiB for its tiles, but the limit here is %d MiB; use more ranks, smaller tiles, or smaller parameters", rank, need>>20, limit>>20)
	}
	return nil
}

// MemoryLimit is the memory that a process may use here, in bytes: the least of
// the control group's limit and the machine's memory; 0 if it cannot be known.
func MemoryLimit() int64 {
	var limit int64
	narrow := func(v int64) {
		if v > 0 && (limit == 0 || v < limit) {
			limit = v
		}
	}
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if v, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil {
			narrow(v)
		}
	}
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
				if v, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64); err == nil {
					narrow(v << 10)
				}
			}
		}
	}
	return limit
}
