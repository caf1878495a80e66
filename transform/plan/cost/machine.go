package cost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loopc/transform/plan"
)

// machineSchema is the version of the file format of a Machine.
const machineSchema = 1

// A Machine is what computation and messages cost: measured, or the built-in
// figures of DefaultMachine. Times are in seconds. It is what the step time of
// [P1] eq. (1) is made of.
type Machine struct {
	Schema   int    `json:"schema"`   // file format: 1
	Name     string `json:"name"`     // such as "2 cores, AMD EPYC"
	Measured string `json:"measured"` // date; "" for figures that nobody measured
	Cores    int    `json:"cores"`    // of a node
	// Node is the number of ranks that share the cores of a node; 0: all of a run.
	Node    int               `json:"ranks_per_node"`
	Cache   []int             `json:"cache"`             // bytes for a core per level, ascending
	Stream  float64           `json:"stream"`            // bytes/s that one core moves to and from memory: the roof
	Kernel  Kernel            `json:"kernel"`            // of a nest that was not measured, with one assignment
	Kernels map[string]Kernel `json:"kernels,omitempty"` // of measured ones, by Plan.KernelKey
	Links   map[string]Link   `json:"links"`             // "local" (workers of a rank), "inproc", "tcp"
	// Trials are whole runs that were timed, by which Choose goes if they are of the
	// run that it plans.
	Trials []Trial `json:"trials,omitempty"`
}

// A Kernel is what a tile of a nest costs its CPU, in seconds, beside Open and
// Fresh, which a run takes before its tiles:
//
//	Tile + Level·levels + Row·rows + Point(footprint)·points + Move·bytes moved
//	+ Byte·(bytes packed and unpacked) + Piece·(runs of neighboring cells that these are)
//	+ Run·runs + Lone·lanes left over + Mask·masked lanes + Scalar·scalar points
//	+ Check·rows at the edge + Fill·cells filled + Store·results copied
//
// A row is a run of iterations along the innermost loop. At the edge of the
// iteration space rows are looked at one by one, for cells outside of it are to
// be filled. The terms of the third line are those of a kernel that computes
// several neighbors together; these count where a tile's extent leaves some over.
// Where lanes are levels, runs are rows of lanes, ghost rows included; lanes left
// over are those of chains that advance by themselves, whose latency nothing
// hides, but whose footprint is smaller; masked and idle ones are those of the
// steps at both ends of a row, and of all chains while one is at a ghost row: see
// slabCounter.
type Kernel struct {
	Tile  float64 `json:"tile"`  // per tile
	Level float64 `json:"level"` // per level (coordinate 0) of a tile
	Row   float64 `json:"row"`   // per row
	Byte  float64 `json:"byte"`  // per byte of a face packed, or unpacked, or carried to the next tile
	Lone  float64 `json:"lone"`  // per iteration of the lanes of vectors that are fewer than all, idle ones included, beside Point
	Check float64 `json:"check"` // per row at the edge of the iteration space
	Fill  float64 `json:"fill"`  // per cell outside of it that is filled
	Store float64 `json:"store"` // per result that is copied to an array given back

	Open   float64 `json:"open,omitempty"`   // per run
	Piece  float64 `json:"piece,omitempty"`  // per run of neighboring cells of a face packed, or unpacked, or carried to the next tile
	Run    float64 `json:"run,omitempty"`    // per row of a vector, which begins and ends with lanes that idle, and per row by itself
	Mask   float64 `json:"mask,omitempty"`   // per iteration of the lanes of a vector that has too few, beside Lone
	Scalar float64 `json:"scalar,omitempty"` // per iteration that is computed by itself, beside Point
	Move   float64 `json:"move,omitempty"`   // per byte that tiles of whole levels move in from memory, or out: see Plan.moved
	Fresh  float64 `json:"fresh,omitempty"`  // per byte of a worker's slots of faces, and planes between slabs, which are touched for the first time
	// Point is the time of an iteration by the footprint of the tile, ascending:
	// linear in the logarithm of the footprint between entries, constant beyond.
	Point []Rate `json:"point"`
	// Near corrects all of these for tiles whose sides are near those of measured
	// ones, which the terms do not explain: see ShapeFactor.
	Near []NearTile `json:"near,omitempty"`
	// Busy[k] is the factor on all of these while k+1 CPUs of the node compute, for
	// they share memory, and often a core; the last entry counts for more. None: 1.
	Busy []float64 `json:"busy,omitempty"`
	// Neighbors across rows, or as Across says, are computed Rows together as long
	// as there are so many, and the rest of them Lanes together, some of them idle.
	// 0: it does not matter how many there are.
	Rows   int `json:"rows,omitempty"`
	Lanes  int `json:"lanes,omitempty"`
	Across int `json:"across,omitempty"`
	// Lines is set where results are streamed while rows are computed, so that rows of lanes
	// take the place of one another although they are given back: see halo.Lanes.Lined.
	Lines bool `json:"lines,omitempty"`
}

