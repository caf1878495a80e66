package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loopc/runtime/checkpoint"
	"loopc/runtime/files"
	"loopc/runtime/npy"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// inherit gives parameters that the user has not named the values that they have in the checkpoint.
func (c *command) inherit(from *checkpoint.Manifest) {
	s, n := c.settings, c.prog.Nest
	for k, name := range n.Params {
		if v, ok := from.Parameters[name]; ok && !s.given[k] {
			s.params[k] = v
		}
	}
	for k, name := range n.Floats {
		if v, ok := from.Floats[name]; ok && !s.given[len(n.Params)+k] {
			s.floats[k] = v
		}
	}
	c.prog = c.prog.With(s.floats...)
}

// extends returns nil if the run continues from a checkpoint of a run with the same parameters, or with a shorter
// one; else why not.
func (c *command) extends(ctx context.Context, from *checkpoint.Manifest) error {
	var was []int
	for _, name := range c.prog.Nest.Params {
		was = append(was, from.Parameters[name])
	}
	if slices.Equal(was, c.settings.params) {
		return nil
	}
	return sched.Extends(ctx, c.prog, from.State(nil), was, c.settings.params)
}

// grown returns an error for each given array with a bound that depends on a parameter which is greater than in the checkpoint:
// the run would need more cells than the array had, and the content could not be the one that the run has begun with.
func (c *command) grown(from *checkpoint.Manifest) error {
	var errs []error
	n := c.prog.Nest
	for k := range n.Arrays {
		a := &n.Arrays[k]
		origin := cmp.Or(c.settings.in[k], from.Inputs[a.Name].From)
		if !isGiven(a) || origin == "" {
			continue
		}
		for p, name := range n.Params {
			was, is := from.Parameters[name], c.settings.params[p]
			in := func(f plan.Affine) bool { return p < len(f.Params) && f.Params[p] != 0 }
			if was != is && (slices.ContainsFunc(a.Lo, in) || slices.ContainsFunc(a.Hi, in)) {
				errs = append(errs, fmt.Errorf("parameter %s is %d, and %d in the checkpoint: it is in the bounds of the given array %s, which a run that continues must have as it was; a parameter of its own there, such as %[1]sMax, lets %[1]s become greater",
					name, is, was, a.Name))
			}
		}
	}
	return errors.Join(errs...)
}

// unnamed returns given array k, for which the user names no source. With --random its content is pseudo-random. Otherwise it is
// what the run of the checkpoint was given: from a copy beside the checkpoint, from the seed, the number or the file of that run.
func (c *command) unnamed(ctx context.Context, k int) (*given, error) {
	nest, params, s := c.prog.Nest, c.params(), c.settings
	if s.random != nil {
		return randomGiven(nest, params, k, *s.random)
	}
	name := nest.Arrays[k].Name
	in := s.from.Inputs[name]
	if in.File != "" {
		f, err := os.Open(filepath.Join(s.resume, in.File))
		if err != nil {
			return nil, fmt.Errorf("array %s: %w; --in %s=%s supplies it, too", name, err, name, in.From)
		}
		return fileGiven(nest, params, k, source{file: f, shown: in.From})
	}
	if text, random := strings.CutPrefix(in.From, randomWord); random {
		made := settings{}
		if err := made.setRandom(text); err == nil {
			return randomGiven(nest, params, k, *made.random)
		}
	}
	if g, err := numberGiven(nest, params, k, in.From); err == nil {
		return g, nil
	}
	if !s.check && !c.reads(k) {
		return unreadGiven(nest, params, k)
	}
	if in.From != "" {
		if from, err := c.open(ctx, in.From, name); err == nil { // its content is compared
			return fileGiven(nest, params, k, from)
		}
	}
	why := "it is still read, and checkpoints do not have it"
	if s.check && !c.reads(k) {
		why = "--check runs the sequential loops from the first level"
	}
	return nil, usagef("array %s must be given again, by --in %s=FILE (%s is not here): %s", name, name, cmp.Or(in.From, "what it was"), why)
}

// randomWord begins what a checkpoint says of the source of pseudo-random arrays.
const randomWord = "--random "

// unreadGiven returns array k without content: nothing reads it.
func unreadGiven(nest *plan.Nest, params []int, k int) (*given, error) {
	a := &nest.Arrays[k]
	lo, extent, err := a.Extent(params)
	return &given{arr: k, lo: lo, extent: extent, elem: a.Elem, unread: true}, err
}

