package cost

import "loopc/transform/plan"

// A Memory is the memory that a rank needs for a plan, in bytes.
type Memory struct {
	Levels  int64 `json:"levels"`  // live levels of all values: blocks and carried cells
	Faces   int64 `json:"faces"`   // slots of its edges
	Given   int64 `json:"given"`   // GivenBox of the given arrays
	Results int64 `json:"results"` // ResultBox of the returned arrays
	// Ordered are the copies of given arrays in the order of rows: plan.Array.RowDim.
	Ordered int64 `json:"ordered,omitempty"`
}

// Total is the sum.
func (m Memory) Total() int64 {
	return plan.AddBytes(plan.AddBytes(m.Levels, m.Faces), plan.AddBytes(plan.AddBytes(m.Given, m.Results), m.Ordered))
}

// MemoryOf returns the memory that a rank of p needs. It does not include the kernel's scratch memory and the program itself. Once the
// faces need more bytes than the parameter enough, no more are added: a plan that is not taken may have millions of edges.
func MemoryOf(p *plan.Plan, rank int, enough int64) Memory {
	var m Memory
	for e := range p.UnorderedEdgesOf(rank) {
		if m.Faces = plan.AddBytes(m.Faces, slotBytes(p, &e)); m.Faces > enough {
			return m
		}
	}
	own(p, rank, &m)
	return m
}

// Memories returns the MemoryOf every rank of p.
func Memories(p *plan.Plan) []Memory {
	all := make([]Memory, p.Ranks)
	eachSlots(p, func(from, to int, bytes int64) {
		all[from].Faces = plan.AddBytes(all[from].Faces, bytes)
		if from != to { // an edge between ranks has slots at both ends
			all[to].Faces = plan.AddBytes(all[to].Faces, bytes)
		}
	})
	for rank := range all {
		own(p, rank, &all[rank])
	}
	return all
}

// slotBytes is the size of an edge's slots at one end.
func slotBytes(p *plan.Plan, e *plan.EdgeOf) int64 {
	if _, ok := p.Stream(e); !ok {
		return 0
	}
	return plan.BytesOf(e.Slots, p.MessageCapacity(&p.Directions()[e.Dir], e.Remote()))
}

// own adds to m the memory of a rank, except its faces.
func own(p *plan.Plan, rank int, m *Memory) {
	if p.KeepsWhole() {
		if rank == 0 && !p.Empty {
			m.Levels = int64(p.WholeBytes())
		}
	} else if rank < plan.Product(p.Grid) {
		for cpu := range plan.Product(p.Mesh) {
			if columns := p.WorkerColumns(rank, cpu); len(columns) > 0 {
				m.Levels = plan.AddBytes(m.Levels, int64(workerBytes(p, columns)))
			}
		}
	}
	for k := range p.Nest.Arrays {
		a := &p.Nest.Arrays[k]
		if a.Role == plan.In || a.Role == plan.InOut {
			if lo, hi, ok := p.GivenBox(rank, k); ok {
				bytes := boxBytes(lo, hi, a.Size)
				m.Given = plan.AddBytes(m.Given, bytes)
				if a.RowDim != 0 {
					m.Ordered = plan.AddBytes(m.Ordered, bytes)
				}
			}
		}
		if a.Returned() {
			if lo, hi, ok := p.ResultBox(rank, k); ok {
				m.Results = plan.AddBytes(m.Results, boxBytes(lo, hi, a.Size))
			}
		}
	}
}

// boxBytes is the size of the cells of a box, of size bytes each.
func boxBytes(lo, hi []int, size int) int64 {
	bytes := int64(size)
	for k := range lo {
		bytes = plan.BytesOf(int(bytes), hi[k]-lo[k]+1)
	}
	return bytes
}

// workerBytes is the memory of a worker with the given columns for live levels, faces not included.
func workerBytes(p *plan.Plan, columns []int) int {
	bytes := plan.BytesOf(p.Blocks(columns), blockBytes(p))
	carrying := len(columns)
	if p.Chunked() {
		carrying = 1 // one after the other, in the same memory
	}
	for v := range p.Nest.Values {
		bytes = plan.AddBytes(bytes, plan.BytesOf(carrying, p.CarryBytes(v)))
	}
	return int(bytes)
}

// blockBytes is the memory of a block.
func blockBytes(p *plan.Plan) int {
	cells := p.BlockLayout(make([]int, len(p.Side)))
	bytes := 0
	for v := range p.Nest.Values {
		if val := &p.Nest.Values[v]; p.Stored(v) {
			bytes += val.Levels() * cells * p.Nest.Arrays[val.Array].Size
		}
	}
	return bytes
}

// Share is a rank's part of the memory that every run of the nest needs, whatever the plan: the cells of given and returned arrays,
// and the live levels of every value over the entire space. In bytes; ranks without iterations have no part.
func Share(p *plan.Plan) int64 {
	if p.Empty {
		return 0
	}
	points, _ := p.Points()
	level := float64(points) / windows(p) / float64(p.Hi[0]-p.Lo[0]+1)
	bytes := arrayBytes(p)
	for v := range p.Nest.Values {
		if val := &p.Nest.Values[v]; p.Stored(v) {
			bytes += level * float64(val.Levels()*p.Nest.Arrays[val.Array].Size)
		}
	}
	return int64(bytes / float64(plan.Product(p.Grid)))
}

// extentBytes is the size in bytes of a box of cells of a with the given extent.
func extentBytes(a *plan.Array, extent []int) float64 {
	return float64(plan.BytesOf(append([]int{a.Size}, extent...)...))
}

// arrayBytes is the size of the given and returned arrays.
func arrayBytes(p *plan.Plan) (bytes float64) {
	for k := range p.Nest.Arrays {
		a := &p.Nest.Arrays[k]
		if a.Role == plan.In || a.Role == plan.InOut {
			_, extent, _ := a.Extent(p.Params) // impossible arrays were refused before
			bytes += extentBytes(a, extent)
		}
		if a.Returned() {
			_, extent := a.SliceExtent(p.Params)
			bytes += extentBytes(a, extent)
		}
	}
	return bytes
}

// MostMemory returns the memory, in bytes, of the rank of p that needs most. It includes the planes that kernel k keeps between time slabs.
// Ranks of one process share the caller's arrays and the memory of the process: for them, MostMemory returns the mean over the ranks.
func MostMemory(p *plan.Plan, k *Kernel, link string) int64 {
	most, sum := int64(0), int64(0)
	for _, m := range Memories(p) {
		most = max(most, m.Total())
		sum = plan.AddBytes(sum, plan.AddBytes(plan.AddBytes(m.Levels, m.Faces), m.Ordered))
	}
	if link == LinkInproc {
		most = plan.AddBytes(sum, whole64(arrayBytes(p))) / int64(plan.Product(p.Grid))
	}
	planes := k.planeBytes(p, p.Side[len(p.Side)-1])
	return most + int64(min(planes*float64(plan.Product(p.Mesh)), 1<<60))
}
