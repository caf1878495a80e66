package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loopc/runtime/array"
	"loopc/runtime/files"
	"loopc/runtime/npy"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// A result is a file that takes what is given back of an array. Until the whole
// run has succeeded it has another name in the same directory.
type result struct {
	arr        int
	elem       string
	lo, extent []int
	path       string      // where it goes, as the user has named it; "": nowhere
	target     string      // the file that path leads to
	perm       os.FileMode // of the file that it replaces; 0: there is none
	temp       string
	file       *os.File
	hold       *os.File // the lock of temp, see newTemporary
	writer     *npy.Writer
	bytes      int64 // of the file
	reserved   bool  // there is space for all of it
}

// results are the files of a run.
type results struct {
	all     []*result // of arrays
	reduced []*result // of reductions; arr counts on behind the arrays
	arrays  int       // of the nest
	scratch string    // directory of files that go nowhere; "": none
	hold    *os.File  // its lock
}

// newResults makes the files of the results that s names, under temporary names
// and of full size, with space for all of that; if every, also those of the other
// arrays, in a directory that vanishes with the run. On an error nothing is left. Where
// space cannot be reserved, warn tells of what there is too little of.
func newResults(ctx context.Context, nest *plan.Nest, params []int, s *settings, every bool, warn func(string)) (*results, error) {
	if s.check { // this one may need no such directory
		removeLeftovers(os.TempDir(), scratchName, scratchLock)
	}
	r := &results{arrays: len(nest.Arrays)}
	for k := range nest.Arrays {
		a := &nest.Arrays[k]
		path := s.out[k]
		if !a.Returned() || path == "" && !every {
			continue
		}
		lo, extent := a.SliceExtent(params)
		res := &result{arr: k, elem: a.Elem, lo: lo, extent: extent, path: path}
		r.all = append(r.all, res)
		if err := r.create(ctx, res); err != nil {
			r.discard()
			return nil, fmt.Errorf("result %s: %w", a.Name, err)
		}
	}
	for k := range nest.Reduces {
		arr := len(nest.Arrays) + k
		if s.out[arr] == "" {
			continue
		}
		res := &result{arr: arr, elem: nest.Reduces[k].Elem, path: s.out[arr]}
		r.reduced = append(r.reduced, res)
		if err := r.create(ctx, res); err != nil {
			r.discard()
			return nil, fmt.Errorf("result %s: %w", nest.Reduces[k].Name, err)
		}
	}
	r.compareSpace(warn)
	return r, nil
}

// files returns the files of arrays, then those of reductions.
func (r *results) files() []*result { return slices.Concat(r.all, r.reduced) }

// writeReduced writes the reductions of a run into their files.
func (r *results) writeReduced(sum sched.Summary) error {
	for _, res := range r.reduced {
		v := sum.Reductions[res.arr-r.arrays].Result()
		if err := res.write(&v); err != nil {
			return fmt.Errorf("result %s: %w", res.path, err)
		}
	}
	return nil
}

// create makes the file of res, and reserves space for it.
func (r *results) create(ctx context.Context, res *result) error {
	dir, base, name := "", "result.npy", res.path
	if res.path == "" {
		if err := r.makeScratch(); err != nil {
			return err
		}
		dir, name = r.scratch, r.scratch
	} else {
		if err := res.find(); err != nil {
			return err
		}
		dir, base = filepath.Split(res.target)
	}
	var err error
	if res.temp, res.file, res.hold, err = newTemporary(dir, base, ""); err != nil {
		return files.Unwritable(name, err)
	}
	if res.perm != 0 { // what only some may read is not for others meanwhile; ranks open it by name
		if err := res.file.Chmod(res.perm | 0o600); err != nil {
			return files.Unwritable(name, err)
		}
	}
	if res.bytes, err = npy.Size(res.elem, res.extent); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if res.writer, err = npy.Create(res.file, res.elem, res.extent); err != nil {
		err = files.NoSpace(res.file, res.bytes, err)
	} else {
		res.reserved, err = files.Reserve(ctx, res.file, res.bytes)
	}
	if err != nil && ctx.Err() == nil {
		err = files.Unwritable(name, err)
	}
	return err
}

// find finds the file that the path of res leads to, and whether it may be replaced.
func (res *result) find() (err error) {
	if res.target, err = files.Target(res.path); err != nil {
		return err
	}
	info, err := os.Stat(res.target)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s exists and is not a regular file", res.path)
	case err == nil:
		res.perm = info.Mode().Perm()
	}
	return files.CheckWritable(res.path)
}

// compareSpace warns of files for which no space could be reserved, if less is free where
// they are than they take.
func (r *results) compareSpace(warn func(string)) {
	need := map[string]int64{} // by directory
	for _, res := range r.files() {
		if res.reserved {
			continue
		}
		dir := filepath.Dir(res.temp)
		need[dir] += res.bytes
		if free := files.Free(res.file); free >= 0 && free < need[dir] {
			warn(fmt.Sprintf("the results in %s take %d bytes, %d are free there, and none can be reserved: the run may fail when it writes them", dir, need[dir], free))
		}
	}
}

