// Package eval interprets a nest as sequential loops. It is the reference with which every
// compiled program is compared, bit for bit.
//
// The input is an *ir.Nest, values for its parameters and the caller's arrays; the output
// is the arrays that the nest returns. Expressions are evaluated node by node, each rounded
// to its type. No operation is reordered or fused, and every array is stored completely. The
// interpreter is meant to be obviously correct, not fast.
package eval

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// ErrRefused is wrapped by the error of a run whose parameters fail a check that the
// compiler left to launch time.
var ErrRefused = errors.New("refused at launch")

// An Access is one read or write of an array cell by the body of a nest.
type Access struct {
	Stmt   int   // index into Nest.Body
	Read   int   // index into Nest.Reads, or -1 for the write of Stmt
	Iter   []int // the iteration; reused, valid during the call only
	Array  int   // index into Nest.Arrays
	Offset int   // of the cell, in C order
}

// Run runs n and returns the content of every array that n gives back, by name: all cells of an
// out or inout array; of an internal array the slice of its out statement, without the fixed
// dimensions. The result of a reduction is an array of the reduction's name with one cell and no
// dimensions.
//
// params has a value for every parameter of n, and floats for every float parameter. in holds the In and InOut arrays,
// with the bounds that n declares; they are read, never changed. Run returns an
// error for a negative extent of an array that is given or given back, an input that is missing or does not fit, a
// failing check of n.Analysis (wrapping ErrRefused), a subscript out of bounds,
// and an integer division by zero; the last two name file, line and iteration.
func Run(n *ir.Nest, params []int, in map[string]*Array, floats ...float64) (map[string]*Array, error) {
	return RunTraced(n, params, in, nil, floats...)
}

// RunTraced does what Run does, and calls trace, unless it is nil, for every access of the body, in
// order. Operands of select, && and || that are not needed are not accessed.
func RunTraced(n *ir.Nest, params []int, in map[string]*Array, trace func(Access), floats ...float64) (map[string]*Array, error) {
	return run(n, params, in, trace, nil, floats)
}

// RunShown does what Run does, and calls shown after each iteration of the outermost loop, with its number and a function that
// returns the results as they are then; later iterations change them.
func RunShown(n *ir.Nest, params []int, in map[string]*Array, shown func(x int, now func() (map[string]*Array, error)) error, floats ...float64) (map[string]*Array, error) {
	return run(n, params, in, nil, shown, floats)
}

// run is RunTraced and RunShown.
func run(n *ir.Nest, params []int, in map[string]*Array, trace func(Access), shown func(int, func() (map[string]*Array, error)) error, floats []float64) (map[string]*Array, error) {
	if len(params) != len(n.Params) || len(floats) != len(n.Floats) {
		return nil, fmt.Errorf("%s: %d parameters given, %d wanted", n.File, len(params)+len(floats), len(n.Params)+len(n.Floats))
	}
	if err := launchChecks(n, params, true); err != nil {
		return nil, err
	}
	m := &machine{
		nest:     n,
		params:   params,
		floats:   floats,
		arrays:   make([]*Array, len(n.Arrays)),
		locals:   make([]value, len(n.Body)),
		literals: map[*ir.Lit]value{},
		trace:    trace,
		shown:    shown,
	}
	// Inputs first: the init expressions of the others may read them.
	for k := range n.Arrays {
		if err := m.allocate(k, in); err != nil {
			return nil, err
		}
	}
	for k := range n.Arrays {
		if err := m.initialize(k); err != nil {
			return nil, err
		}
	}
	m.names = m.names[:0]
	for _, l := range n.Loops {
		m.names = append(m.names, l.Name)
	}
	m.iter = make([]int, n.Depth())
	m.reduced = map[*ir.Reduce]*reduction{}
	for _, r := range n.Reduces() {
		m.reduced[r] = newReduction(r)
	}
	if err := m.loop(0); err != nil {
		return nil, err
	}
	return m.results()
}

// launchChecks returns an error for the first check of n that params fail. Unless numbered, it leaves out the
// checks that have the number of a repeat.
func launchChecks(n *ir.Nest, params []int, numbered bool) error {
	if n.Analysis == nil {
		return nil
	}
	for _, c := range n.Analysis.Checks {
		fails := numbered || !slices.ContainsFunc(c.Fails, n.Numbered)
		for _, f := range c.Fails {
			fails = fails && f.Eval(params, nil) >= 0
		}
		if fails {
			return fmt.Errorf("%s:%d:%d: %s [%s]: %w", n.File, c.At.Line, c.At.Col, c.Message, c.Code, ErrRefused)
		}
	}
	return nil
}