// A NearTile is a tile that was measured, and what it tells of others: see
// Kernel.ShapeFactor.
type NearTile struct {
	Side   []int   `json:"side"`   // per dimension of the plan
	Weight float64 `json:"weight"` // of its logarithmic deviation
	// Link is set of a tile in runs of several ranks with such messages, and tells of
	// other runs like that, with the same mapping dimension.
	Link string `json:"link,omitempty"`
	Map  int    `json:"map,omitempty"`
}

// ShapeReach is how far, in the logarithm of a side, what a tile tells of others
// holds: for those twice as long it is less by half.
const ShapeReach = 0.6

// ShapeFactor is the factor on the time of a tile of p, whose ranks send messages
// over such a link, by which it differs, going by the tiles that were measured, from
// the sum of the terms:
//
//	exp(Σ weight·likeness), likeness = exp(−d²/2 reach²)
//
// d is the Euclidean distance of the logarithms of the sides. This is a Gaussian
// process's mean; far from everything measured it is 1.
func (k *Kernel) ShapeFactor(p *plan.Plan, link string) float64 {
	sum := 0.0
	for i := range k.Near {
		if n := &k.Near[i]; n.Link == "" || n.Link == link && plan.Product(p.Grid) > 1 {
			sum += n.Weight * n.Likeness(p)
		}
	}
	return math.Exp(sum)
}

// Likeness of a tile to those of p is 1 if they have the same sides, and less, down
// to 0, the more these differ: see Kernel.ShapeFactor.
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
	return math.Exp(-d / (2 * ShapeReach * ShapeReach))
}

// A Rate is the time of an iteration in a tile of some footprint.
type Rate struct {
	Bytes   int     `json:"bytes"`   // see Plan.Footprint
	Seconds float64 `json:"seconds"` // of one iteration
}

// A Link is what a message between two workers costs.
type Link struct {
	Open      float64 `json:"open"`      // s that a run with such messages takes beside its tiles, and beside Kernel.Open
	Start     float64 `json:"start"`     // CPU s of the sender per message
	Receive   float64 `json:"receive"`   // CPU s of the receiver per message
	Byte      float64 `json:"byte"`      // CPU s per byte of a message, at either end
	Latency   float64 `json:"latency"`   // s from the end of a transfer until the message is there
	Credit    float64 `json:"credit"`    // s from the release of a slot until its sender may use it again
	Bandwidth float64 `json:"bandwidth"` // bytes/s of a rank's interface, one message after the other; 0: unlimited
	Spin      float64 `json:"spin"`      // s for which a worker that waits polls, and goes on at once
	Wakeup    float64 `json:"wakeup"`    // s until a worker that has waited for longer goes on
	Sync      float64 `json:"sync"`      // s from the arrival of a message until its sender knows: blocking sends
	// Overlap is the part of a transfer, 0 to 1, that proceeds while the sender's
	// CPU computes; the rest takes the CPU's time.
	Overlap float64 `json:"overlap"`
	// Complete says, of the workers of a rank, that a tile waits for its faces until they
	// are complete, as on the papers' machines; else it follows the tile that packs them.
	Complete bool `json:"complete,omitempty"`
}

