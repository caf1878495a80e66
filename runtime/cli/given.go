package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/runtime/launch"
	"loopc/runtime/npy"
	"loopc/transform/plan"
)

// A given is an array that the caller supplies, and its source: a file, a number or a seed.
type given struct {
	arr        int
	lo, extent []int
	elem       string
	file       *npy.File
	from       source // of the file
	number     string // the value of the only cell, as text; "": there is another source
	seed       seed
	index      *[2]int // of pseudo-random cells that are subscripts: the least and the greatest one
	unread     bool    // nothing reads the array: see inherit
}

// openGiven opens the arrays that the command line supplies, and checks types and shapes. The
// result has an entry per array of the nest, nil for arrays that are not given.
func (c *command) openGiven(ctx context.Context) ([]*given, error) {
	nest, params, s := c.prog.Nest, c.params(), c.settings
	all := make([]*given, len(nest.Arrays))
	var errs []error
	for k := range nest.Arrays {
		a := &nest.Arrays[k]
		if !isGiven(a) {
			continue
		}
		if s.in[k] == "" {
			g, err := c.unnamed(ctx, k)
			errs, all[k] = append(errs, err), g
			continue
		}
		from, err := c.open(ctx, s.in[k], a.Name)
		if errors.Is(err, fs.ErrNotExist) && isNumber(s.in[k]) {
			g, err := numberGiven(nest, params, k, s.in[k])
			errs, all[k] = append(errs, err), g
			continue
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("array %s: %w", a.Name, err))
			continue
		}
		g, err := fileGiven(nest, params, k, from)
		errs, all[k] = append(errs, err), g
	}
	if err := errors.Join(errs...); err != nil {
		closeGiven(all)
		return nil, err
	}
	return all, nil
}

// randomGiven returns array k with pseudo-random content.
func randomGiven(nest *plan.Nest, params []int, k int, s seed) (*given, error) {
	a := &nest.Arrays[k]
	lo, extent, err := a.Extent(params)
	if err != nil {
		return nil, err
	}
	g := &given{arr: k, lo: lo, extent: extent, elem: a.Elem, seed: s}
	of := element.Named(a.Elem)
	for _, x := range a.Indexes {
		lo, hi := int(max(int64(x[0].Eval(params, nil)), of.Lo)), int(min(int64(x[1].Eval(params, nil)), of.Hi))
		if g.index != nil {
			lo, hi = max(g.index[0], lo), min(g.index[1], hi)
		}
		if lo <= hi { // else no cell suits all subscripts
			g.index = &[2]int{lo, hi}
		}
	}
	return g, nil
}

// isNumber reports whether text is a number.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// numberGiven returns array k, given as a number. It fails unless the array has one cell.
func numberGiven(nest *plan.Nest, params []int, k int, text string) (*given, error) {
	a := &nest.Arrays[k]
	lo, extent, err := a.Extent(params)
	if err == nil && slices.ContainsFunc(extent, func(e int) bool { return e != 1 }) {
		err = fmt.Errorf("%s is a number, and the array has the shape %s", text, npy.Shape(extent))
	}
	if err == nil {
		_, err = numberOf(element.Named(a.Elem), text)
	}
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", a.Name, err)
	}
	return &given{arr: k, lo: lo, extent: extent, elem: a.Elem, number: text}, nil
}

// numberOf returns the value of a cell that is given as text.
func numberOf(t *element.Type, text string) (v element.Value, err error) {
	if t.Float {
		v.F, err = strconv.ParseFloat(text, 8*t.Size)
	} else if v.I, err = strconv.ParseInt(text, 10, 64); err == nil && !t.Has(v.I) {
		err = strconv.ErrRange
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return v, fmt.Errorf("%s is out of range of %s", text, t.Name)
	case err != nil:
		return v, fmt.Errorf("%s is no %s", text, t.Name)
	}
	return v, nil
}

// fileGiven returns array k with the content of a file, which must fit. The result owns the file; after an
// error it is closed.
func fileGiven(nest *plan.Nest, params []int, k int, from source) (*given, error) {
	a := &nest.Arrays[k]
	lo, extent, err := a.Extent(params)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("array %s: %w", a.Name, err), from.file.Close())
	}
	file, err := npy.OpenAs(from.form, from.file, from.shown, a.Elem, extent)
	if err == nil {
		if err = file.Fit(a.Elem, extent); err != nil {
			err = errors.Join(err, file.Close())
		}
	}
	if err != nil {
		from.copied.remove()
		return nil, fmt.Errorf("array %s: %w", a.Name, err)
	}
	return &given{arr: k, lo: lo, extent: extent, elem: a.Elem, file: file, from: from}, nil
}

