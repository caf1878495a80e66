package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// An assignment to a slice, u(2:n) = v(1:n-1), becomes a for over its cells, or, if loops around go over these cells, an
// assignment to one of them. Each slice of the value must have as many cells as that of the target: its subscript is the
// loop plus the distance of their beginnings.

// Messages about slices.
const (
	slicedMessage = "a body works on one cell at a time: a for goes over these cells"
	aroundMessage = "a body works on one cell at a time: a loop of the header goes over these cells"
	ownMessage    = "a body works on one cell at a time: a for goes over these cells, and what it reads of them has changed, " +
		"unless a for before it has copied it to another array"
)

// A slicedCells is the range of a slice, both ends included.
type slicedCells struct{ lo, hi linearSum }

// shifted is by how much a slice begins behind another of as many cells.
func (r slicedCells) shifted(from slicedCells) (by linearSum, ok bool) {
	by = r.lo.plus(from.lo, -1)
	return by, r.hi.plus(from.hi, -1).plus(by, -1).zero()
}

// A sliceReader reads the slices of one statement.
type sliceReader struct {
	t        *translator
	ends     int  // -1 if the end of a range is not in it, as in Python; 0 if it is
	decided  bool // the file says which; else both are possible
	explicit bool // a slice has an end for which this matters
}

// signsOfPython and signsOfFortran are words that say whether the end of a slice belongs to it.
var (
	signsOfPython  = []string{"np", "numpy", "range", "def", "len", "import", "prange", "self"}
	signsOfFortran = []string{"end", "subroutine", "program", "function", "real", "integer", "do", "enddo", "dimension"}
)

// sliceReader returns a reader for the statement with tokens l.
func (t *translator) sliceReader(l []token) *sliceReader {
	r := &sliceReader{t: t}
	has := func(words []string, next string) bool {
		for k, x := range t.tokens {
			if x.kind == tokIdent && !t.declared[x.text] && slices.Contains(words, x.text) && (next == "" || !t.at(k+1).is("=")) {
				return true
			}
		}
		return false
	}
	for k, x := range l {
		if x.is("(") && k > 0 && t.arrays[l[k-1].text] {
			r.decided = true
		}
		if x.is(":") && k+2 < len(l) && l[k+1].is("-") && l[k+2].kind == tokInt {
			r.ends, r.decided = -1, true
			return r
		}
	}
	switch {
	case r.decided:
	case has(signsOfPython, ""):
		r.ends, r.decided = -1, true
	case has(signsOfFortran, "="):
		r.decided = true
	}
	return r
}

// cells reads the d-th subscript of an array, which is a slice.
func (r *sliceReader) cells(array token, d int, p []token) (c slicedCells, ok bool) {
	var lo, hi linearSum
	bounds := r.t.extentOf(array, d)
	known := len(bounds) == 2
	if known {
		first, also := linear(bounds[0])
		last, and := linear(bounds[1])
		lo, hi, known = first, last, also && and
	}
	if len(p) == 0 || len(p) == 1 && (p[0].is(":") || p[0].is("*") || p[0].is("..")) {
		return slicedCells{lo, hi}, known
	}
	sign, ends := ":", r.ends
	if containsRange(p) {
		sign, ends = "..", 0
	}
	parts := cut(p, sign)
	if len(parts) != 2 {
		return c, false
	}
	var first, last bool
	c.lo, first = r.endOf(parts[0], lo, hi, 1, known)
	c.hi, last = r.endOf(parts[1], hi, hi, 0, known)
	if len(parts[1]) > 0 && !parts[1][0].is("-") && !parts[1][0].named("end") && sign == ":" {
		c.hi, r.explicit = c.hi.with("", ends), true
	}
	return c, first && last
}

// endOf reads an end of a slice: the given whole if there is none. The word end is the last index of the array, and a negative
// number counts from the index beyond it; both are known only if the bounds of the array are.
func (r *sliceReader) endOf(l []token, whole, last linearSum, beyond int, known bool) (linearSum, bool) {
	if len(l) == 0 {
		return whole, known
	}
	s, ok := linear(l)
	switch {
	case l[0].is("-") && len(l) > 1:
		return last.plus(s, 1).with("", beyond), ok && known
	case l[0].named("end") && !r.t.declared["end"]:
		return last.plus(s, 1).with(l[0].text, -1), ok && known
	}
	return s, ok
}

// extentOf does what extent does, also for an array that the file has only as a copy of another one, or as made by a function.
func (t *translator) extentOf(array token, d int) [][]token {
	for range t.copies {
		if ends := t.extent(array, d); ends != nil {
			return ends
		}
		if k := slices.IndexFunc(t.copies, func(c [2]string) bool { return c[0] == array.text }); k >= 0 {
			array.text = t.copies[k][1]
		}
	}
	if ends := t.extent(array, d); ends != nil {
		return ends
	}
	for k, x := range t.tokens {
		if open := t.makes(k); open > k && x.text == array.text {
			out := t.filledArray(x, open-1)
			if out == nil {
				continue
			}
			if ranges := commas(out[3 : 2+partner(out[2:])]); d < len(ranges) {
				return cut(ranges[d], "..")
			}
		}
	}
	return nil
}

