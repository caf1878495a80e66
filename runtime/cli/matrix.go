package cli

import (
	"math/rand/v2"
	"slices"
	"strings"

	"loopc/runtime/sched"
	"loopc/transform/plan"
)

const (
	verifyPoints  = 200_000 // most iterations of a run, for parameters that verify chooses
	verifyTiles   = 20_000  // most tiles of a run
	verifyColumns = 1_000   // most columns of tiles
)

// A trial is one run of verify.
type trial struct {
	params   []int
	nests    []plan.Options // of each
	provider string         // of libfabric
	carrier  string         // see carrier; "": all ranks are goroutines of this process
	security security
	kernel   string // its name
	seed     seed
	epochs   int            // what happens between epochs
	next     []plan.Options // of each nest, when the run stops early and continues; nil: it does not
	written  *sched.Program // runs the loops as they are written, in place of tiles; nil: tiles run
	replaced []*plan.Plan   // the plans of the tiles in whose place written runs loops
}

// verifyTransports returns the values of the factor "transport" of the matrix: the transport that
// the user named or, if none is named, all that need no library. TCP is also tried with MACs and
// TLS.
func verifyTransports(s *settings) []trial {
	switch {
	case s.inproc:
		return []trial{{}}
	case s.carrier != "" && (s.carrier != byTCP || s.security != security{}):
		return []trial{{carrier: s.carrier, provider: s.provider, security: s.security}}
	}
	all := []trial{
		{carrier: byTCP},
		{carrier: byTCP, security: security{MAC: "on"}}, // as between hosts
		{carrier: byTCP, security: security{TLS: true}},
	}
	if s.carrier == byTCP {
		return all
	}
	for _, c := range allCarriers {
		if c.tried && c.name != byTCP && c.ready() == nil {
			all = append(all, trial{carrier: c.name})
		}
	}
	return append([]trial{{}}, all...)
}

// flags returns the command line for the same run. With several nests, flags that differ
// between nests are labeled.
func (t *trial) flags(prog *sched.Program) string {
	if !prog.Several() {
		return t.flagsOf(prog, t.nests[0])
	}
	o := t.nests[0]
	o.Tile, o.First, o.Grid, o.Map = nil, nil, nil, ""
	text := t.flagsOf(prog, o)
	for k, part := range prog.Parts() {
		text += "\n        " + part.Nest.Name + ": " + strings.Join(t.nests[k].Flags(), " ")
	}
	return text
}

// flagsOf returns the command line for options of a plan.
func (t *trial) flagsOf(prog *sched.Program, o plan.Options) string {
	transport := inProcess
	if t.carrier != "" {
		transport = t.carrier
	}
	args := append(o.Flags(), "--transport", transport)
	if t.provider != "" {
		args = append(args, "--provider", t.provider)
	}
	if t.security.TLS {
		args = append(args, "--tls")
	}
	if t.security.MAC != "" {
		args = append(args, "--mac", t.security.MAC)
	}
	if t.kernel != "" {
		args = append(args, "--kernel", t.kernel)
	}
	if params := parametersText(prog, t.params, "="); len(params) > 0 {
		args = append(args, "-p", strings.Join(params, ","))
	}
	if slices.ContainsFunc(prog.Nest.Arrays, func(a plan.Array) bool { return isGiven(&a) }) {
		args = append(args, "--random", t.seed.String())
	}
	return strings.Join(append(args, "--check"), " ")
}

// The values of the factor "tile" of the matrix.
const (
	tileChosen = iota
	tileLeast  // as short as the dependences allow
	tileOdd    // a little longer, another odd number for each loop
	tileMixed  // the least along the mapping dimension, the others chosen
	tileThird  // a third of the space, so that the last tile is cut
	tileWhole  // longer than the space
	tileValues
)

// The values of the factor "grid".
const (
	gridChosen = iota
	gridOuter  // all ranks along the first loop that may have several
	gridInner  // along the last
	gridValues
)

