// Npy makes the inputs of the examples, and shows their results:
//
//	npy text IN.txt OUT.npy              the bytes of a file, as uint8
//	npy image IN.png|IN.pgm OUT.npy      gray levels from 0 to 1, as float64
//	npy field KIND ROWSxCOLS OUT.npy     a field of numbers, see below
//	npy show IN.npy [INDEX ...]          what an array holds, or one of its cells
//	npy draw IN.npy OUT.png              a field as a picture, least black, greatest white
//
// Kinds of fields are bump (1 in the middle, 0 at the edges), random (from 0 up
// to 1, the same in every run) and plate (1 in the first row, else 0). A field
// has cells of type float64, times 1; after field, -float32 and -scale S change
// that. Indices count from 0.
//
// Exit codes: 0 done, 1 a file cannot be read or written, 2 the command line is
// wrong.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// errUsage is a mistake on the command line.
var errUsage = errors.New("usage: npy text IN.txt OUT.npy | image IN.png OUT.npy | field [-float32] [-scale S] bump|random|plate ROWSxCOLS OUT.npy | show IN.npy [INDEX ...] | draw IN.npy OUT.png")

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "npy:", err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

// run does what the arguments say.
func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	verb, args := args[0], args[1:]
	switch {
	case verb == "text" && len(args) == 2:
		return text(args[0], args[1], out)
	case verb == "image" && len(args) == 2:
		return image(args[0], args[1], out)
	case verb == "field":
		flags := flag.NewFlagSet(verb, flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		single := flags.Bool("float32", false, "")
		scale := flags.Float64("scale", 1, "")
		if err := flags.Parse(args); err != nil || flags.NArg() != 3 {
			return errUsage
		}
		args = flags.Args()
		return field(args[0], args[1], args[2], *single, *scale, out)
	case verb == "show" && len(args) >= 1:
		return show(args[0], args[1:], out)
	case verb == "draw" && len(args) == 2:
		return draw(args[0], args[1])
	}
	return errUsage
}

// text makes an array of the bytes of a file.
func text(from, to string, out io.Writer) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return save(to, []int{len(b)}, b, out)
}

// image makes a field of the gray levels of a picture.
func image(from, to string, out io.Writer) error {
	rows, cols, levels, err := readImage(from)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return save(to, []int{rows, cols}, levels, out)
}

// field makes a field of the named kind, times scale; of float32 if single.
func field(kind, size, to string, single bool, scale float64, out io.Writer) error {
	value, ok := kinds[kind]
	if !ok {
		return fmt.Errorf("no such field: %s; %w", kind, errUsage)
	}
	first, second, ok := strings.Cut(size, "x")
	rows, errRows := strconv.Atoi(first)
	cols, errCols := strconv.Atoi(second)
	if !ok || errRows != nil || errCols != nil || rows < 1 || cols < 1 || rows > maxCells/cols {
		return fmt.Errorf("%s is not a size such as 66x66; %w", size, errUsage)
	}
	cells := fill(value, rows, cols)
	for k := range cells {
		cells[k] *= scale
	}
	if !single {
		return save(to, []int{rows, cols}, cells, out)
	}
	narrow := make([]float32, len(cells))
	for k, x := range cells {
		narrow[k] = float32(x)
	}
	return save(to, []int{rows, cols}, narrow, out)
}