// slicesOf are the slices among the subscripts of a cell whose tokens l begin with its name; none if it is an entire array.
// A bracket that nothing closes makes no cell.
func (r *sliceReader) slicesOf(l []token) (parts [][]token, cells []slicedCells, ok bool) {
	switch last := len(l) - 1; {
	case last == 0:
		parts = slices.Repeat([][]token{nil}, r.t.dims[l[0].text])
	case !l[last].closes():
		return nil, nil, false
	default:
		parts = withoutSingles(commas(l[2:last]))
	}
	if n := r.t.dims[l[0].text]; n > 0 && n != len(parts) {
		return nil, nil, false
	}
	for d, p := range parts {
		if len(p) > 0 && !isSlice(p) {
			parts[d] = r.fromLast(l[0], d, p)
			continue
		}
		c, ok := r.cells(l[0], d, p)
		if !ok {
			return nil, nil, false
		}
		cells = append(cells, c)
	}
	return parts, cells, true
}

// sliceTarget is the last token of the target of an assignment to a slice, and the token of its =, which is 0 for others.
func (t *translator) sliceTarget(l []token) (last, equals int) {
	if len(l) < 4 || l[0].kind != tokIdent || !l[1].opens() || t.dims[l[0].text] == 0 {
		return 0, 0
	}
	last = 1 + partner(l[1:])
	equals = slices.IndexFunc(l[last:], func(x token) bool { return x.is("=") }) + last
	if equals <= last || equals > last+2 || equals == len(l)-1 || !slices.ContainsFunc(withoutSingles(commas(l[2:last])), isSlice) {
		return 0, 0
	}
	return last, equals
}

// slicedLine translates a statement that assigns to a slice; nil for others.
func (t *translator) slicedLine(l []token, around []string) []token {
	last, equals := t.sliceTarget(l)
	if equals == 0 {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(around), func(name string) bool {
		return slices.ContainsFunc(l, func(x token) bool { return x.text == name })
	})
	message, meant := slicedMessage, t.ofLoops(l[0].text, rest)
	if meant {
		message = aroundMessage
	}
	if len(around) == 0 && !t.behindNest(l[0]) {
		return nil // what cells have before the nest
	}
	text, reader, own := t.slicedText(l, last, equals, around, meant, 0)
	if other, r, _ := t.slicedText(l, last, equals, around, meant, -1); text == "" && !own && !reader.decided && other != "" {
		text, reader = other, r // the end of a range is not in it, as in Python: only so the slices have as many cells
	}
	hint, kind := text, diag.Example
	if own && text == "" {
		message = ownMessage
	}
	if text != "" && !reader.decided && reader.explicit && !meant {
		hint, kind = text+"; ranges include both ends, those of Python and Rust do not", diag.Advice
	}
	if !t.found("slice "+message, join(l[0].span(), l[len(l)-1].span()), message, func() string { return hint }, kind) {
		return nil
	}
	if text != "" && meant {
		out, _ := scan([]byte(text))
		return moved(out[:len(out)-1], l[0])
	}
	return t.inPlaceOf(text, l[0], around)
}

// behindNest reports whether a loop begins before a token.
func (t *translator) behindNest(x token) bool {
	return slices.ContainsFunc(t.tokens, func(y token) bool {
		return y.pos.Line < x.pos.Line && (y.is("for") || y.is("repeat") || y.named("do", "while", "foreach"))
	})
}