// reads reports whether the levels that are left, or cells of results that no iteration writes, may need given
// array k.
func (c *command) reads(k int) bool {
	if c.prog.Nest.Arrays[k].Role == plan.InOut {
		return true
	}
	for _, r := range c.prog.Repeats() {
		if r.Item != nil && r.Item.Array == k {
			return true
		}
	}
	for _, p := range c.plans {
		for _, r := range p.Nest.InitReads {
			if r.Array == k && p.Nest.Arrays[r.Of].Returned() {
				return true
			}
		}
		for rank := range p.Ranks {
			if _, _, ok := p.GivenBox(rank, k); ok {
				return true
			}
		}
	}
	return false
}

// inputs returns what checkpoints say of the given arrays.
func (c *command) inputs(ctx context.Context, givens []*given) (map[string]checkpoint.Input, error) {
	all := map[string]checkpoint.Input{}
	for k, g := range givens {
		if g == nil {
			continue
		}
		arr := &c.prog.Nest.Arrays[k]
		if g.unread {
			all[arr.Name] = c.settings.from.Inputs[arr.Name]
			continue
		}
		sum, err := g.sum(ctx)
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", arr.Name, err)
		}
		in := checkpoint.Input{From: cmp.Or(g.from.shown, g.number, randomWord+g.seed.String()), SHA256: sum}
		if arr.Role == plan.InOut && g.file != nil && c.settings.dir != "" {
			in.File = checkpoint.InputFile(arr.Name, sum)
		}
		all[arr.Name] = in
	}
	return all, nil
}

// keepInputs copies the given arrays that the run changes into the folder of checkpoints: when another run continues this one,
// the user's files may have the results instead. The user must give that run each array again that could not be copied.
func (w *saving) keepInputs(ctx context.Context, prog *sched.Program, givens []*given) {
	for k, g := range givens {
		name := prog.Nest.Arrays[k].Name
		in := w.run.Inputs[name]
		if in.File == "" {
			continue
		}
		path := filepath.Join(w.dir, in.File)
		if files.Same(path, g.file.Name()) {
			continue
		}
		err := storeArray(path, g.elem, g.extent, func(to *npy.Writer) error {
			return eachPart(g.elem, g.lo, g.extent, func(lo, hi []int) error {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				v, err := g.box(lo, hi)
				if err != nil {
					return err
				}
				return to.WriteWritten(&v, g.lo)
			})
		})
		if err != nil && ctx.Err() == nil {
			in.File = ""
			w.run.Inputs[name] = in // the collector of checkpoints shares this map
			w.warn(fmt.Sprintf("array %s is not kept beside the checkpoints, so --resume needs it again: %v", name, err))
		}
	}
}

// storeArray writes an array to a file, which appears when it is complete and synced.
func storeArray(path, elem string, shape []int, cells func(to *npy.Writer) error) error {
	create := func(dir, base string) (string, *os.File, *os.File, error) { return newTemporary(dir, base, "") }
	s, err := newStored(path, elem, shape, create, cells)
	if err == nil {
		err = s.rename(s.file.Sync())
	}
	if err == nil {
		files.SyncDir(filepath.Dir(s.target))
	}
	return err
}

// A stored is a complete file that does not have its name yet.
type stored struct {
	path, target, temp string
	file, hold         *os.File
	bytes              int // of its cells
}

// newStored writes an array to a new file with a temporary name. create makes this file, and returns what makeTemporary returns.
func newStored(path, elem string, shape []int, create func(dir, base string) (temp string, file, hold *os.File, err error), cells func(to *npy.Writer) error) (*stored, error) {
	s := &stored{path: path}
	var err error
	if s.target, err = files.Target(path); err != nil {
		return nil, err
	}
	if s.temp, s.file, s.hold, err = create(filepath.Dir(s.target), filepath.Base(s.target)); err != nil {
		return nil, files.Unwritable(path, err)
	}
	w, err := npy.Create(npy.FormOf(path), s.file, elem, shape)
	if err == nil {
		err = cells(w)
	}
	if err != nil {
		return nil, s.rename(err)
	}
	return s, nil
}

// rename closes the file and gives it its name. If it cannot, or if err, the error of what was done with the file before, is not
// nil, rename removes the file and returns the error.
func (s *stored) rename(err error) error {
	if err = errors.Join(err, s.file.Close()); err == nil {
		err = os.Rename(s.temp, s.target)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(s.temp))
	}
	if s.hold != nil {
		_ = s.hold.Close() // nothing was written to it
	}
	return err
}