// matrix chooses the trials of verify, such that every pair of values of two factors occurs. The
// factors are ranks, CPUs, scheme, transport, tile, mapping dimension, grid, parameters, special
// values, grouping, assignment and epochs. Pairs may be missing if the number of plans is too small or
// the two values exclude each other.
func (c *command) matrix() []trial {
	s := c.settings
	rng := rand.New(rand.NewPCG(s.seed, 0x76657269))
	params := verifyParams(c.prog, s)
	loops := len(userDims(c.prog.Parts()[0].Nest))
	transports := verifyTransports(s)
	values := []int{8, 4, len(plan.Comm(plan.Any).All()), len(transports), tileValues, loops + 1, gridValues, len(params), 2, len(plan.Group(plan.Any).All()), len(plan.Assign(plan.Any).All()), epochsValues}
	var all []trial
	kernels := c.prog.Kernels()
	for _, row := range cover(values, s.plans, rng) {
		t := trial{params: params[row[7]], carrier: transports[row[3]].carrier, provider: transports[row[3]].provider, security: transports[row[3]].security}
		// Each trial has a seed of its own; whether it has special values is a factor.
		t.seed = seed{Value: s.seed*1000 + uint64(len(all)), Special: row[8] == 1}
		if s.kernel == "" && len(kernels) > 1 {
			t.kernel = kernels[len(all)/2%len(kernels)] // kernels take turns, two trials at a time
		}
		o := plan.Options{Ranks: row[0] + 1, CPUs: row[1] + 1, Comm: plan.Comm(row[2] + 1), Group: plan.Group(row[9] + 1), Assign: plan.Assign(row[10] + 1)}
		_, _ = c.prog.PlanSteps(t.params, func(k int, nest *plan.Nest, params []int) (*plan.Plan, error) {
			mapped, tile, grid := row[5], row[4], row[6]
			if k > 0 { // pairs are covered for the first nest; the others vary
				mapped, tile, grid = rng.IntN(len(userDims(nest))+1), rng.IntN(tileValues), rng.IntN(gridValues)
			}
			one := attempt{nest: nest, params: params, Options: o}
			if mapped > 0 {
				one.Map = userDims(nest)[mapped-1]
			}
			one.setTile(tile)
			one.setGrid(grid)
			one.loosen()
			t.nests = append(t.nests, one.Options)
			return &plan.Plan{}, nil
		})
		t.setEpochs(c.prog, row[11], rng)
		all = append(all, t)
	}
	return all
}

// ways are trials that run the loops as they are written, which a run chooses where tiles would take longer: in Go, and
// with the rows of each kernel.
func (c *command) ways() (all []trial) {
	for _, params := range verifyParams(c.prog, c.settings) {
		written, plans := c.prog.WrittenWays(params)
		for _, loops := range written {
			t := trial{params: params, nests: make([]plan.Options, len(c.prog.Parts())), written: loops, replaced: plans}
			for k := range t.nests {
				t.nests[k] = plan.Options{Ranks: 1, CPUs: 1}
			}
			t.seed = seed{Value: c.settings.seed*1000 + uint64(len(all)), Special: len(all)%2 == 1}
			all = append(all, t)
		}
	}
	return all
}

// An attempt is a nest of a trial, with the options that are tried for it.
type attempt struct {
	nest   *plan.Nest
	params []int
	plan.Options
}

// plan plans the nest.
func (t *attempt) plan() (*plan.Plan, error) { return plan.New(t.nest, t.params, t.Options) }

// userDims returns the names of the user's loops.
func userDims(nest *plan.Nest) []string {
	if nest.Levelled {
		return nest.Dims[1:]
	}
	return nest.Dims
}

// setTile sets the tile sides that a value of the factor "tile" stands for, longer ones if there would be too many
// tiles.
func (t *attempt) setTile(value int) {
	if value == tileChosen {
		return
	}
	p, err := t.plan()
	if err != nil || p.Empty {
		return
	}
	extent := make([]int, len(p.Lo))
	for k := range extent {
		extent[k] = p.Hi[k] - p.Lo[k] + 1
	}
	side := tileSides(p, extent, value)
	if value != tileMixed {
		boundTiles(side, extent, p.Map)
	}
	t.Tile = userPart(t.nest, side)
}

// tileSides returns the sides that a value of the factor "tile" stands for; 0 leaves a side to the planner.
func tileSides(p *plan.Plan, extent []int, value int) []int {
	side := make([]int, len(extent))
	for k := range side {
		least := max(1, p.HaloWidth[k])
		switch value {
		case tileLeast:
			side[k] = least
		case tileOdd:
			side[k] = (least+2*k+1)/2*2 + 1
		case tileMixed:
			if k == p.Map {
				side[k] = least
			}
		case tileThird:
			side[k] = max(least, extent[k]/3+1)
		case tileWhole:
			side[k] = max(least, extent[k]+3)
		}
	}
	return side
}