// A machine is the state of a run.
type machine struct {
	nest     *ir.Nest
	params   []int
	floats   []float64
	arrays   []*Array
	iter     []int    // the iteration, or the cell whose init is evaluated
	names    []string // of the entries of iter
	stmt     int      // index in Body of the statement that is running
	locals   []value  // values of the lets, by index in Body
	literals map[*ir.Lit]value
	reduced  map[*ir.Reduce]*reduction
	ended    []value // results of reductions, for the condition of a repeat
	trace    func(Access)
	shown    func(int, func() (map[string]*Array, error)) error
}

// errorf returns an error at a line of the program and the machine's iteration.
func (m *machine) errorf(place, format string, args ...any) error {
	var at []string
	for _, x := range m.nest.Numbers {
		if !x.Item {
			at = append(at, fmt.Sprintf("%s = %d", m.nest.Params[x.Param].Name, m.params[x.Param]))
		}
	}
	for k, x := range m.iter {
		at = append(at, fmt.Sprintf("%s = %d", m.names[k], x))
	}
	return fmt.Errorf("%s:%s: %s at %s", m.nest.File, place, fmt.Sprintf(format, args...), strings.Join(at, ", "))
}

// offset returns the offset in array a of the cell with the given subscripts. A read may
// lie beyond the bounds if the array has a boundary.
func (m *machine) offset(a int, subs []ir.Affine, at diag.Span, read bool) (int, error) {
	var buf [8]int
	cell := buf[:0]
	for d, s := range subs {
		x := s.Eval(m.params, m.iter)
		if read {
			x = m.nest.Arrays[a].Cell(d, x, m.arrays[a].Lo[d], m.arrays[a].Hi[d])
		}
		cell = append(cell, x)
	}
	offset, ok := m.arrays[a].Offset(cell)
	if !ok {
		return 0, m.errorf(fmt.Sprint(at.Line), "%s%v is out of bounds", m.nest.Arrays[a].Name, cell)
	}
	return offset, nil
}

// allocate makes array k: zeros, or a copy of the caller's array.
func (m *machine) allocate(k int, in map[string]*Array) error {
	decl := &m.nest.Arrays[k]
	var lo, hi []int
	for d := range decl.Lo {
		lo = append(lo, decl.Lo[d].Eval(m.params, nil))
		hi = append(hi, decl.Hi[d].Eval(m.params, nil))
		if decl.MayLackCells() {
			hi[d] = max(hi[d], lo[d]-1) // an array that nobody sees has no cells, rather than a negative extent
		}
	}
	a, err := NewArray(decl.Elem, lo, hi)
	if err != nil {
		return fmt.Errorf("%s:%d: array %s: %w", m.nest.File, decl.Span.Line, decl.Name, err)
	}
	m.arrays[k] = a
	if decl.Role != ir.In && decl.Role != ir.InOut {
		return nil
	}
	given := in[decl.Name]
	switch {
	case given == nil:
		return fmt.Errorf("array %s: not given", decl.Name)
	case given.Elem != decl.Elem:
		return fmt.Errorf("array %s: given as %v, declared %v", decl.Name, given.Elem, decl.Elem)
	case len(given.Lo) != len(lo):
		return fmt.Errorf("array %s: given with %d dimensions, declared with %d", decl.Name, len(given.Lo), len(lo))
	}
	for d := range lo {
		if given.Lo[d] != lo[d] || given.Hi[d] != hi[d] {
			return fmt.Errorf("array %s: dimension %d given as %d..%d, declared %d..%d",
				decl.Name, d+1, given.Lo[d], given.Hi[d], lo[d], hi[d])
		}
	}
	if given.stored() != a.stored() {
		return fmt.Errorf("array %s: %d cells given, its bounds hold %d", decl.Name, given.stored(), a.stored())
	}
	m.arrays[k] = given.Clone()
	return nil
}