// slicedText is the text to write for an assignment to a slice, whose target ends with token last; "" if the cells are not
// known. If the file does not say whether the end of a range is in it, ends does, as in sliceReader. own says that the statement reads cells that the for has already changed.
func (t *translator) slicedText(l []token, last, equals int, around []string, meant bool, ends int) (text string, r *sliceReader, own bool) {
	r = t.readerOf(l, ends)
	parts, cells, ok := r.slicesOf(l[:last+1])
	if !ok {
		return "", r, false
	}
	var names []string
	if meant {
		outer := t.loops
		t.loops = around
		for d, s := range t.subscriptNames(sliceTexts(parts)) {
			if isSlice(parts[d]) {
				names = append(names, s)
			}
		}
		if t.loops = outer; len(names) != len(cells) || slices.ContainsFunc(names, func(s string) bool { return !slices.Contains(around, s) }) {
			return "", r, false
		}
	} else {
		taken := slices.Clone(around)
		for _, x := range l {
			taken = append(taken, x.text)
		}
		for d := range cells {
			names = append(names, freeIndex(append(slices.Clone(taken), names...), d))
		}
	}
	s := &slicedStatement{r: r, names: names, parts: parts, cells: cells, target: l[0].text}
	value, ok := s.value(l[equals+1:])
	if !ok {
		return "", r, false
	}
	if clean, ok := t.cleaned(value, maxForeignTokens); ok {
		value = clean
	}
	down, forward := s.direction()
	if !forward || meant && slices.Contains(down, true) {
		return "", r, true
	}
	cell := s.cell(l[0], parts, s.zeros())
	sign := l[equals]
	if equals == last+2 && strings.Contains("+-*/", l[last+1].text) {
		sign = operator(l[last+1].text+"=", sign)
	} else if equals > last+1 { // another update
		value = slices.Concat(cell, l[last+1:equals], []token{operator("(", l[0])}, value, []token{operator(")", l[0])})
	}
	out := slices.Concat(cell, []token{sign}, value)
	if meant && s.kept == "" {
		return textOf(out), r, false
	} else if meant {
		return "", r, true
	}
	return s.keepsText() + "for " + s.header(down, l[0]) + " { " + lineOf(out, maxForeignTokens) + " }", r, false
}

// header is the loops over the cells, some of them downward.
func (s *slicedStatement) header(down []bool, near token) string {
	var loops []string
	for d, c := range s.cells {
		lo, hi := c.lo.tokens(near), c.hi.tokens(near)
		header := strings.ReplaceAll(textOf(lo)+".."+textOf(hi), " ", "")
		if down[d] {
			header = strings.ReplaceAll(textOf(hi)+".."+textOf(lo), " ", "") + " step -1"
		}
		loops = append(loops, s.names[d]+" = "+header)
	}
	return strings.Join(loops, ", ")
}

// readerOf is sliceReader, with ends if the file does not say whether the end of a range is in it.
func (t *translator) readerOf(l []token, ends int) *sliceReader {
	r := t.sliceReader(l)
	if !r.decided && ends != 0 {
		r.ends, r.decided = ends, true
	}
	return r
}

// A slicedStatement is an assignment to a slice that is translated for one cell.
type slicedStatement struct {
	r      *sliceReader
	names  []string      // of the loops, by slice
	parts  [][]token     // the subscripts of the target
	cells  []slicedCells // of the target, by slice
	target string
	own    [][]linearSum // how the cells of the target that the value reads are shifted, by slice

	kept, keeps string // the name of a let for one cell of the target, and the cell
}

// zeros are no shifts.
func (s *slicedStatement) zeros() []linearSum { return make([]linearSum, len(s.cells)) }

// cell is one cell of an array with slices among its subscripts, shifted against that of the target.
func (s *slicedStatement) cell(array token, parts [][]token, by []linearSum) []token {
	n := 0
	var subs [][]token
	for _, p := range parts {
		if len(p) > 0 && !isSlice(p) {
			subs = append(subs, p)
			continue
		}
		sum := linearSum{}.with(s.names[n], 1).plus(by[n], 1)
		subs = append(subs, sum.tokens(array))
		n++
	}
	return cellTokens(array, subs)
}

// value returns the value of the statement for one cell.
func (s *slicedStatement) value(l []token) (out []token, ok bool) {
	t := s.r.t
	for k := 0; k < len(l); k++ {
		x := l[k]
		behind := k+1 < len(l) && l[k+1].opens()
		if !t.isArray(x) {
			if !plainPart(x, l[min(k+1, len(l)-1)], behind) {
				return nil, false
			}
			out = append(out, x)
			continue
		}
		last := k
		if behind {
			last = k + 1 + partner(l[k+1:])
		}
		if last >= len(l) {
			return nil, false
		}
		parts, cells, ok := s.r.slicesOf(l[k : last+1])
		if !ok || len(cells) != len(s.cells) && len(cells) > 0 {
			return nil, false
		}
		by := s.zeros()
		for n, c := range cells {
			if by[n], ok = c.shifted(s.cells[n]); !ok {
				return nil, false
			}
		}
		if x.text == s.target && !otherCells(s.parts, parts) && !s.outside(parts) {
			if len(cells) == 0 {
				kept, ok := s.keep(x, parts)
				if !ok {
					return nil, false
				}
				out, k = append(out, kept), last
				continue
			}
			s.own = append(s.own, by)
		}
		out = append(out, s.cell(x, parts, by)...)
		k = last
	}
	return out, true
}

// plainPart reports whether a token, which is no array, may stand in the value for one cell; behind says that a bracket
// opens behind it, with the token next.
func plainPart(x, next token, behind bool) bool {
	_, known := ir.FuncNamed(x.text)
	return !x.is(":") && x.kind != tokString && !(x.is(".") && next.kind == tokIdent) && (known || !behind || x.kind != tokIdent)
}