// boundTiles doubles sides, the one with the most tiles first, until there are at most
// verifyTiles tiles, and verifyColumns columns along dimension mapped.
func boundTiles(side, extent []int, mapped int) {
	count := func(k int) int { return (extent[k] + side[k] - 1) / side[k] }
	for {
		tiles, columns, widest := 1, 1, 0
		for k := range side {
			n := count(k)
			tiles *= n
			if k != mapped {
				columns *= n
			}
			if n > count(widest) || widest == mapped && columns > verifyColumns && k != mapped {
				widest = k
			}
		}
		if tiles <= verifyTiles && columns <= verifyColumns {
			return
		}
		side[widest] = 2*side[widest] + 1
	}
}

// setGrid lays all ranks along one loop.
func (t *attempt) setGrid(value int) {
	p, err := t.plan()
	if value == gridChosen || err != nil || p.Empty {
		return
	}
	grid, at := make([]int, len(p.Side)), -1
	for k := range grid {
		grid[k] = 1
		if t.nest.Levelled && k == 0 || k == p.Map {
			continue
		}
		if value == gridInner || at < 0 {
			at = k
		}
	}
	if at < 0 {
		return
	}
	grid[at] = t.Ranks
	t.Grid = userPart(t.nest, grid)
	if t.Map == "" {
		t.Map = t.nest.Dims[p.Map] // because the planner might choose another one with a grid
		if t.nest.Levelled && p.Map == 0 {
			t.Map = ""
		}
	}
}

// loosen drops options that exclude each other, the grid first.
func (t *attempt) loosen() {
	if _, err := t.plan(); err == nil {
		return
	}
	t.Grid = nil
	if _, err := t.plan(); err != nil {
		t.Tile, t.First = nil, nil
	}
}

// verifyParams returns the values of the parameters to verify with. Given ones stay; the others
// shrink from their defaults until a run is short, and then vary: one or two less, about half and
// odd, very small, and 1.
func verifyParams(prog *sched.Program, s *settings) [][]int {
	base := shrunk(prog, s)
	all := [][]int{base}
	vary := func(f func(k, v int) int) {
		v := slices.Clone(base)
		for k := range v {
			if !s.given[k] && v[k] > 0 {
				v[k] = f(k, v[k])
			}
		}
		n, ok := pointsWith(prog, v)
		same := slices.ContainsFunc(all, func(o []int) bool { return slices.Equal(o, v) })
		if ok && n <= verifyPoints && !same {
			all = append(all, v)
		}
	}
	vary(func(k, v int) int { return max(1, v-1-k%2) })
	vary(func(_, v int) int { return v/2 | 1 })
	vary(func(k, v int) int { return min(v, 3+2*k) })
	vary(func(_, _ int) int { return 1 })
	return all
}

// shrunk halves the parameters that are not given, the largest first, until a run has at most
// verifyPoints iterations.
func shrunk(prog *sched.Program, s *settings) []int {
	v := slices.Clone(s.params)
	for {
		n, ok := pointsWith(prog, v)
		if !ok || n <= verifyPoints {
			return v
		}
		best := -1 // the largest parameter that changes the number of iterations
		for k := range v {
			if s.given[k] || v[k] < 2 || best >= 0 && v[k] <= v[best] {
				continue
			}
			half := slices.Clone(v)
			half[k] /= 2
			if m, ok := pointsWith(prog, half); ok && m < n {
				best = k
			}
		}
		if best < 0 {
			return v
		}
		v[best] /= 2
	}
}

// pointsWith counts the iterations of a run with the given parameters; ok is false if they
// allow no plan.
func pointsWith(prog *sched.Program, params []int) (n int64, ok bool) {
	plans, err := prog.PlanSteps(params, func(_ int, n *plan.Nest, params []int) (*plan.Plan, error) {
		return plan.New(n, params, plan.Options{})
	})
	if err != nil {
		return 0, false
	}
	return prog.Points(plans), true
}

// kernelNames are the kernels that compute the nests of a program.
func kernelNames(prog *sched.Program) string {
	var all []string
	for k := range prog.Parts() {
		if name := prog.KernelName(k); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}
