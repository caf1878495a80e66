package cost

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"loopc/transform/plan"
)

// A Machine is the cost of computation and messages: measured, or the built-in figures of DefaultMachine. Times are in seconds. The step
// time of [P1] eq. (1) is computed from it.
type Machine struct {
	Schema   int    `json:"schema"`   // file format: 1
	Name     string `json:"name"`     // number of cores and model of the processor
	Measured string `json:"measured"` // date; "" if not measured
	Cores    int    `json:"cores"`    // of a node
	// Node is the number of ranks that share the cores of a node; 0: all ranks of a run.
	Node   int     `json:"ranks_per_node"`
	Cache  []int   `json:"cache"`  // bytes for a core per level, ascending
	Stream float64 `json:"stream"` // bytes/s that one core moves to and from memory
	// Fresh is the time, in seconds, until a byte of memory that a run has not used before can be written: the system supplies
	// its page. Memory as large as the caches does not count: runs that need no more are mostly repeated, and use it again. 0: not
	// known, or memory is used again.
	Fresh   float64           `json:"fresh,omitempty"`
	Kernel  Kernel            `json:"kernel"`            // of a nest that was not measured, per assignment
	Kernels map[string]Kernel `json:"kernels,omitempty"` // of measured nests, by KernelKey
	Links   map[string]Link   `json:"links"`             // "local" (workers of a rank), "inproc", "tcp"
	// Trials are runs that were timed from beginning to end. Choose goes by trials of the run that it plans.
	Trials []Trial `json:"trials,omitempty"`
}

// A Kernel is the CPU time of a tile of a nest, in seconds. Open and Fresh, the time of a run before its tiles, come in addition.
//
//	Tile + Level·levels + Row·rows + Point(footprint)·points + Move·bytes moved
//	+ Byte·(bytes packed and unpacked) + Piece·(contiguous runs that these bytes form)
//	+ Run·runs + Lone·iterations outside groups + Mask·iterations with idle lanes + Scalar·iterations by themselves
//	+ Check·rows at the edge + Fill·cells filled one by one + Store·(results copied + cells filled in long rows, by what they move)
//
// A row is a run of iterations along the innermost loop. At the edge of the iteration space rows are examined one by one, because exterior
// cells must be filled. The terms of the third line belong to kernels that compute groups of neighbors, and count iterations that do not
// fill the groups. If lanes are levels, runs are rows of lanes, ghost rows included. Iterations outside groups are then those of streams
// that are not interleaved: nothing hides their latency, but their footprint is smaller. Lanes are idle in the steps at both ends of a row,
// and in all streams while one is at a ghost row: see slabCounter.
type Kernel struct {
	Tile  float64 `json:"tile"`  // per tile
	Level float64 `json:"level"` // per level (coordinate 0) of a tile
	Row   float64 `json:"row"`   // per row
	Byte  float64 `json:"byte"`  // per byte of a face packed or unpacked, or carried to the next tile
	Lone  float64 `json:"lone"`  // per iteration of vectors outside the groups of Rows, idle lanes included, in addition to Point
	Check float64 `json:"check"` // per row that is examined at the edge of the iteration space
	Fill  float64 `json:"fill"`  // per exterior cell that is filled, and is not in a long row
	Store float64 `json:"store"` // per result that is copied to a returned array, and per cell of a long row that is filled in a cache; more if it moves from memory

	Open   float64 `json:"open,omitempty"`   // per run
	Piece  float64 `json:"piece,omitempty"`  // per contiguous run of cells packed, unpacked or carried
	Run    float64 `json:"run,omitempty"`    // per row of a vector, which begins and ends with idle lanes, and per row by itself
	Mask   float64 `json:"mask,omitempty"`   // per iteration of vectors with idle lanes, in addition to Lone
	Scalar float64 `json:"scalar,omitempty"` // per iteration that is computed by itself, in addition to Point
	Move   float64 `json:"move,omitempty"`   // per byte that tiles in skewed storage move from or to memory: see moved
	Fresh  float64 `json:"fresh,omitempty"`  // per byte of slots and planes that a worker touches for the first time
	// Point is the time of an iteration by the footprint of the tile, in ascending order. Between two entries it is linear in the logarithm
	// of the footprint, beyond the last it is constant.
	Point []Rate `json:"point"`
	// Near corrects the sum for tiles whose sides are close to those of measured tiles, for
	// effects that the terms do not explain: see shapeFactor.
	Near []NearTile `json:"near,omitempty"`
	// Contention[k] is the factor on all of these while k+1 CPUs of the node compute, because they
	// share memory, and often a core. The last entry also holds for more CPUs. Empty: 1.
	Contention []float64 `json:"busy,omitempty"`
	// The kernel computes neighbors along one coordinate, which Across names, in groups of Rows as long as at least Rows remain, and the
	// rest in groups of Lanes, with idle lanes if necessary. If Rows is 0, the number of neighbors does not matter.
	Rows   int `json:"rows,omitempty"`
	Lanes  int `json:"lanes,omitempty"`
	Across int `json:"across,omitempty"`
	// Lines says that results are streamed while their rows are computed, so that rows of lanes overwrite one another even if they are
	// returned.
	Lines bool `json:"lines,omitempty"`
}