// initialize evaluates the init expression of array k, if it has one, for every
// cell.
func (m *machine) initialize(k int) error {
	decl := &m.nest.Arrays[k]
	if decl.Init == nil {
		return nil
	}
	a := m.arrays[k]
	m.names = decl.Init.Names
	for offset := range a.stored() {
		m.iter = a.Cell(offset)
		v, err := m.eval(decl.Init.Expr)
		if err != nil {
			return err
		}
		a.set(offset, v)
	}
	return nil
}

// loop runs loop k and the loops inside it, for the current values of the outer iterators.
func (m *machine) loop(k int) error {
	if k == len(m.nest.Loops) {
		return m.body()
	}
	l := &m.nest.Loops[k]
	x, last := Bounds(l, m.params, m.iter)
	if l.Backward {
		x, last = last, x
	}
	for ; (last-x)*l.Step() >= 0; x += l.Step() {
		m.iter[k] = x
		if err := m.loop(k + 1); err != nil {
			return err
		}
		if k == 0 && m.shown != nil {
			if err := m.shown(x, m.results); err != nil {
				return err
			}
		}
	}
	return nil
}

// Bounds returns the first and the last value of a loop, inclusive, for given
// parameters and outer iterators; the loop is empty if lo > hi.
func Bounds(l *ir.Loop, params, iter []int) (lo, hi int) {
	lo, hi = l.Lo[0].Eval(params, iter), l.Hi[0].Eval(params, iter)
	for _, b := range l.Lo[1:] {
		lo = max(lo, b.Eval(params, iter))
	}
	for _, b := range l.Hi[1:] {
		hi = min(hi, b.Eval(params, iter))
	}
	return lo, hi
}

// body runs the statements of one iteration.
func (m *machine) body() error {
	replaced := false // the last reduction that is no place has taken the value of this iteration: its places follow
	for k, s := range m.nest.Body {
		m.stmt = k
		switch s := s.(type) {
		case *ir.Let:
			v, err := m.eval(s.Expr)
			if err != nil {
				return err
			}
			m.locals[k] = v
		case *ir.Assign:
			v, err := m.eval(s.Expr)
			if err != nil {
				return err
			}
			offset, err := m.offset(s.Array, s.Subs, s.Span, false)
			if err != nil {
				return err
			}
			if m.trace != nil {
				m.trace(Access{Stmt: k, Read: -1, Iter: m.iter, Array: s.Array, Offset: offset})
			}
			m.arrays[s.Array].set(offset, v)
		case *ir.Reduce:
			v, err := m.eval(s.Expr)
			if err != nil {
				return err
			}
			switch {
			case !s.Place:
				replaced = m.reduced[s].add(v)
			case replaced:
				m.reduced[s].v = v
			}
		}
	}
	return nil
}

// results returns the arrays and slices that are given back, by name.
func (m *machine) results() (map[string]*Array, error) {
	out := map[string]*Array{}
	for k := range m.nest.Arrays {
		decl, a := &m.nest.Arrays[k], m.arrays[k]
		switch {
		case decl.Out != nil:
			s, err := m.slice(decl, a)
			if err != nil {
				return nil, err
			}
			out[decl.Name] = s
		case decl.Returned():
			out[decl.Name] = a
		}
	}
	for r, v := range m.reduced {
		a, err := NewArray(r.Type, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("reduce %s: %w", r.Name, err)
		}
		a.set(0, v.result())
		out[r.Name] = a
	}
	return out, nil
}

// slice returns the cells of a that decl.Out selects.
func (m *machine) slice(decl *ir.Array, a *Array) (*Array, error) {
	cell := make([]int, len(a.Lo))
	var free, lo, hi []int
	for d, fixed := range decl.Out {
		if fixed != nil {
			cell[d] = fixed.Eval(m.params, nil)
			continue
		}
		free, lo, hi = append(free, d), append(lo, a.Lo[d]), append(hi, a.Hi[d])
	}
	s, err := NewArray(a.Elem, lo, hi)
	if err != nil {
		return nil, fmt.Errorf("out %s: %w", decl.Name, err)
	}
	for k := range s.stored() {
		for f, x := range s.Cell(k) {
			cell[free[f]] = x
		}
		offset, ok := a.Offset(cell)
		if !ok {
			return nil, fmt.Errorf("%s:%d: out %s%v is out of bounds", m.nest.File, decl.OutSpan.Line, decl.Name, cell)
		}
		s.set(k, a.at(offset))
	}
	return s, nil
}
