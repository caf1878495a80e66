package plan

import (
	"fmt"
	"slices"
)

// Options returns options that leave nothing open: New makes the same plan from them, with the
// same digest. They contain all sides, so that Cache has no effect.
func (p *Plan) Options() Options {
	o := Options{
		Ranks: p.Ranks, CPUs: p.CPUs, Map: p.MapName(),
		Grid: p.PerLoop(p.Grid), Mesh: p.PerLoop(p.Mesh),
		Group: p.Group, Assign: p.Assign, Comm: p.Comm, CompressFrom: p.CompressFrom,
	}
	side := append([]int(nil), p.Side...)
	if p.Group == Vertical {
		o.Sub = p.Sub
		side[p.Map] *= p.Sub // New cuts it again
	}
	o.Tile = p.PerLoop(side)
	first, some := make([]int, len(side)), false
	for x := range side {
		if p.FirstSide(x) < p.Side[x] {
			first[x], some = p.FirstSide(x), true
		}
	}
	if some {
		o.First = p.PerLoop(first)
	}
	return o
}

// MapName is the name of the mapping dimension. It is "" if that dimension is not a loop of the
// user: then the other dimensions are divided, or have one iteration each.
func (p *Plan) MapName() string {
	if p.Map == 0 && p.Nest.Levelled {
		return ""
	}
	return p.Nest.Dims[p.Map]
}

// PerLoop returns the entries of v that belong to loops of the user.
func (p *Plan) PerLoop(v []int) []int {
	var out []int
	for _, k := range p.UserDims() {
		out = append(out, v[k])
	}
	return out
}

// MarshalText implements encoding.TextMarshaler: the word of the command line, ""
// if the choice is open.
func (c Comm) MarshalText() ([]byte, error) { return word(c, commNames) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Comm) UnmarshalText(text []byte) (err error) {
	*c, err = CommNamed(string(text))
	return err
}

// MarshalText implements encoding.TextMarshaler, like that of Comm.
func (g Group) MarshalText() ([]byte, error) { return word(g, groupNames) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (g *Group) UnmarshalText(text []byte) (err error) {
	*g, err = GroupNamed(string(text))
	return err
}

// MarshalText implements encoding.TextMarshaler, like that of Comm.
func (a Assign) MarshalText() ([]byte, error) { return word(a, assignNames) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Assign) UnmarshalText(text []byte) (err error) {
	*a, err = AssignNamed(string(text))
	return err
}

// MarshalText implements encoding.TextMarshaler, like that of Comm.
func (s Shape) MarshalText() ([]byte, error) { return word(s, shapeNames) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Shape) UnmarshalText(text []byte) (err error) {
	*s, err = ShapeNamed(string(text))
	return err
}

// word returns the name of a choice; an open choice, the first, has none.
func word[T ~uint8](choice T, names []string) ([]byte, error) {
	switch {
	case choice == 0:
		return nil, nil
	case int(choice) >= len(names):
		return nil, fmt.Errorf("choice %d of %d", choice, len(names))
	}
	return []byte(names[choice]), nil
}

// Shape is the criterion by which a process grid P_1 × .. × P_N is chosen.
type Shape uint8

// ShapeModel: the least estimated time, which counts the exact volume that the busiest worker
// sends. ShapeCommunication: the least volume by the published formula [P3] (6), and among
// equals the fewest steps. ShapeScheduling: every P_i as close to P^(1/N) as integer factors
// allow, [P3] (1), which gives the fewest steps. The zero value leaves the choice to the
// planner, which takes ShapeModel.
const (
	AnyShape Shape = iota
	ShapeModel
	ShapeCommunication
	ShapeScheduling
)

var shapeNames = []string{"any", "model", "communication", "scheduling"}

// String returns the word of the command line.
func (s Shape) String() string { return shapeNames[s] }

// ShapeNamed returns the Shape of that name; AnyShape for "".
func ShapeNamed(name string) (Shape, error) {
	if name == "" {
		return AnyShape, nil
	}
	if k := slices.Index(shapeNames, name); k > 0 {
		return Shape(k), nil
	}
	return AnyShape, fmt.Errorf("no such shape: %q; model, communication or scheduling", name)
}
