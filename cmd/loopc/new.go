package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"loopc/runtime/files"
)

// A newCommand writes a file to start from.
type newCommand struct {
	Name string `arg:"" help:"The file to make, with or without .loop."`
}

// Run writes the file, which must not exist, and says what to try next.
func (c *newCommand) Run(a *app) error {
	path := strings.TrimSuffix(c.Name, extension) + extension
	if fault := nameFault(strings.TrimSuffix(filepath.Base(path), extension)); fault != "" {
		return usagef("%q is no name for a %s file: it %s; use letters, digits and _", c.Name, extension, fault)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists: choose another name", path)
	case err != nil:
		return files.Unwritable(path, err)
	}
	_, err = f.WriteString(starter)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(files.Unwritable(path, err), os.Remove(path))
	}
	_, err = fmt.Fprintf(a.stdout, `%[1]s is there. What to try next:
  loopc run %[2]s -n 2 --random 1 --check
  loopc verify %[2]s
  loopc plan %[2]s
  loopc help language
`, path, quoted(path))
	return err
}

// quoted returns path quoted for a shell.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t\n'\"\\$&;()<>|*?[]{}~#!`") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// starter is the file that loopc new writes: a nest with one of each statement that most
// nests need, and comments on what to change.
const starter = `// Heat in a plate, step by step: every cell moves toward the mean of its four
// neighbors. Replace it by loops of your own; "loopc help language" tells what may
// stand here, and "loopc check FILE" what is wrong.

// Integers that are given at launch, as in -p T=200,N=1000; these are defaults.
param T, N = 100, 200

// Numbers that are known when the file is compiled.
const c = 0.2

// Arrays have inclusive bounds, a type (such as float32, int64 or uint8), and a role:
// in is given by the caller (--in start=FILE.npy) and only read, inout is given,
// updated and given back, out is given back (--out). An array without a role is
// internal; of this one only the last two levels in time are ever stored.
array start[0..N+1, 0..N+1] float64 in
array u[0..T, 0..N+1, 0..N+1] float64

// What every cell holds before the loops run: the initial state at t = 0, and a
// boundary that stays as it was given.
init u[t, i, j] = start[i,j]

// What is given back of an internal array: the last level.
out u[T, *, *]

// A number made of all iterations, with max, min or sum: the hottest cell ever.
reduce hottest = max(u[t,i,j])

// All loops, the outermost first, with inclusive bounds; then what one iteration
// does. Subscripts of a written array are index + constant.
for t = 1..T, i = 1..N, j = 1..N {
	let around = u[t-1,i-1,j] + u[t-1,i+1,j] + u[t-1,i,j-1] + u[t-1,i,j+1]
	u[t,i,j] = u[t-1,i,j] + c*(around - 4*u[t-1,i,j])
}
`