// What the directory of results that go nowhere is called before it has its random
// letters, and the file in it that is locked.
const scratchName, scratchLock = "loop-check", "lock"

// makeScratch makes the directory of results that go nowhere, if it is not there yet.
func (r *results) makeScratch() error {
	if r.scratch != "" {
		return nil
	}
	dir, file, hold, err := newTemporary(os.TempDir(), scratchName, scratchLock)
	if err != nil {
		return err
	}
	r.scratch, r.hold = dir, hold
	return file.Close()
}

// of returns the result of array arr, or nil.
func (r *results) of(arr int) *result {
	for _, res := range r.all {
		if res.arr == arr {
			return res
		}
	}
	return nil
}

// write writes the marked cells of v, a box of the result.
func (res *result) write(v *array.View) error { return res.writer.WriteWritten(v, res.lo) }

// read returns what the file holds now.
func (res *result) read() (array.View, error) {
	v, err := array.Make(res.elem, res.lo, top(res.lo, res.extent))
	if err != nil {
		return v, err
	}
	f, err := npy.Open(res.temp)
	if err != nil {
		return v, err
	}
	defer f.Close()
	return v, f.ReadBox(&v, res.lo)
}

// slabs calls f with boxes that together are the whole result, each of some
// megabytes if the first dimension allows it.
func (res *result) slabs(f func(lo, hi []int) error) error {
	const slabBytes = 4 << 20
	hi := top(res.lo, res.extent)
	if len(hi) == 0 {
		return f(res.lo, hi)
	}
	each := array.SizeOf(res.elem)
	for _, e := range res.extent[1:] {
		each *= e
	}
	step := max(1, slabBytes/max(1, each))
	for at := res.lo[0]; at <= hi[0]; at += step {
		lo, to := append([]int(nil), res.lo...), append([]int(nil), hi...)
		lo[0], to[0] = at, min(hi[0], at+step-1)
		if err := f(lo, to); err != nil {
			return err
		}
	}
	return nil
}

// commit gives the files their names, all or none: first all are safe on disk, then all
// are renamed. If they cannot have their names, they stay under others, of which the error
// tells: what took hours to compute is not thrown away.
func (r *results) commit() error {
	for _, res := range r.files() {
		if res.path == "" {
			continue
		}
		if err := res.file.Sync(); err != nil {
			return fmt.Errorf("result %s: %w", res.path, err)
		}
	}
	if err := r.rename(); err != nil {
		return fmt.Errorf("result %w; %s", err, r.rescue())
	}
	for _, res := range r.files() {
		if res.path != "" {
			res.temp = ""
			res.release()
		}
	}
	return nil
}

// rename gives the files, which are complete and safe, their permissions and names.
func (r *results) rename() error {
	var all []*renaming
	for _, res := range r.files() {
		var err error
		if res.path != "" {
			all = append(all, &renaming{path: res.path, temp: res.temp, target: res.target})
			if res.perm != 0 && res.perm != res.perm|0o600 {
				err = res.file.Chmod(res.perm)
			}
		}
		err = errors.Join(err, res.file.Close())
		res.file = nil
		if err != nil {
			return fmt.Errorf("%s: %w", res.path, err)
		}
	}
	return renameAll(all)
}

// rescue gives complete files that could not have their names others, which no run takes for
// leftovers, and says where the results are.
func (r *results) rescue() string {
	var places []string
	for _, res := range r.files() {
		if res.path == "" {
			continue
		}
		dir, base := filepath.Split(res.target)
		kept := filepath.Join(dir, rescued(base, rand.Text()[:randomLetters]))
		switch err := os.Rename(res.temp, kept); {
		case err == nil:
			places = append(places, kept)
		case missing(res.temp): // it has its name, which could not be taken back
			places = append(places, res.target)
		default:
			places = append(places, res.temp+" (until the next run that writes "+res.path+")")
		}
		files.SyncDir(filepath.Dir(kept))
		res.temp = ""
		res.release()
	}
	if len(places) == 1 {
		return "the result is in " + places[0]
	}
	return "the results are in " + strings.Join(places, ", ")
}

// release gives up the lock of the file.
func (res *result) release() {
	if res.hold != nil {
		_ = res.hold.Close() // nothing was written to it
		res.hold = nil
	}
}

// discard removes every file that commit has given no name. It may be
// called at any time and more than once.
func (r *results) discard() {
	if r == nil {
		return
	}
	var errs []error
	for _, res := range r.files() {
		if res.file != nil {
			errs = append(errs, res.file.Close())
			res.file = nil
		}
		if res.temp != "" {
			errs = append(errs, os.Remove(res.temp))
			res.temp = ""
		}
		res.release()
	}
	if r.hold != nil {
		errs = append(errs, r.hold.Close())
		r.hold = nil
	}
	if r.scratch != "" {
		errs = append(errs, os.RemoveAll(r.scratch))
		r.scratch = ""
	}
	_ = errors.Join(errs...) // whatever brought us here is what the user must know
}
