package plan

import (
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Options returns options that leave nothing open: New makes the same plan from them, with the same digest. They contain all sides, so that
// Cache has no effect.
func (p *Plan) Options() Options {
	o := Options{
		Ranks: p.Ranks, CPUs: p.CPUs, Map: p.mapName(),
		Grid: p.PerLoop(p.Grid), Mesh: p.PerLoop(p.Mesh),
		Group: p.Group, Assign: p.Assign, Comm: p.Comm, CompressFrom: p.CompressFrom, Epoch: p.Epoch, Done: p.Done,
	}
	side := append([]int(nil), p.Side...)
	if p.Group == Vertical {
		o.Sub = p.Sub
		side[p.Map] *= p.Sub // New cuts it again
	}
	o.Tile = p.PerLoop(side)
	first, differs := make([]int, len(side)), false
	for x := range side {
		if p.FirstSide(x) < p.Side[x] {
			first[x], differs = p.FirstSide(x), true
		}
	}
	if differs {
		o.First = p.PerLoop(first)
	}
	return o
}

// mapName is the name of the mapping dimension. It is "" if that is the dimension of levels, which
// the compiler added and flags cannot name: New then chooses it again.
func (p *Plan) mapName() string {
	if p.Map == 0 && p.Nest.Levelled {
		return ""
	}
	return p.Nest.Dims[p.Map]
}

// check refuses values of Go code that no command line has.
func (o *Options) check() error {
	for k, c := range []encoding.TextMarshaler{o.Group, o.Assign, o.Comm, o.Shape} {
		if _, err := c.MarshalText(); err != nil {
			return fmt.Errorf("%s: %w", []string{"Group", "Assign", "Comm", "Shape"}[k], err)
		}
	}
	for k, n := range []int{o.Cache, o.CompressFrom, o.Epoch} {
		if n < 0 {
			return fmt.Errorf("%s is %d, and must be 0 or more", []string{"Cache", "CompressFrom", "Epoch"}[k], n)
		}
	}
	return nil
}

// PerLoop returns the entries of v that belong to loops of the user.
func (p *Plan) PerLoop(v []int) []int {
	var out []int
	for _, k := range p.UserDims() {
		out = append(out, v[k])
	}
	return out
}

// Set sets the option of a command-line flag, from the text that the user gave. The name of the flag has no dashes.
func (o *Options) Set(flag, text string) (err error) {
	switch flag {
	case "tile":
		if o.Written = text == "none"; !o.Written {
			o.Tile, err = sizes(text)
		}
	case "first":
		o.First, err = sizes(text)
	case "grid":
		o.Grid, err = sizes(text)
	case "cpus":
		if strings.ContainsAny(text, "x×") {
			o.Mesh, err = sizes(text)
		} else if o.CPUs, err = strconv.Atoi(text); err != nil || o.CPUs < 1 {
			err = errors.New("not a number of CPUs")
		}
	case "group":
		err = o.Group.UnmarshalText([]byte(text))
	case "assign":
		err = o.Assign.UnmarshalText([]byte(text))
	case "comm":
		err = o.Comm.UnmarshalText([]byte(text))
	case "shape":
		err = o.Shape.UnmarshalText([]byte(text))
	default:
		panic("BUG: no option is set by --" + flag)
	}
	return err
}

// sizes reads a text such as 4x4x1; - stands for 0, which leaves an entry open.
func sizes(text string) (v []int, err error) {
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "×", "x"), "x") {
		x := 0
		if part != "-" {
			if x, err = strconv.Atoi(part); err != nil || x < 0 || x > 1<<40 {
				return nil, fmt.Errorf("%q is not a size: sizes are integers with x between, as in 16x32", part)
			}
		}
		v = append(v, x)
	}
	return v, nil
}

// ShareCPUs gives each rank its share of n CPUs, at least one. If the CPUs of a rank are given, it changes nothing and returns false.
func (o *Options) ShareCPUs(n int) bool {
	if o.CPUs != 0 || o.Mesh != nil {
		return false
	}
	ranks := max(1, o.Ranks)
	if o.Ranks == 0 {
		ranks = known(o.Grid)
	}
	o.CPUs = max(1, n/ranks)
	return true
}

// Flags returns the command-line flags of an emitted program that set the options o. It leaves out Shape and Cache, which have no effect
// if the sizes of tiles and grids are given, and CompressFrom and Done, which have no flags.
func (o *Options) Flags() (args []string) {
	number := func(flag string, n int) {
		if n != 0 {
			args = append(args, flag, strconv.Itoa(n))
		}
	}
	entries := func(flag string, v []int) {
		if v != nil {
			args = append(args, flag, Times(v))
		}
	}
	word := func(flag, text string, open bool) {
		if !open {
			args = append(args, flag, text)
		}
	}
	number("-n", o.Ranks)
	if o.Mesh == nil {
		number("--cpus", o.CPUs)
	}
	entries("--cpus", o.Mesh)
	entries("--tile", o.Tile)
	word("--tile", "none", !o.Written)
	entries("--first", o.First)
	entries("--grid", o.Grid)
	if o.Map != "" {
		args = append(args, "--map="+o.Map) // a sum of loops may begin with a minus
	}
	word("--group", o.Group.String(), o.Group == Any)
	number("--sub", o.Sub)
	number("--epoch", o.Epoch)
	word("--assign", o.Assign.String(), o.Assign == Any)
	word("--comm", o.Comm.String(), o.Comm == Any)
	return args
}
