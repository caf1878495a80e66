package codegen

import (
	"fmt"
	"math"
	"slices"

	"loopc/ir"
)

// A criticalPath is the cost of one iteration of the portable kernel: the latency from the
// previous result of the row to the iteration's own, and the use of the processor's units. The
// figures are those of uops.info, rounded. Only their ratios matter, and these are much the same
// on all processors.
type criticalPath struct {
	g       *generator
	live    []bool
	last    int
	results []float64 // per statement: latency since the row's previous result; -Inf: the statement does not need that result
	latency float64   // the longest of the statements that compute values

	floating     float64 // operations on floating-point numbers; two units each do one per cycle
	divider      float64 // cycles for which it is occupied
	instructions float64 // of any kind, four per cycle
	loads        map[string]bool
	stores       float64 // one per cycle
	constants    map[string]bool
	scratch      int // registers for intermediate results

	branches bool    // a select evaluates the branch that it takes, and only that
	missed   float64 // with branches: cycles lost by wrong predictions
	data     []bool  // per statement so far: see onData
	across   bool    // lanes are along rows: the latency is from the previous row's results to those of the row
	masks    bool    // as across, in entire arrays, with masks that turn off a part of one vector of each row: see masked
}

// newCriticalPath counts the operations of the body. Results of the same row are in registers;
// results of other rows are loaded.
func newCriticalPath(g *generator, live []bool, branches bool) *criticalPath {
	c := &criticalPath{g: g, live: live, branches: branches}
	c.count()
	return c
}

// waits is the number of cycles from the results of a row to those of the next row, if lanes are along rows; 0 if the next row
// does not need results of the row.
func (g *generator) waits() float64 {
	c := &criticalPath{g: g, live: g.findLive(), across: true}
	c.count()
	return max(0, c.latency)
}

// waitsMasked is what waits is in entire arrays, in the order of the loops, if masks turn off a part of a vector of each row.
func (g *generator) waitsMasked() float64 {
	c := &criticalPath{g: g, live: g.findLive(), masks: true}
	c.count()
	return max(0, c.latency)
}

// nextRow reports whether a distance is that to the next row of the same plane.
func nextRow(d ir.Vec, last int) bool {
	return last > 0 && d[:last-1].Sign() == 0 && d[last-1] == 1
}

// count counts the operations of the body.
func (c *criticalPath) count() {
	g, live := c.g, c.live
	c.last, c.results = len(g.plan.Dims)-1, make([]float64, len(g.n.Body))
	c.loads, c.constants = map[string]bool{}, map[string]bool{}
	c.data = make([]bool, len(g.n.Body))
	for s, stmt := range g.n.Body {
		c.results[s] = math.Inf(-1)
		if !live[s] {
			continue
		}
		e := ir.Value(stmt)
		c.data[s] = c.onData(e)
		var need int
		c.results[s], need = c.expr(e)
		c.scratch = max(c.scratch, need)
		if r, ok := stmt.(*ir.Reduce); ok {
			c.reduce(r)
		}
		if v := slices.Index(g.l.Values, s); v >= 0 {
			c.latency = max(c.latency, c.results[s])
			if !g.l.Dead[v] || g.plan.Values[v].Direct {
				c.stores++
			}
		}
	}
}

// ports is the least time of an iteration, in cycles, if no operation waits.
func (c *criticalPath) ports() float64 {
	all := c.instructions + float64(len(c.loads)) + c.stores
	return max(1, c.floating/2, c.divider, float64(len(c.loads))/2, c.stores, all/4)
}

// registers returns how many registers are left for results carried along rows. On amd64, Go has
// fifteen for floating-point numbers, and addresses leave eight for integers.
func (c *criticalPath) registers() int {
	all := 15
	for s, stmt := range c.g.n.Body {
		if _, apart := stmt.(*ir.Reduce); c.live[s] && !apart && ir.Value(stmt).Type().Integer() {
			all = 8
		}
	}
	return max(2, all-len(c.constants)-c.scratch)
}

// reduce counts how a reduction combines the value of an iteration.
func (c *criticalPath) reduce(r *ir.Reduce) {
	p := price{0, 0, 0, 1}
	switch {
	case r.Place:
	case exact(r):
		p.instructions = 20
	case c.placed(r): // compared, and seldom combined
		p = price{0, 1, 0, 2}
	case r.Op != ir.ReduceSum:
		p = callPrice(&ir.Call{T: r.Type, Fn: ir.Max})
	}
	c.floating += p.floating
	c.instructions += p.instructions
}

// placed reports whether the place of r is asked for.
func (c *criticalPath) placed(r *ir.Reduce) bool {
	k := slices.Index(c.g.n.Reduces(), r)
	return k >= 0 && len(c.g.n.Places(k)) > 0
}

// A price is the cost of an operation: cycles of latency, floating-point operations, cycles of
// the divider, and instructions.
type price struct{ latency, floating, divider, instructions float64 }