// A NearTile is a measured tile and what it implies for similar tiles: see Kernel.shapeFactor.
type NearTile struct {
	Side   []int   `json:"side"`   // per dimension of the plan
	Weight float64 `json:"weight"` // of its logarithmic deviation from the sum of the terms
	// Link is set if the tile was measured in runs of several ranks with such messages. The
	// entry then applies to such runs only, with the same mapping dimension.
	Link string `json:"link,omitempty"`
	Map  int    `json:"map,omitempty"`
}

// shapeReach is the distance, in the logarithm of a side, at which a measured tile still
// matters: for a side twice as long, its weight is about half.
const shapeReach = 0.6

// shapeFactor is the ratio of the time of a tile of p to the sum of the terms, as measured
// tiles suggest; p's ranks send messages over the given link:
//
//	exp(Σ weight·likeness), likeness = exp(−d²/2 reach²)
//
// d is the Euclidean distance of the logarithms of the sides. This is the mean of a Gaussian process; far from all measured tiles it is 1.
func (k *Kernel) shapeFactor(p *plan.Plan, link string) float64 {
	sum := 0.0
	for i := range k.Near {
		if n := &k.Near[i]; n.Link == "" || n.Link == link && plan.Product(p.Grid) > 1 {
			sum += n.Weight * n.Likeness(p)
		}
	}
	return math.Exp(sum)
}

// Likeness is 1 if the tile has the sides of p's tiles, and decreases to 0 the more these differ: see Kernel.shapeFactor.
func (n *NearTile) Likeness(p *plan.Plan) float64 {
	if n.Link != "" && n.Map != p.Map {
		return 0
	}
	d := 0.0
	for x, s := range n.Side {
		if x >= len(p.Side) {
			return 0
		}
		l := math.Log(float64(max(1, s)) / float64(max(1, p.Side[x])))
		d += l * l
	}
	return math.Exp(-d / (2 * shapeReach * shapeReach))
}

// A Rate is the time of an iteration in a tile of a certain footprint.
type Rate struct {
	Bytes   int     `json:"bytes"`   // see Plan.Footprint
	Seconds float64 `json:"seconds"` // of one iteration
}