// tellConverted prints a note for each file whose cells are converted.
func (c *command) tellConverted(all []*given) {
	for _, g := range all {
		if g != nil && g.file != nil && g.file.Converts() {
			fmt.Fprintf(c.stderr, "%s: note: %s has cells of type %s, which array %s holds as %s, exactly\n", c.prog.Nest.Name, g.file.Name(), g.file.Elem, c.prog.Nest.Arrays[g.arr].Name, g.elem)
		}
	}
}

// closeGiven closes the files after the last read.
func closeGiven(all []*given) {
	for _, g := range all {
		if g != nil && g.file != nil {
			_ = g.file.Close() // it was only read
			g.from.copied.remove()
		}
	}
}

// box returns a new view with the content of the cells lo..hi.
func (g *given) box(lo, hi []int) (array.View, error) {
	v, err := array.Make(g.elem, lo, hi)
	if err != nil {
		return v, err
	}
	return v, g.read(&v)
}

// read fills v.
func (g *given) read(v *array.View) error {
	if g.file != nil {
		return g.file.ReadBox(v, g.lo)
	}
	if g.unread {
		return nil
	}
	if g.number != "" {
		t := element.Named(g.elem)
		x, err := numberOf(t, g.number)
		for k := range v.Cells() {
			t.Set(v.Data, k, x)
		}
		return err
	}
	g.seed.fill(v, g)
	return nil
}

// whole returns a new view with the entire array.
func (g *given) whole() (array.View, error) { return g.box(g.lo, top(g.lo, g.extent)) }

// sum returns the checksum of the array's content, in C order. For pseudo-random content it returns the checksum of what
// determines the content (seed, array, type and bounds), which is as good and takes no time.
func (g *given) sum(ctx context.Context) (string, error) {
	h := sha256.New()
	if g.file == nil && g.number == "" {
		fmt.Fprintf(h, "random %s %d %s %v %v", g.seed, g.arr, g.elem, g.lo, g.extent)
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	err := eachPart(g.elem, g.lo, g.extent, func(lo, hi []int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, err := g.box(lo, hi)
		if err == nil {
			_, err = h.Write(v.Data)
		}
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// top returns the upper bounds that belong to lower bounds and extents.
func top(lo, extent []int) []int {
	hi := make([]int, len(lo))
	for k := range lo {
		hi[k] = lo[k] + extent[k] - 1
	}
	return hi
}

// A place tells another process where a file is: its directory, and its name there. The name
// cannot lead out of the directory.
type place struct {
	Dir  string `json:"dir"`
	Name string `json:"name"`

	// File is the number of the file at the rendezvous. A rank that does not have the file in
	// its own file system reads it there. A rank takes its own file of this name for the same
	// file if its length is Bytes and it was last changed at Modified, in nanoseconds. Modified
	// is 0 if no other file can have the name.
	File     int   `json:"file"`
	Bytes    int64 `json:"bytes"`
	Modified int64 `json:"modified,omitempty"`
}

// placeOf returns the place of the file at path, which has this number at the rendezvous. own says
// that only the run knows the file's name, and may change the file.
func placeOf(path string, file int, own bool) (place, error) {
	path, err := filepath.EvalSymlinks(path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return place{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return place{}, err
	}
	p := place{Dir: filepath.Dir(path), Name: filepath.Base(path), File: file, Bytes: info.Size()}
	if !own {
		p.Modified = info.ModTime().UnixNano()
	}
	return p, nil
}

// open opens the file for reading and, if write, for writing: at its place, or otherwise at the
// rendezvous, if there is a connection to it.
func (p place) open(write bool, far *launch.Service) (npy.Storage, error) {
	f, err := p.openHere(write)
	if far == nil {
		return f, err
	}
	if err == nil {
		info, err := f.Stat()
		if err == nil && info.Size() == p.Bytes && (p.Modified == 0 || p.Modified == info.ModTime().UnixNano()) {
			return f, nil
		}
		_ = f.Close() // another file with that name
	}
	return &farFile{service: far, place: p}, nil
}

// openHere opens the file at its place.
func (p place) openHere(write bool) (*os.File, error) {
	dir, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	flag := os.O_RDONLY
	if write {
		flag = os.O_RDWR
	}
	return dir.OpenFile(p.Name, flag, 0)
}
