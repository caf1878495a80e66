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

// A result is a file for the returned part of an array. Until the entire run has succeeded, it
// has another name in the same directory.
type result struct {
	arr        int // index in Nest.Arrays; of a reduction see results.reduced
	elem       string
	lo, extent []int
	path       string      // as the user has named it; "": a scratch file; pipe: standard output
	shown      string      // the file of a snapshot with the same content, if it is not the one of path; "": none
	target     string      // the file that path leads to
	perm       os.FileMode // of the older file; 0: there is none
	temp       string
	file       *os.File
	hold       *os.File // the lock of temp, see newTemporary
	writer     *npy.Writer
	bytes      int64 // of the file
	reserved   bool  // the file system has reserved space for it
}

// results are the files of a run.
type results struct {
	all     []*result // of arrays
	reduced []*result // of reductions; the arr of reduction k is arrays + k
	arrays  int       // how many arrays the nest has
	scratch string    // directory of scratch files; "": none
	hold    *os.File  // the lock of scratch
}

// newResults makes the files of the results that s names, under temporary names, with their
// full size and reserved space. If every, it makes files for the other arrays, too, in a
// directory that is removed after the run. After an error nothing is left. If space cannot be
// reserved, it warns if there is too little.
func newResults(ctx context.Context, nest *plan.Nest, params []int, s *settings, every bool, warn func(string)) (*results, error) {
	if s.check { // an earlier check may have left its scratch directory, even if this run needs none
		removeLeftovers(os.TempDir(), scratchName, scratchLock)
	}
	r := &results{arrays: len(nest.Arrays)}
	for k := range nest.Arrays {
		a := &nest.Arrays[k]
		path, shown := s.out[k], s.last[k] // shown: of a snapshot after the last value
		if path == "" {
			path, shown = shown, "" // that snapshot is the result's only file
		}
		if !a.Returned() || path == "" && !every {
			continue
		}
		lo, extent := a.SliceExtent(params)
		res := &result{arr: k, elem: a.Elem, lo: lo, extent: extent, path: path, shown: shown}
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

// writeReduced writes the reductions of a run to their files.
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
	if !res.named() {
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
	if res.perm != 0 { // the older file's permissions also protect the temporary file; ranks open it by name
		if err := res.file.Chmod(res.perm | 0o600); err != nil {
			return files.Unwritable(name, err)
		}
	}
	if res.bytes, err = npy.Size(npy.FormOf(res.path), res.elem, res.extent); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if res.writer, err = npy.Create(npy.FormOf(res.path), res.file, res.elem, res.extent); err != nil {
		err = files.NoSpace(res.file, res.bytes, err)
	} else {
		res.reserved, err = files.Reserve(ctx, res.file, res.bytes)
	}
	if err != nil && ctx.Err() == nil {
		err = files.Unwritable(name, err)
	}
	return err
}

// named reports whether the file gets the name that the user gave.
func (res *result) named() bool { return res.path != "" && res.path != pipe }

// find finds the file at the path of res, and whether it may be replaced.
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

// compareSpace warns of files without reserved space that are larger than the free space.
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

// The name of a scratch directory is scratchName and random letters. It has a locked file scratchLock.
const scratchName, scratchLock = "loop-check", "lock"

// newScratch makes a scratch directory, and its locked file.
func newScratch() (dir string, file, hold *os.File, err error) {
	dir, file, hold, err = newTemporary(os.TempDir(), scratchName, scratchLock)
	if err != nil {
		err = fmt.Errorf("no folder can be made for temporary files: %w: set TMPDIR to a folder where you may write, such as /tmp", err)
	}
	return dir, file, hold, err
}

// makeScratch makes the scratch directory of r, if r has none yet.
func (r *results) makeScratch() error {
	if r.scratch != "" {
		return nil
	}
	dir, file, hold, err := newScratch()
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

// write writes the cells of v that are marked as written. v is a box of the result.
func (res *result) write(v *array.View) error { return res.writer.WriteWritten(v, res.lo) }

// read returns the current content of the file.
func (res *result) read() (array.View, error) {
	v, err := array.Make(res.elem, res.lo, top(res.lo, res.extent))
	if err != nil {
		return v, err
	}
	file, err := os.Open(res.temp)
	if err != nil {
		return v, err
	}
	f, err := npy.OpenAs(npy.FormOf(res.path), file, res.temp, res.elem, res.extent)
	if err != nil {
		return v, err
	}
	defer f.Close()
	return v, f.ReadBox(&v, res.lo)
}

// eachPart divides an array into boxes along its first dimension and calls f with each box, in C
// order. A box has at most partBytes bytes, or extent 1 along the first dimension.
func eachPart(elem string, first, extent []int, f func(lo, hi []int) error) error {
	const partBytes = 4 << 20
	hi := top(first, extent)
	if len(hi) == 0 {
		return f(first, hi)
	}
	plane := array.SizeOf(elem) // bytes per index of the first dimension
	for _, e := range extent[1:] {
		plane *= e
	}
	step := max(1, partBytes/max(1, plane))
	for at := first[0]; at <= hi[0]; at += step {
		lo, to := append([]int(nil), first...), append([]int(nil), hi...)
		lo[0], to[0] = at, min(hi[0], at+step-1)
		if err := f(lo, to); err != nil {
			return err
		}
	}
	return nil
}

// commit gives the files their names, all or none: first all are written to disk, then all are
// renamed. Files that cannot get their names stay under other names, which the error tells:
// hours of computation are not thrown away.
func (r *results) commit() error {
	for _, res := range r.files() {
		if !res.named() {
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
		if res.named() {
			res.temp = ""
			res.release()
		}
	}
	return nil
}

// rename gives the files, which are complete and on disk, their permissions and names.
func (r *results) rename() error {
	var all []*renaming
	for _, res := range r.files() {
		var err error
		if res.named() {
			all = append(all, &renaming{path: res.path, temp: res.temp, target: res.target})
			if res.perm != 0 && res.perm != res.perm|0o600 { // create has added 0o600
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

// rescue gives other names to complete files that did not get theirs. No run takes these names for
// leftovers. It says where the results are.
func (r *results) rescue() string {
	var places []string
	for _, res := range r.files() {
		if !res.named() {
			continue
		}
		dir, base := filepath.Split(res.target)
		kept := filepath.Join(dir, rescued(base, rand.Text()[:randomLetters]))
		switch err := os.Rename(res.temp, kept); {
		case err == nil:
			places = append(places, kept)
		case missing(res.temp): // it has its name, and renaming could not be undone
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

// release releases the lock of the file.
func (res *result) release() {
	if res.hold != nil {
		_ = res.hold.Close() // nothing was written to it
		res.hold = nil
	}
}

// discard removes every file that commit has not named. It may be called at any time and more
// than once.
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
		errs = append(errs, removeTemporary(r.scratch, scratchLock))
		r.scratch = ""
	}
	_ = errors.Join(errs...) // the user needs the error that led here
}