// Names of the links of a Machine that the runtime has.
const (
	LinkLocal  = "local"  // rings between the workers of a rank
	LinkInproc = "inproc" // between ranks of one process
	LinkTCP    = "tcp"    // between processes
	LinkSHM    = "shm"    // between processes of one host, through memory that they share
)

// A core's second cache, in bytes.
const (
	usualLast = 32 << 20 // that cores share
)

// DefaultMachine returns the built-in figures: a machine with two cores as most
// were in the 2020s, its messages going through the operating system.
func DefaultMachine() *Machine {
	return &Machine{
		Schema: machineSchema,
		Name:   "built-in figures",
		Cores:  2,
		Cache:  []int{32 << 10, plan.UsualCache},
		Stream: 12e9,
		Kernel: Kernel{
			Tile: 2e-6, Level: 100e-9, Row: 20e-9, Byte: 0.3e-9,
			Point: []Rate{{32 << 10, 1.5e-9}, {384 << 10, 1.7e-9}, {1 << 20, 2e-9}, {8 << 20, 3e-9}},
			Busy:  []float64{1, 1.05},
		},
		Links: map[string]Link{
			LinkLocal:  {Start: 100e-9, Receive: 100e-9, Spin: 10e-6, Wakeup: 5e-6, Overlap: 1},
			LinkInproc: {Start: 500e-9, Receive: 500e-9, Latency: 1e-6, Credit: 1e-6, Spin: 10e-6, Wakeup: 5e-6, Sync: 15e-6, Overlap: 1},
			LinkSHM:    {Start: 100e-9, Receive: 100e-9, Latency: 0.3e-6, Credit: 0.3e-6, Spin: 10e-6, Wakeup: 6e-6, Overlap: 1},
			LinkTCP:    {Start: 5e-6, Receive: 3e-6, Byte: 0.25e-9, Latency: 10e-6, Credit: 10e-6, Bandwidth: 3e9, Spin: 10e-6, Wakeup: 15e-6, Sync: 20e-6, Overlap: 0.5},
		},
	}
}

// SecondCache is the size of a core's second cache, or of the only one, in bytes, but no less
// than is usual: behind a smaller one there is a third [note planner-constants]. It is 0 if m
// does not know it.
func (m *Machine) SecondCache() int {
	if len(m.Cache) == 0 {
		return 0
	}
	return max(plan.UsualCache, m.Cache[min(1, len(m.Cache)-1)])
}

// lastCache is the size of the cache that cores share, in bytes, as far as m knows it.
func (m *Machine) lastCache() int {
	if len(m.Cache) < 3 {
		return usualLast
	}
	return m.Cache[len(m.Cache)-1]
}

