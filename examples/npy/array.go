package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/runtime/npy"
)

// save writes cells, an array of the given shape in C order, to the file to, and reports that
// on out. The file gets its name when it is complete.
func save[T array.Number](to string, shape []int, cells []T, out io.Writer) (err error) {
	lo, hi := make([]int, len(shape)), make([]int, len(shape))
	for k, e := range shape {
		hi[k] = e - 1
	}
	v, err := array.Of(cells, lo, hi)
	if err != nil {
		return fmt.Errorf("%s: %w", to, err)
	}
	f, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	w, err := npy.Create(npy.Headed, f, v.Elem, shape)
	if err == nil {
		err = w.WriteAt(v.Data, 0)
	}
	// Temporary files can be read only by their owner; results by everybody.
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), to); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %s %s\n", to, v.Elem, npy.Shape(shape))
	return err
}

// load returns the array in a file, and its cells as numbers in C order.
func load(from string) (elem string, shape []int, cells []float64, err error) {
	f, err := npy.Open(from)
	if err != nil {
		return "", nil, nil, err
	}
	defer f.Close()
	lo, hi := make([]int, len(f.Shape)), make([]int, len(f.Shape))
	for k, e := range f.Shape {
		hi[k] = e - 1
	}
	v, err := array.Make(f.Elem, lo, hi)
	if err != nil {
		return "", nil, nil, fmt.Errorf("%s: %w", from, err)
	}
	if err := f.ReadBox(&v, lo); err != nil {
		return "", nil, nil, err
	}
	float := element.Named(f.Elem).Float
	for k := range v.Cells() {
		x := v.Cell(k)
		if !float {
			x.F = float64(x.I)
		}
		cells = append(cells, x.F)
	}
	return f.Elem, f.Shape, cells, nil
}

// show prints a description of the array in a file or, with indices, one cell.
func show(from string, index []string, out io.Writer) error {
	elem, shape, cells, err := load(from)
	if err != nil {
		return err
	}
	if len(index) > 0 {
		at, err := offset(index, shape)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s[%s] = %.10g\n", from, strings.Join(index, ", "), cells[at])
		return err
	}
	least, greatest, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, x := range cells {
		least, greatest, sum = min(least, x), max(greatest, x), sum+x
	}
	_, err = fmt.Fprintf(out, "%s: %s %s, least %.6g, greatest %.6g, sum %.6g\n", from, elem, npy.Shape(shape), least, greatest, sum)
	return err
}

// offset returns the position of a cell in C order.
func offset(index []string, shape []int) (int, error) {
	if len(index) != len(shape) {
		return 0, fmt.Errorf("a cell has %d indices here, not %d; %w", len(shape), len(index), errUsage)
	}
	at := 0
	for k, text := range index {
		i, err := strconv.Atoi(text)
		if err != nil || i < 0 || i >= shape[k] {
			return 0, fmt.Errorf("%s is no index from 0 to %d; %w", text, shape[k]-1, errUsage)
		}
		at = at*shape[k] + i
	}
	return at, nil
}
