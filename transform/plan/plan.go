package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	_ "loopc/runtime/wideint"
)

// Options are decisions that a user may take from the planner. The zero value leaves everything to the planner, on one rank with one CPU.
type Options struct {
	Ranks int    `json:"ranks"`           // 0: one
	CPUs  int    `json:"cpus"`            // of each rank; 0: the product of Mesh, else one
	Mesh  []int  `json:"mesh,omitempty"`  // CPUs of a rank per loop, 1 along the mapping dimension; nil: chosen
	Tile  []int  `json:"tile,omitempty"`  // sides per loop; 0 or nil: chosen
	First []int  `json:"first,omitempty"` // side of the first tile per loop, if CPUs take tiles cyclically; 0: the side of the other tiles; nil: chosen
	Grid  []int  `json:"grid,omitempty"`  // ranks per loop, 1 along the mapping dimension; nil: chosen
	Map   string `json:"map,omitempty"`   // name of the mapping dimension's loop; "": chosen

	Group  Group  `json:"group,omitempty"`
	Sub    int    `json:"sub,omitempty"` // sub-tiles of a tile along the mapping dimension, with vertical grouping; 0: chosen
	Assign Assign `json:"assign,omitempty"`
	Comm   Comm   `json:"comm,omitempty"`
	Shape  Shape  `json:"shape,omitempty"` // criterion by which the grid is chosen

	// Cache is the size of a core's second cache, in bytes, which limits tiles in skewed storage; 0: 2 MiB.
	Cache int `json:"cache,omitempty"`
	// CompressFrom is the size in bytes from which levels are stored in a compressed grid, if the nest allows it; 0: 48 MiB.
	CompressFrom int `json:"compress_from,omitempty"`

	// Epoch is the number of levels after which the run is cut; 0: it is not cut.
	Epoch int `json:"epoch,omitempty"`
	// Done is the number of levels that are computed already.
	Done int `json:"done,omitempty"`

	// Written asks for the loops as they are written instead of a plan, whatever is predicted.
	Written bool `json:"written,omitempty"`
}

// A Plan is every decision about one run. It is immutable.
type Plan struct {
	Nest   *Nest
	Params []int // with the first numbers of repeats: see At
	Space  *Space

	Group  Group
	Assign Assign
	Comm   Comm

	// Lo and Hi are the bounding box of the iteration space or, if the run is cut, of the window at hand. Empty: there are no iterations, and
	// nothing below means anything.
	Lo, Hi []int
	Empty  bool
	cut

	Map          int   // mapping dimension: tiles along it share a worker
	Side         []int // of a tile, in iterations
	Origin       []int // tile c of a dimension begins at Origin + c·Side, but the first tile at Lo, which is greater if that tile is narrower
	Tiles        []int // number of tiles per dimension (u^S)
	HaloWidth    []int // longest flow distance per dimension
	Grid         []int // ranks per dimension (p), 1 along Map
	Mesh         []int // CPUs of a rank per dimension (m), 1 along Map
	Block        []int // neighboring columns of tiles per worker and dimension; 1 along Map
	Sub          int   // tiles along Map whose faces travel between ranks as one message: N of [P1] (4), 1 unless grouping is vertical
	Offset       int   // steps from the start of a round of columns to the start of the next: L of [P2]; see StepOf
	Ranks        int   // as asked for; ranks beyond the product of Grid are idle
	CPUs         int   // as asked for, per rank
	Cache        int   // size of a core's second cache that limited the tiles
	CompressFrom int   // size from which a compressed grid was wanted

	Warnings []string

	intervals  []interval // the values of Params
	whole      bool       // see KeepsWhole
	compressed bool       // see Compressed
	dirs       []Direction
	carry      bool // results are copied from a tile to the next one of its column; along dimension 0 live levels stay where they are
	diagonal   bool
	reach      []int // in skewed storage, a tile runs if iterations lie at most this far above it; nil: all tiles run
}

// New plans a run of nest. Errors are the user's: a parameter or an option that does not fit.
func New(nest *Nest, params []int, o Options) (*Plan, error) {
	return NewContext(context.Background(), nest, params, o)
}