// ReadMachine reads and checks the file of a machine. Errors name the file and
// what is wrong in it.
func ReadMachine(path string) (*Machine, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := ParseMachine(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// FindMachine returns the figures to plan with: those of the file, or of the one
// that $LOOPC_MACHINE names if file is "", else of loopc/machine.json in the
// folder of the user's configuration, where loopc calibrate writes them, if it is
// there; else those of DefaultMachine. A file that the user named must be good.
// One that was only found may be broken: then there is a warning.
func FindMachine(file string) (m *Machine, warning string, err error) {
	if file == "" {
		file = os.Getenv("LOOPC_MACHINE")
	}
	if file != "" {
		m, err = ReadMachine(file)
		return m, "", err
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return DefaultMachine(), "", nil // no home: nothing was measured
	}
	m, err = ReadMachine(filepath.Join(folder, "loopc", "machine.json"))
	switch {
	case err == nil:
		return m, "", nil
	case !errors.Is(err, fs.ErrNotExist):
		warning = err.Error() + "; built-in figures are used"
	}
	return DefaultMachine(), warning, nil
}

// ParseMachine is ReadMachine for the content of a file.
func ParseMachine(data []byte) (*Machine, error) {
	// The schema first: a later one may have anything else.
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("not the figures of a machine: %w", err)
	}
	switch {
	case head.Schema == nil:
		return nil, errors.New("not the figures of a machine: schema is missing")
	case *head.Schema != machineSchema:
		return nil, fmt.Errorf("schema is %d, this program reads %d; measure again with loopc calibrate", *head.Schema, machineSchema)
	}
	m := &Machine{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("not the figures of a machine: %w", err)
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	return m, nil
}

// FormatMachine checks m and returns the content of its file.
func FormatMachine(m *Machine) ([]byte, error) {
	out := *m
	out.Schema = machineSchema
	if err := out.Check(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(&out, "", "\t")
	return append(text, '\n'), err
}

// mostCost bounds every number of a Machine, so that no sum of times overflows.
const mostCost = 1e18

// Check refuses figures that mean nothing; errors name the field.
func (m *Machine) Check() error {
	if m.Schema != machineSchema {
		return fmt.Errorf("schema is %d, this program knows %d", m.Schema, machineSchema)
	}
	if m.Cores < 1 || m.Cores > plan.MostWorkers {
		return fmt.Errorf("cores is %d, it must be from 1 to %d", m.Cores, plan.MostWorkers)
	}
	if m.Node < 0 || m.Node > plan.MostWorkers {
		return fmt.Errorf("ranks_per_node is %d, it must be from 0 to %d", m.Node, plan.MostWorkers)
	}
	for k, c := range m.Cache {
		if c < 1 || k > 0 && c <= m.Cache[k-1] {
			return fmt.Errorf("cache[%d] is %d bytes: sizes must be positive and ascend", k, c)
		}
	}
	if err := amount("stream", m.Stream); err != nil {
		return err
	}
	if err := m.Kernel.check("kernel"); err != nil {
		return err
	}
	for _, digest := range sortedKeys(m.Kernels) {
		k := m.Kernels[digest]
		if err := k.check(fmt.Sprintf("kernels[%q]", digest)); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(m.Links) {
		l := m.Links[name]
		if err := l.check(fmt.Sprintf("links[%q]", name)); err != nil {
			return err
		}
	}
	for k := range m.Trials {
		if err := m.Trials[k].check(fmt.Sprintf("trials[%d]", k)); err != nil {
			return err
		}
	}
	return nil
}

// amount refuses what cannot be a time or a rate.
func amount(field string, x float64) error {
	if !(x >= 0 && x <= mostCost) {
		return fmt.Errorf("%s is %g, it must be from 0 to %g", field, x, mostCost)
	}
	return nil
}

func (k *Kernel) check(field string) error {
	err := errors.Join(amount(field+".tile", k.Tile), amount(field+".level", k.Level), amount(field+".row", k.Row), amount(field+".byte", k.Byte),
		amount(field+".lone", k.Lone), amount(field+".check", k.Check), amount(field+".fill", k.Fill), amount(field+".store", k.Store),
		amount(field+".open", k.Open), amount(field+".piece", k.Piece), amount(field+".run", k.Run), amount(field+".mask", k.Mask), amount(field+".scalar", k.Scalar), amount(field+".fresh", k.Fresh), amount(field+".move", k.Move))
	if err != nil {
		return err
	}
	if len(k.Point) == 0 {
		return fmt.Errorf("%s.point is empty: an iteration takes some time", field)
	}
	for i, r := range k.Point {
		if r.Bytes < 0 || i > 0 && r.Bytes <= k.Point[i-1].Bytes {
			return fmt.Errorf("%s.point[%d].bytes is %d: footprints must not be negative and must ascend", field, i, r.Bytes)
		}
		if err := amount(fmt.Sprintf("%s.point[%d].seconds", field, i), r.Seconds); err != nil {
			return err
		}
	}
	if k.Rows < 0 || k.Rows > plan.MostWorkers || k.Lanes < 0 || k.Lanes > plan.MostWorkers {
		return fmt.Errorf("%s.rows and lanes are %d and %d, from 0 to %d", field, k.Rows, k.Lanes, plan.MostWorkers)
	}
	if k.Across < plan.AcrossRows || k.Across > plan.AlongRow {
		return fmt.Errorf("%s.across is %d, from %d to %d", field, k.Across, plan.AcrossRows, plan.AlongRow)
	}
	for i, n := range k.Near {
		if !(math.Abs(n.Weight) <= mostWeight) {
			return fmt.Errorf("%s.near[%d].weight is %g, from -%g to %g", field, i, n.Weight, mostWeight, mostWeight)
		}
	}
	for i, b := range k.Busy {
		if !(b > 0 && b <= plan.MostWorkers) {
			return fmt.Errorf("%s.busy[%d] is %g, a factor above 0", field, i, b)
		}
	}
	return nil
}

// mostWeight bounds the weight of a NearTile.
const mostWeight = 100.0

func (l *Link) check(field string) error {
	err := errors.Join(
		amount(field+".start", l.Start), amount(field+".receive", l.Receive), amount(field+".byte", l.Byte),
		amount(field+".open", l.Open), amount(field+".latency", l.Latency), amount(field+".credit", l.Credit), amount(field+".bandwidth", l.Bandwidth),
		amount(field+".spin", l.Spin), amount(field+".wakeup", l.Wakeup), amount(field+".sync", l.Sync),
	)
	if err != nil {
		return err
	}
	if !(l.Overlap >= 0 && l.Overlap <= 1) {
		return fmt.Errorf("%s.overlap is %g, it must be from 0 to 1", field, l.Overlap)
	}
	if l.Bandwidth > 0 && l.Bandwidth < 1e-3 {
		return fmt.Errorf("%s.bandwidth is %g bytes/s, too little for any run", field, l.Bandwidth)
	}
	return nil
}

// wholeKey is what follows a nest's digest in Machine.Kernels, for runs that keep
// levels whole.
const wholeKey = "/whole"

// compressedKey is the same where levels that are kept whole are compressed, too.
const compressedKey = "/compressed"

// KernelKey is where Machine.Kernels has the costs of p's tiles: tiles of whole levels
// are computed by another kernel than those of the same nest that are not.
func KernelKey(p *plan.Plan) string {
	switch {
	case p.Compressed():
		return p.Nest.Digest + compressedKey
	case p.KeepsWhole():
		return p.Nest.Digest + wholeKey
	}
	return p.Nest.Digest
}

// KernelFor returns the costs of p's tiles: as measured, with or without whole levels
// as p has them, else as KernelOf.
func (m *Machine) KernelFor(p *plan.Plan) Kernel {
	if k, ok := m.Kernels[KernelKey(p)]; ok {
		return k
	}
	if k, ok := m.Kernels[p.Nest.Digest+wholeKey]; ok && p.KeepsWhole() {
		return k
	}
	return m.KernelOf(p.Nest)
}

// KernelOf returns the costs of a nest's tiles: as measured, else those of
// m.Kernel, with iterations that cost in proportion to their assignments.
func (m *Machine) KernelOf(nest *plan.Nest) Kernel {
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

// Knows reports whether the costs of the nest's tiles were measured, or given:
// otherwise KernelOf tells those of another nest.
func (m *Machine) Knows(nest *plan.Nest) bool {
	for _, key := range []string{"", wholeKey, compressedKey} {
		if _, ok := m.Kernels[nest.Digest+key]; ok {
			return true
		}
	}
	return false
}

// LinkNamed returns the link of that name: of m, else of DefaultMachine. An
// unknown name is an error.
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

// PointAt returns the time of an iteration in a tile of the given footprint,
// alone on its node.
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
	if !(x >= 0 && x <= 1) { // a footprint of 0 or 1 byte below
		x = 1
	}
	return a.Seconds + x*(b.Seconds-a.Seconds)
}

// slowed returns k with everything taking f times as long.
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

// lanesTime is what lanes cost, beside the iterations.
func (k *Kernel) lanesTime(w *laneWork) float64 {
	return k.Run*w.runs + k.Lone*w.lone + k.Mask*w.masked + k.Scalar*w.scalar
}

// busyFactor is the factor on a tile's time when so many CPUs of a node
// with the given cores compute: less bandwidth for each, and beyond the number
// of cores they take turns.
func (k *Kernel) busyFactor(cpus, cores int) float64 {
	f := 1.0
	if n := len(k.Busy); n > 0 {
		f = k.Busy[min(max(1, cpus), n)-1]
	}
	return f * max(1, float64(cpus)/float64(max(1, cores)))
}

// sortedKeys returns the keys of m in ascending order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