// expr counts the operations of e. It returns the latency from the row's previous result to e,
// -Inf if e does not need that result, and the number of registers for intermediate results of e.
func (c *criticalPath) expr(e ir.Expr) (latency float64, registers int) {
	switch e := e.(type) {
	case *ir.Lit:
		if e.T.Float() {
			c.constants[e.T.String()+e.Value.ExactString()] = true
		}
	case *ir.LocalRef:
		return c.results[e.Stmt], 0
	case *ir.Read:
		return c.read(e), 0
	case *ir.Lookup, *ir.ConstCell:
		subs := ir.Operands(e)
		return c.apply(price{5, 0, 0, 1 + access*float64(len(subs))}, subs...)
	case *ir.Convert:
		return c.apply(price{4, 1, 0, 1}, e.X)
	case *ir.Unary:
		return c.apply(price{1, 0.5, 0, 1}, e.X)
	case *ir.Binary:
		return c.apply(binaryPrice(e), e.X, e.Y)
	case *ir.Call:
		if c.branches && e.T.Integer() && e.T.Size() == 1 { // there are no conditional moves of bytes
			c.missed += guessed * float64(len(e.Args)-1)
		}
		return c.operation(callPrice(e), true, e.Args)
	case *ir.ExternCall:
		return c.apply(price{60, 20, 0, 60}, e.Args...)
	case *ir.Select:
		// A predicted branch, or a conditional move.
		if c.branches {
			return c.branch(e)
		}
		return c.apply(price{2, 0, 0, 2}, e.Cond, e.A, e.B)
	}
	return math.Inf(-1), 0
}

// apply counts an operation and its operands.
func (c *criticalPath) apply(p price, operands ...ir.Expr) (latency float64, registers int) {
	return c.operation(p, false, operands)
}

// operation counts an operation and its operands. With pairs, an operation of two operands, such as min, is applied to the first two
// of the operands, and then once for each further operand.
func (c *criticalPath) operation(p price, pairs bool, operands []ir.Expr) (latency float64, registers int) {
	latency = math.Inf(-1)
	last, times := len(operands)-1, 1.0
	if pairs {
		times = float64(max(1, last))
	}
	for k, x := range operands {
		l, need := c.expr(x)
		latency, registers = max(latency, l), max(registers, need+min(k, 1))
		if k == last || pairs && k > 0 {
			latency += p.latency
		}
	}
	c.floating += p.floating * times
	c.divider += p.divider * times
	c.instructions += p.instructions * times
	return latency, max(1, registers)
}

// read counts a read.
func (c *criticalPath) read(e *ir.Read) float64 {
	switch from := c.g.l.Reads[e.ID]; {
	case from.From == ir.FromLocal:
		return c.results[c.g.l.Values[from.Value]]
	case c.masks:
		return c.masked(e, from)
	case c.across && from.From == ir.FromBlock && nextRow(from.Dist, c.last):
		return forwardedMasked
	case nextInRow(from, c.last):
		return 0
	case inRow(from, c.last):
		return c.reloaded(float64(max(1, from.Dist[c.last])))
	}
	c.loads[fmt.Sprint(e.Array, e.Subs)] = true // a cell that is read twice is loaded once
	return math.Inf(-1)
}

// masked is the latency of a load under a mask. If exactly the same cells were stored last in the array, they come from the store
// buffer. Otherwise a store of the row before, or of an earlier statement, may have stored a part of these cells, because rows are
// neighbors in memory: the load then waits until this store is complete.
func (c *criticalPath) masked(e *ir.Read, from ir.ReadFrom) float64 {
	stores := c.g.n.Assigns(e.Array)
	if len(stores) == 1 && from.From == ir.FromBlock && nextRow(from.Dist, c.last) && c.g.sameForm(e.Subs, stores[0]) {
		if apart, _, _ := c.g.between(e.Subs, stores[0]); apart[len(apart)-1] == 0 {
			return forwardedMasked
		}
	}
	latency := math.Inf(-1)
	for _, k := range stores {
		if !c.live[k] || c.g.collects(k) {
			continue
		}
		latency = max(latency, blocked)
		if k < c.g.n.ReadStmt[e.ID] {
			latency = max(latency, c.results[k]+blocked)
		}
	}
	return latency
}

// reloaded is the latency of a load from the store buffer, spread over the iterations since the store.
func (c *criticalPath) reloaded(iterations float64) float64 { return forwarded / iterations }

// isLit reports whether an expression is a constant.
func isLit(e ir.Expr) bool {
	_, ok := e.(*ir.Lit)
	return ok
}

func binaryPrice(e *ir.Binary) price {
	float := e.X.Type().Float()
	switch {
	case !float && e.Op == ir.Mul:
		return price{3, 0, 0, 1}
	case !float && e.Op.Divides() && isLit(e.Y):
		return price{5, 0, 0, 4} // a multiplication and shifts
	case !float && e.Op.Divides():
		return price{14, 0, 6, 4}
	case !float:
		return price{1, 0, 0, 1}
	case e.Op == ir.Quo && e.T == ir.Float32:
		return price{11, 1, 3, 1.5}
	case e.Op == ir.Quo:
		return price{14, 1, 4, 1.5}
	}
	return price{4, 1, 0, 1.5} // every second one copies an operand first
}

func callPrice(e *ir.Call) price {
	switch {
	case e.T.Integer():
		return price{2, 0, 0, 2} // a comparison and a conditional move
	case e.Fn == ir.Min, e.Fn == ir.Max:
		return price{10, 4, 0, 6} // with signed zeros and NaN
	case e.Fn == ir.Abs:
		return price{1, 1, 0, 1}
	case e.Fn == ir.Sqrt:
		return price{18, 1, 6, 1}
	case e.Fn == ir.Floor, e.Fn == ir.Ceil, e.Fn == ir.Trunc:
		return price{8, 2, 0, 1}
	}
	return price{60, 20, 0, 60} // a function
}