// NewContext does what New does until ctx ends; then its error is the cause of that end.
func NewContext(ctx context.Context, nest *Nest, params []int, o Options) (*Plan, error) {
	if err := checkParams(nest, params); err != nil {
		return nil, err
	}
	switch {
	case o.Ranks < 0:
		return nil, fmt.Errorf("%d ranks: at least one is needed", o.Ranks)
	case o.CPUs < 0:
		return nil, fmt.Errorf("%d CPUs: at least one is needed", o.CPUs)
	case o.Sub < 0 || o.Sub > largest:
		return nil, fmt.Errorf("%d sub-tiles: at least one is needed, and 2^48 at most", o.Sub)
	}
	if err := errors.Join(checkCounts(o), o.check()); err != nil {
		return nil, err
	}
	o = nest.firstSideGiven(o)
	intervals, runs := nest.intervals(params)
	p := &Plan{
		Nest: nest, Params: params, intervals: intervals, Space: newSpace(nest, intervals), Group: o.Group, Assign: o.Assign, Comm: o.Comm,
		HaloWidth: nest.HaloWidth(), Ranks: max(1, o.Ranks), CPUs: o.CPUs, CompressFrom: o.CompressFrom,
	}
	if p.Comm == Any {
		p.Comm = Overlap
	}
	if p.Group == Any {
		p.Group = Hyperplane
	}
	if p.CPUs == 0 {
		p.CPUs = max(1, Product(o.Mesh))
	}
	lo, hi, ok := p.Space.box()
	p.Lo, p.Hi, p.Empty = lo, hi, !ok || !runs
	p.Long = p.long()
	if err := p.cutInto(o); err != nil {
		return nil, err
	}
	if p.Cache = min(o.Cache, mostCache); p.Cache <= 0 {
		p.Cache = UsualCache
	}
	if err := p.shape(ctx, o); err != nil {
		return nil, err
	}
	p.directions()
	p.offset()
	return p, nil
}

// shape chooses mapping dimension, grid, mesh and sides.
func (p *Plan) shape(ctx context.Context, o Options) error {
	if o.Tile == nil {
		o.Tile = p.Nest.Tile
	}
	var all [4][]int
	for i, given := range []struct {
		what string
		v    []int
	}{{"tile", o.Tile}, {"grid", o.Grid}, {"cpus", o.Mesh}, {"first", o.First}} {
		var err error
		if all[i], err = p.perDimension(given.what, given.v); err != nil {
			return err
		}
	}
	tile, grid, mesh, first := all[0], all[1], all[2], all[3]
	if o.Mesh != nil && o.CPUs > 0 && Product(o.Mesh) > o.CPUs {
		return fmt.Errorf("the CPU mesh %s has %d CPUs, not %d", Times(o.Mesh), Product(o.Mesh), o.CPUs)
	}
	extent := p.extent()
	var tooMany error // why the given grid does not suit the ranks
	if g := Product(o.Grid); o.Ranks > 0 && g > o.Ranks {
		tooMany = fmt.Errorf("the grid %s needs %d ranks, there are %d", Times(atLeastOne(o.Grid)), g, o.Ranks)
	}
	err := p.chooseMap(o, extent, grid, mesh)
	if tooMany != nil && err != nil {
		return fmt.Errorf("%w; %w", tooMany, err)
	}
	if err = cmp.Or(tooMany, err); err != nil {
		return err
	}
	p.Ranks = max(p.Ranks, Product(o.Grid))
	if p.Nest.Whole && p.Ranks == 1 && o.Grid == nil && o.Mesh == nil {
		mesh = p.wholeMesh(extent, tile)
	}
	workers := p.arrange(ctx, extent, p.columnLimits(extent, tile), o.given(grid, mesh), o.Shape)
	p.Grid, p.Mesh = workers.Grid, workers.Mesh
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := p.chooseSides(extent, tile, o.Sub); err != nil {
		return err
	}
	return p.narrowFirst(first)
}

// extent returns the extent of the space along each dimension, 1 if the space is empty.
func (p *Plan) extent() []int {
	extent := slices.Repeat([]int{1}, len(p.Lo))
	for k := range extent {
		if !p.Empty {
			extent[k] = p.Hi[k] - p.Lo[k] + 1
		}
	}
	return extent
}

