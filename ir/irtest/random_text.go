package irtest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// text assembles the file. Arrays are declared after the body was chosen, because its
// subscripts determine their bounds.
func (w *nestWriter) text() string {
	for _, a := range slices.Concat(w.given, w.written) {
		w.declare(a)
	}
	return fileText(w.paramNames, w.defaults, w.decls, w.externs, []string{w.loopText()})
}

// fileText returns a file with the given parameters, declarations, functions written
// in Go, and nests.
func fileText(params []string, defaults []int, decls []string, externs map[string]bool, nests []string) string {
	var b strings.Builder
	var values []string
	for _, d := range defaults {
		values = append(values, strconv.Itoa(d))
	}
	fmt.Fprintf(&b, "param %s = %s\n", strings.Join(params, ", "), strings.Join(values, ", "))
	for _, d := range decls {
		b.WriteString(d + "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(externs)) {
		b.WriteString(externText(name) + "\n")
	}
	for _, n := range nests {
		b.WriteString(n)
	}
	return b.String()
}

// loopText returns the nest with the declarations before it.
func (w *nestWriter) loopText() string {
	var b strings.Builder
	for _, r := range w.reduces {
		b.WriteString(r + "\n")
	}
	if (w.rich == nil || w.rich.outer == 0) && w.chance(6) {
		b.WriteString(w.schedule() + "\n")
	}
	var loops []string
	for _, l := range w.nest {
		text := l.name + " = " + l.bounds
		if first, last, _ := strings.Cut(l.bounds, ".."); l.backward {
			text = l.name + " = " + last + ".." + first + " step -1"
		}
		if w.rich != nil && w.strides() && w.chance(3) {
			if !l.backward {
				text += " step 1"
			}
			text = text[:len(text)-1] + one(w.rng, "2", "3", "5")
		}
		loops = append(loops, text)
	}
	if w.rich != nil && w.rich.outer > 0 {
		w.rich.imperfect(&b, loops, w.statements)
		return b.String()
	}
	fmt.Fprintf(&b, "for %s {\n", strings.Join(loops, ", "))
	for _, s := range w.statements {
		fmt.Fprintf(&b, "\t%s\n", s)
	}
	b.WriteString("}\n")
	return b.String()
}