// A Link is the cost of a message between two workers.
type Link struct {
	Open      float64 `json:"open"`      // s that a run with such messages takes beside its tiles, in addition to Kernel.Open
	Start     float64 `json:"start"`     // CPU s of the sender per message
	Receive   float64 `json:"receive"`   // CPU s of the receiver per message
	Byte      float64 `json:"byte"`      // CPU s per byte of a message, at either end
	Latency   float64 `json:"latency"`   // s from the end of a transfer until the message can be read
	Credit    float64 `json:"credit"`    // s from the release of a slot until its sender may reuse it
	Bandwidth float64 `json:"bandwidth"` // bytes/s of a rank's interface, which sends one message at a time; 0: unlimited
	Spin      float64 `json:"spin"`      // s for which a waiting worker polls; until then it continues at once
	Wakeup    float64 `json:"wakeup"`    // s until a worker continues that has waited longer
	Sync      float64 `json:"sync"`      // s from the arrival of a message until its sender knows of it: blocking sends
	// Overlap is the part of a transfer, 0 to 1, that proceeds while the sender's CPU computes; the rest takes CPU time.
	Overlap float64 `json:"overlap"`
	// Complete says that a tile waits until faces from workers of its rank are complete, as on
	// the papers' machines. Otherwise it begins while the neighbor still packs them.
	Complete bool `json:"complete,omitempty"`
}

// Names of a Machine's links that the runtime provides.
const (
	LinkLocal  = "local"  // rings between the workers of a rank
	LinkInproc = "inproc" // between ranks of one process
	LinkTCP    = "tcp"    // between processes
	LinkSHM    = "shm"    // between processes of one host, through memory that they share
)

// usualLast is the size in bytes of the cache that cores share, where nothing else is known.
const usualLast = 32 << 20

// DefaultMachine returns the built-in figures: a typical machine of the 2020s with two cores, whose messages pass the operating system.
func DefaultMachine() *Machine {
	return &Machine{
		Schema: machineSchema,
		Name:   "built-in figures",
		Cores:  2,
		Cache:  []int{32 << 10, plan.UsualCache},
		Stream: 24e9,
		Fresh:  0.35e-9,
		Kernel: Kernel{
			Tile: 2e-6, Level: 100e-9, Row: 20e-9, Byte: 0.3e-9,
			Point:      []Rate{{32 << 10, 1.5e-9}, {384 << 10, 1.7e-9}, {1 << 20, 2e-9}, {8 << 20, 3e-9}},
			Contention: []float64{1, 1.05},
		},
		Links: map[string]Link{
			LinkLocal:  {Start: 100e-9, Receive: 100e-9, Spin: 10e-6, Wakeup: 5e-6, Overlap: 1},
			LinkInproc: {Start: 500e-9, Receive: 500e-9, Latency: 1e-6, Credit: 1e-6, Spin: 10e-6, Wakeup: 5e-6, Sync: 15e-6, Overlap: 1},
			LinkSHM:    {Start: 100e-9, Receive: 100e-9, Latency: 0.3e-6, Credit: 0.3e-6, Spin: 10e-6, Wakeup: 6e-6, Overlap: 1},
			LinkTCP:    {Start: 5e-6, Receive: 3e-6, Byte: 0.25e-9, Latency: 10e-6, Credit: 10e-6, Bandwidth: 3e9, Spin: 10e-6, Wakeup: 15e-6, Sync: 20e-6, Overlap: 0.5},
		},
	}
}

// lastCache is the size in bytes of the cache that cores share, as far as m knows it.
func (m *Machine) lastCache() int {
	if len(m.Cache) < 3 {
		return usualLast
	}
	return m.Cache[len(m.Cache)-1]
}

// wholeKey follows a nest's digest in Machine.Kernels for runs in skewed storage.
const wholeKey = "/whole"

// compressedKey follows the digest for runs in a compressed grid.
const compressedKey = "/compressed"

// KernelKey is the key of p's tiles in Machine.Kernels: skewed storage has another kernel than other runs of the same nest.
func KernelKey(p *plan.Plan) string {
	switch {
	case p.Compressed():
		return p.Nest.Digest + compressedKey
	case p.KeepsWhole():
		return p.Nest.Digest + wholeKey
	}
	return p.Nest.Digest
}

