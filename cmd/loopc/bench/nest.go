package bench

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sizes are the names of the sizes of a nest, in ascending order. Tiny is for tests of
// bits, and has full and partial time slabs; small should fit the first two levels of the
// cache, cache the third, and large takes up to a gigabyte.
var Sizes = []string{"tiny", "small", "cache", "large"}

// ownSize is the size of a nest that is not in a list: its parameters are given, or the
// defaults of its file.
const ownSize = "given"

// A param is a parameter of a nest and its value.
type param struct {
	name  string
	value int
}

// params are the parameters of a run, in the order of the .loop file.
type params []param

// String returns text such as "X=64".
func (x param) String() string { return x.name + "=" + strconv.Itoa(x.value) }

// String returns text such as "X=64,Y=64".
func (p params) String() string {
	var s []string
	for _, x := range p {
		s = append(s, x.String())
	}
	return strings.Join(s, ",")
}

// parseParams reads what params.String writes.
func parseParams(text string) (params, error) {
	var p params
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		value, err := strconv.Atoi(number)
		if name == "" || err != nil {
			return nil, fmt.Errorf("%q is not a list of parameters, such as X=64,Y=64", text)
		}
		p = append(p, param{name, value})
	}
	return p, nil
}

// A nest is a .loop file and a C program that runs the same loops.
type nest struct {
	name, class, title string
	loop, c            string // the files
	tiled              bool   // the C program has the variant tiled
	supplies           bool   // the C program writes some given arrays to files, for loopc's program
	sizes              map[string]params
	*facts             // of the .loop file, once it is compiled
}

// mpi is the C program for MPI, "" if there is none.
func (n *nest) mpi() string {
	name := strings.TrimSuffix(n.c, ".c") + "_mpi.c"
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return name
}

// listName is the file in a folder of nests that lists them.
const listName = "nests.txt"

// readNests reads the list of a folder, a line for each nest:
//
//	name class size:X=64,Y=64 size:X=128,Y=128 tiled supplies // title
//
// A name may begin with a folder, in which the .loop file is; the C program is beside the list.
func readNests(folder string) ([]*nest, error) {
	name := filepath.Join(folder, listName)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []*nest
	for k, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		n, err := parseNest(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, k+1, err)
		}
		n.loop, n.c = filepath.Join(folder, filepath.FromSlash(n.name)+".loop"), filepath.Join(folder, filepath.Base(n.name)+".c")
		list = append(list, n)
	}
	return list, nil
}

// parseNest reads a line of a list.
func parseNest(line string) (*nest, error) {
	line, title, _ := strings.Cut(line, "//")
	words := strings.Fields(line)
	if len(words) < 2 {
		return nil, fmt.Errorf("%q is not a name and a class", line)
	}
	n := &nest{name: words[0], class: words[1], title: strings.TrimSpace(title), sizes: map[string]params{}}
	for _, word := range words[2:] {
		size, text, _ := strings.Cut(word, ":")
		switch {
		case word == "tiled":
			n.tiled = true
		case word == "supplies":
			n.supplies = true
		case slices.Contains(Sizes, size):
			p, err := parseParams(text)
			if err != nil {
				return nil, err
			}
			n.sizes[size] = p
		default:
			return nil, fmt.Errorf("%q is neither tiled, nor supplies, nor a size, which are %s", word, strings.Join(Sizes, ", "))
		}
	}
	return n, nil
}

// ownNest is the nest of a .loop file and a C program that are in no list. given are its
// parameters, nil for the defaults.
func ownNest(loop, c string, given params) *nest {
	name := strings.TrimSuffix(filepath.Base(loop), ".loop")
	return &nest{name: name, title: name, loop: loop, c: cmp.Or(c, strings.TrimSuffix(loop, ".loop")+".c"), sizes: map[string]params{ownSize: given}}
}

// least is the smallest size of the nest, for trials.
func (n *nest) least() params {
	for _, size := range append(slices.Clone(Sizes), ownSize) {
		if p, ok := n.sizes[size]; ok {
			return p
		}
	}
	return nil
}

// share returns the parameters of a run with about 1/parts of the iterations: it makes the parameter
// of the innermost loop smaller, in all loops that have this parameter. Time steps stay, because
// temporal vectorization takes several of them at once.
func (n *nest) share(p params, parts int) params {
	p = slices.Clone(p)
	for k := range p {
		if x := &p[k]; x.name == n.cut {
			x.value = int(math.Round(float64(x.value) / math.Pow(float64(parts), 1/float64(n.cuts))))
		}
	}
	return p
}

// chosen returns the nests with the given names, or all nests if there are no names. A
// prefix, such as seidel, stands for several names, and so does the name of a class.
func chosen(all []*nest, names []string) ([]*nest, error) {
	matches := func(n *nest, name string) bool {
		return name != "" && (strings.HasPrefix(n.name, name) || strings.HasPrefix(filepath.Base(n.name), name) || n.class == name)
	}
	var list []*nest
	for _, n := range all {
		if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return matches(n, name) }) {
			list = append(list, n)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(list, func(n *nest) bool { return matches(n, name) }) {
			var there []string
			for _, n := range all {
				there = append(there, n.name)
			}
			return nil, &UsageError{fmt.Sprintf("no nest is called %q; there are %s", name, strings.Join(there, ", "))}
		}
	}
	return list, nil
}