// perDimension converts an option that has one entry per loop of the user: the result has one entry per dimension, 0 if it is left open.
func (p *Plan) perDimension(what string, v []int) ([]int, error) {
	n, user := len(p.Nest.Dims), p.UserDims()
	out := make([]int, n)
	if v != nil && len(v) != len(user) {
		entries := fmt.Sprintf("%d entries", len(v))
		if len(v) == 1 {
			entries = "1 entry"
		}
		return nil, fmt.Errorf("%s has %s, but the nest has %s (%s)", what, entries, Plural(len(user), "loop"), strings.Join(p.Nest.Dims[n-len(user):], ", "))
	}
	for k, x := range v {
		if x < 0 {
			return nil, fmt.Errorf("%s: %d is negative", what, x)
		}
		out[user[k]] = x
	}
	return out, nil
}

// atLeastOne returns v with 1 in place of entries that are left open.
func atLeastOne(v []int) []int {
	out := slices.Clone(v)
	for k := range out {
		out[k] = max(1, out[k])
	}
	return out
}

// UserDims returns the dimensions that are loops of the user.
func (p *Plan) UserDims() []int {
	var dims []int
	for k := range p.Nest.Dims {
		if k > 0 || !p.Nest.Levelled {
			dims = append(dims, k)
		}
	}
	return dims
}

// dimension returns the index, among the dimensions that are loops of the user, of the dimension with the given name. If there is none, it
// looks for the dimension that stands for the loop of that name: a sum of loops, in a tiling, or a reversed loop. It returns -1 if there is
// none either.
func (n *Nest) dimension(name string) int {
	if k := slices.Index(n.loops(), name); k >= 0 {
		return k
	}
	return slices.Index(n.Loops, name)
}

// loopNames returns the names by which a user knows the dimensions.
func (n *Nest) loopNames() []string {
	if n.Loops != nil {
		return n.Loops
	}
	return n.loops()
}

// chooseMap chooses the mapping dimension: the named one, else the longest, and of equally long ones the outermost.
func (p *Plan) chooseMap(o Options, extent, grid, mesh []int) error {
	p.Map = -1
	if o.Map != "" {
		if k := p.Nest.dimension(o.Map); k >= 0 {
			p.Map = p.UserDims()[k]
		}
		if p.Map < 0 {
			return fmt.Errorf("map %s: no such loop; the loops are %s", o.Map, strings.Join(p.Nest.loopNames(), ", "))
		}
		if grid[p.Map] > 1 || mesh[p.Map] > 1 {
			var several []string
			for _, of := range []struct {
				n    int
				what string
			}{{grid[p.Map], "rank"}, {mesh[p.Map], "CPU"}} {
				if of.n > 1 {
					several = append(several, Plural(of.n, of.what))
				}
			}
			return fmt.Errorf("map %s: the loop that tiles are mapped along belongs to one worker, it cannot have %s", o.Map, strings.Join(several, " and "))
		}
		return nil
	}
	for k, e := range extent {
		if grid[k] > 1 || mesh[k] > 1 {
			continue
		}
		if p.Nest.Whole && p.Ranks == 1 && p.Map >= 0 && k == len(extent)-1 && k > 1 {
			continue // rows are not divided
		}
		if p.Map < 0 || e > extent[p.Map] {
			p.Map = k
		}
	}
	if p.Map < 0 {
		return errors.New("a grid or CPU mesh must leave one loop whole, to map along")
	}
	return nil
}

// columnLimits returns, per dimension, the most workers that can share it: a tile is no shorter than the longest dependence.
func (p *Plan) columnLimits(extent, tile []int) []int {
	limit := make([]int, len(extent))
	for k, e := range extent {
		side := max(1, p.HaloWidth[k], tile[k])
		limit[k] = CeilDiv(e, side)
		if k == p.Map {
			limit[k] = 1
		}
	}
	return limit
}

func Product(v []int) int {
	x := 1
	for _, f := range v {
		x *= max(1, f)
	}
	return x
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

// Times formats numbers as "4x2".
func Times(v []int) string {
	var b strings.Builder
	for k, x := range v {
		if k > 0 {
			b.WriteByte('x')
		}
		fmt.Fprint(&b, x)
	}
	return b.String()
}