// KernelFor returns the costs of p's tiles: those measured for p's kind of storage; for a compressed
// grid, else those of skewed storage; else those of kernelOf.
func (m *Machine) KernelFor(p *plan.Plan) Kernel {
	if k, ok := m.Kernels[KernelKey(p)]; ok {
		return k
	}
	if k, ok := m.Kernels[p.Nest.Digest+wholeKey]; ok && p.KeepsWhole() {
		return k
	}
	return m.kernelOf(p.Nest)
}

// kernelOf returns the costs of a nest's tiles: measured ones, else those of m.Kernel, with the
// time of iterations in proportion to the assignments.
func (m *Machine) kernelOf(nest *plan.Nest) Kernel {
	for _, key := range []string{nest.Digest, nest.Digest + wholeKey, nest.Digest + compressedKey} {
		if k, ok := m.Kernels[key]; ok {
			return k
		}
	}
	k := m.Kernel
	k.Point = append([]Rate(nil), k.Point...)
	for i := range k.Point {
		k.Point[i].Seconds *= float64(max(1, len(nest.Values)))
	}
	return k
}

// Knows reports whether the costs of the nest's tiles were measured or given. Otherwise kernelOf derives them from m.Kernel.
func (m *Machine) Knows(nest *plan.Nest) bool {
	for _, key := range []string{"", wholeKey, compressedKey} {
		if _, ok := m.Kernels[nest.Digest+key]; ok {
			return true
		}
	}
	return false
}

// LinkNamed returns the link of that name from m, or else from DefaultMachine. An unknown name is an error.
func (m *Machine) LinkNamed(name string) (Link, error) {
	if l, ok := m.Links[name]; ok {
		return l, nil
	}
	builtin := DefaultMachine().Links
	if l, ok := builtin[name]; ok {
		return l, nil
	}
	for name := range m.Links {
		builtin[name] = Link{}
	}
	return Link{}, fmt.Errorf("the machine %q has no link %q; it has %s", m.Name, name, strings.Join(sortedKeys(builtin), ", "))
}

// PointAt returns the time of an iteration in a tile of the given footprint, while no other CPU of the node computes.
func (k *Kernel) PointAt(bytes int) float64 {
	last := len(k.Point) - 1
	switch {
	case last < 0:
		return 0
	case bytes <= k.Point[0].Bytes:
		return k.Point[0].Seconds
	case bytes >= k.Point[last].Bytes:
		return k.Point[last].Seconds
	}
	i := 1
	for bytes > k.Point[i].Bytes {
		i++
	}
	a, b := k.Point[i-1], k.Point[i]
	low := math.Log(float64(max(1, a.Bytes)))
	x := (math.Log(float64(bytes)) - low) / (math.Log(float64(b.Bytes)) - low)
	if !(x >= 0 && x <= 1) { // if a footprint is 0, or the next one greater by 1
		x = 1
	}
	return a.Seconds + x*(b.Seconds-a.Seconds)
}

// slowed returns k with every time multiplied by f.
func (k Kernel) slowed(f float64) Kernel {
	for _, x := range []*float64{&k.Tile, &k.Level, &k.Row, &k.Byte, &k.Lone, &k.Check, &k.Fill, &k.Store, &k.Move, &k.Piece, &k.Run, &k.Mask, &k.Scalar} {
		*x *= f
	}
	k.Point = append([]Rate(nil), k.Point...)
	for i := range k.Point {
		k.Point[i].Seconds *= f
	}
	return k
}

// lanesTime is the cost of lanes beside the iterations.
func (k *Kernel) lanesTime(w *laneWork) float64 {
	return k.Run*w.runs + k.Lone*w.lone + k.Mask*w.masked + k.Scalar*w.scalar
}

// contentionOf is the factor on the time of a tile while the given number of CPUs of a node
// compute: each has less bandwidth, and if there are more CPUs than cores, they share cores.
func (k *Kernel) contentionOf(cpus, cores int) float64 {
	f := 1.0
	if n := len(k.Contention); n > 0 {
		f = k.Contention[min(max(1, cpus), n)-1]
	}
	return f * max(1, float64(cpus)/float64(max(1, cores)))
}

// sortedKeys returns the keys of m in ascending order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
