package frontend

import (
	"regexp"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// What a hint claims, at the end: text to type is what was meant, as far as the file tells. If it does not tell, the hint is an
// example, or one of several ways.

// honest returns the diagnostics of a file with hints that claim no more than the file tells.
func honest(file string, src []byte, diags []diag.Diagnostic) []diag.Diagnostic {
	for k := range min(len(diags), 2*diag.MaxShown) {
		d := &diags[k]
		if d.Severity == diag.Error && guessed(src, d) {
			d.Kind = diag.Pattern
		}
		if d.Severity == diag.Error && d.Kind == diag.Example {
			inPlaceOf(src, d)
		}
		if isEmptyLoop(*d) {
			eitherWay(file, src, d)
		}
	}
	return slices.CompactFunc(diags, func(x, y diag.Diagnostic) bool { return isEmptyLoop(x) && isEmptyLoop(y) && x.At.Pos == y.At.Pos }) // a repeat, and the loop that it was
}

// inPlaceOf says of a hint that declares a reduction which declaration of the file it replaces, if that has its name.
func inPlaceOf(src []byte, d *diag.Diagnostic) {
	word, rest, _ := strings.Cut(d.Hint, " ")
	name, _, is := strings.Cut(rest, " = ")
	if word != "reduce" || !is || strings.Contains(d.Hint, ";") {
		return
	}
	head := ""
	for k, line := range strings.Split(string(src), "\n") {
		l := scanned([]byte(line))
		if head = l[0].text; k+1 == d.At.Line || head != "param" && head != "const" || !slices.ContainsFunc(l[1:], func(x token) bool { return x.text == name }) {
			continue
		}
		if slices.ContainsFunc(l, func(x token) bool { return x.is(",") }) {
			return // it declares others, too
		}
		d.Hint, d.Kind = d.Hint+", in place of the "+head, diag.Advice
		return
	}
}

// guessed reports whether the hint of d is a cell in the place of one with fewer subscripts, and the cell that the statement
// assigns to: that gets its value here, so another one was meant, unless the statement updates it.
func guessed(src []byte, d *diag.Diagnostic) bool {
	if d.Hint == "" || d.Kind != diag.Example && d.Kind != diag.Replacement || d.Code != diag.Dimensions && d.Code != diag.NameMisuse && d.Code != diag.Foreign {
		return false
	}
	cell := scanned([]byte(d.Hint))
	cell = cell[:len(cell)-1]
	if len(cell) < 4 || cell[0].kind != tokIdent || !cell[1].is("[") || 1+partner(cell[1:]) != len(cell)-1 {
		return false
	}
	line := slices.DeleteFunc(scanned(src), func(x token) bool { return x.pos.Line != d.At.Line })
	same := func(x, y token) bool { return x.text == y.text }
	if len(line) <= len(cell) || line[0].pos == d.At.Pos || !slices.EqualFunc(line[:len(cell)], cell, same) || !line[len(cell)].is("=") {
		return false
	}
	there := slices.DeleteFunc(line, func(x token) bool { return !within(x.span(), d.At) })
	return len(there) > 0 && same(there[0], cell[0]) && slices.ContainsFunc(cell[2:], func(x token) bool {
		return x.kind == tokIdent && !slices.ContainsFunc(there, func(y token) bool { return same(x, y) })
	})
}

// backward is the hint to run a loop backward.
var backward = regexp.MustCompile(`^(\w+) = (.*)\.\.(.*) step -1$`)

// eitherWay adds the loop with exchanged ends to the hint to run it backward, before it, if the nests then hand more values on to
// later iterations: a loop that is meant to go down reads what it has written before.
func eitherWay(file string, src []byte, d *diag.Diagnostic) {
	ends := backward.FindStringSubmatch(d.Hint)
	if ends == nil || d.Kind == diag.Advice || len(src) > mostTried>>6 {
		return
	}
	up := *d
	up.Hint = ends[1] + " = " + ends[3] + ".." + ends[2]
	if more, fewer := flows(file, withHeader(src, up)), flows(file, withHeader(src, *d)); more > fewer {
		d.Hint, d.Kind = joined([]string{up.Hint, d.Hint}), diag.Advice
	}
}

// flows is the number of dependences by which the iterations of a file get values from earlier ones; -1 if it has errors.
func flows(file, src string) (n int) {
	prog, _ := compileProgram(file, []byte(src))
	if prog == nil || strings.TrimSpace(src) == "" {
		return -1
	}
	for _, nest := range prog.Nests {
		if nest.Analysis == nil {
			return -1
		}
		for _, x := range nest.Analysis.Deps {
			if x.Kind == ir.Flow && slices.ContainsFunc(x.Dist, func(by int) bool { return by != 0 }) {
				n++
			}
		}
	}
	return n
}
