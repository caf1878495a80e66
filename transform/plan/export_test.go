package plan

// Unexported types, constants and functions that tests in package plan_test use.

type (
	Search      = search
	Price       = price
	Arrangement = arrangement
)

const (
	CostByte   = costByte
	CostByteIn = costByteIn
)

var (
	NewShare   = newShare
	PricesBy   = pricesBy
	LeastSum   = leastSum
	Sum        = sum
	Capped     = capped
	AtLeastOne = atLeastOne
)

func NewSpace(n *Nest, params []int) *Space {
	all, _ := n.intervals(params)
	return newSpace(n, all)
}

func (s *search) Run() arrangement     { return s.run() }
func (s *search) Order(a, b []int) int { return s.order(a, b) }
func (s *search) Complete(given []int, n int, cost func(v []int) price) []int {
	return s.complete(given, n, cost)
}
func (s *search) Factorize(total int, limit []int, f func([]int) bool) bool {
	return s.factorize(total, limit, f)
}
func (a price) Compare(b price) int                         { return a.compare(b) }
func (s *share) Cost(grid, mesh []int) float64              { return s.cost(grid, mesh) }
func (s *Space) Box() (lo, hi []int, ok bool)               { return s.box() }
func (p *Plan) Carry() bool                                 { return p.carry }
func (p *Plan) WholeBox(lo, hi []int)                       { p.wholeBox(lo, hi) }
func (n *Nest) Fitting(o Options) Options                   { return n.fitting(o) }
func (p *Plan) CheckOrder(slots func(e EdgeOf) int) error   { return p.checkOrder(slots) }
func (p *Plan) CheckCredits(slots func(e EdgeOf) int) error { return p.checkCredits(slots) }
func (p *Plan) Linked(x int) bool                           { return p.linked(x) }
func (p *Plan) WholeReach() []int                           { return p.wholeReach() }
func (p *Plan) ShiftedBox(lo, hi []int)                     { p.shiftedBox(lo, hi) }
func (p *Plan) ColumnLimits(extent, tile []int) []int       { return p.columnLimits(extent, tile) }
func (p *Plan) ColumnOf(col []int) int                      { return p.columnOf(col) }
func (p *Plan) RankTiles(x, node int) (first, last int)     { return p.rankTiles(x, node) }

func (s *share) Sent(grid, mesh []int) (ranks, cpus float64) {
	return s.sent(s.sides(grid, mesh), grid, mesh)
}

// BoxesOfAllWindows returns what GivenBox and ResultBox return, from the boxes of all windows.
func (p *Plan) BoxesOfAllWindows(rank, arr int) (given, result [2][]int) {
	var in, out box
	p.windowBoxes(rank, 0, p.Windows, func(mine box) {
		in, out = in.hull(p.givenBox(mine, arr)), out.hull(p.resultBox(mine, arr))
	})
	return [2][]int{in.lo, in.hi}, [2][]int{out.lo, out.hi}
}
