package irtest

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
)

// RandomProgram returns the text of a random .loop file of two to four nests, each like the nests of
// RandomNest. Nests use shared arrays, and some of their own. Most nests are in repeats; repeats may
// be nested, and a condition on a reduction may end them. Shared arrays are in, inout, out, sliced or
// internal; in half of the files they have a boundary at every bound.
//
// The rest is as in RandomNest, but more files are refused, because one refused nest is
// enough.
func RandomProgram(rng *rand.Rand) string {
	return (&programWriter{rng: rng, externs: map[string]bool{}, plain: rng.IntN(2) == 0, tight: rng.IntN(2) == 0}).file()
}

// file writes the file.
func (p *programWriter) file() string {
	p.arrays()
	rng := p.rng
	p.steps(2+rng.IntN(2), 0)
	if len(p.nests) < 2 {
		p.nest(nil)
	}
	return fileText(p.paramNames, p.defaults, p.decls, p.externs, p.text)
}

// A programWriter writes one random program of several nests.
type programWriter struct {
	rng         *rand.Rand
	paramNames  []string // of sizes; then T, for repeats
	paramFloats []string
	defaults    []int
	elems       []ir.Type
	// shared are the arrays that several nests use, with their number of dimensions.
	shared  []*randomArray
	ranks   []int
	nests   []*nestWriter
	decls   []string
	text    []string
	externs map[string]bool
	repeats int
	plain   bool // see nestWriter
	// tight: all loops run from 0 to the last cell of the shared arrays, so that every read
	// outside the loops' range is beyond a boundary.
	tight bool
	rich  bool // the nests have the constructs of RandomRich
}

// sizes are the parameters other than T.
func (p *programWriter) sizes() []string { return p.paramNames[:len(p.paramNames)-1] }

// arrays chooses the parameters and the shared arrays.
func (p *programWriter) arrays() {
	rank := one(p.rng, 1, 2, 2, 2, 3)
	if p.plain {
		rank = one(p.rng, 2, 2, 3)
	}
	p.paramNames = []string{"N"}
	if !p.tight && p.rng.IntN(2) == 0 {
		p.paramNames = append(p.paramNames, "M")
	}
	for range p.paramNames {
		p.defaults = append(p.defaults, [...]int{0, 12 + p.rng.IntN(30), 5 + p.rng.IntN(12), 4 + p.rng.IntN(4)}[rank])
	}
	p.paramNames, p.defaults = append(p.paramNames, "T"), append(p.defaults, p.rng.IntN(4))
	p.elems = (&nestWriter{rng: p.rng, plain: p.plain}).types()
	for k := range 2 + p.rng.IntN(2) {
		a := &randomArray{name: string(rune('u' + k)), elem: one(p.rng, p.elems...), role: one(p.rng, "inout", "inout", "out", "slice", "internal")}
		if k == 0 {
			a.role = one(p.rng, "inout", "out", "slice")
		}
		p.share(a, max(1, rank-one(p.rng, 0, 0, 0, 1)))
	}
	for k := range p.rng.IntN(3) {
		p.share(&randomArray{name: string(rune('f' + k)), elem: one(p.rng, p.elems...), role: "in"}, 1+p.rng.IntN(rank))
	}
}

// share declares a shared array. Without boundaries its bounds include all subscripts.
func (p *programWriter) share(a *randomArray, rank int) {
	sizes := p.sizes()
	bounds := "-5.." + strings.Join(sizes, "+") + "+5"
	if p.tight {
		bounds = "0.." + sizes[0]
		for range rank {
			a.ends = append(a.ends, randomEnds(p.rng, a.role == "in", false))
		}
	}
	p.shared, p.ranks = append(p.shared, a), append(p.ranks, rank)
	w := &nestWriter{rng: p.rng, paramNames: p.paramNames}
	w.declareAs(a, slices.Repeat([]string{bounds}, rank), func(dim int) string { return one(p.rng, sizes[0], "1", sizes[0]+"-2") })
	p.decls = append(p.decls, w.decls...)
}

// steps writes count nests and repeats, inside depth repeats.
func (p *programWriter) steps(count, depth int, numbers ...string) []*nestWriter {
	var direct []*nestWriter
	for range count {
		if depth < 2 && p.rng.IntN(2+2*depth) == 0 {
			p.repeat(depth, numbers)
		} else {
			direct = append(direct, p.nest(numbers))
		}
	}
	return direct
}

// repeat writes a repeat. Its header is written last, when the reductions of the repeat's nests are
// known.
func (p *programWriter) repeat(depth int, numbers []string) {
	name := []string{"t", "s"}[depth] + strconv.Itoa(p.repeats)
	if p.rich { // lets are called s0 and so on
		name = []string{"t", "n"}[depth] + strconv.Itoa(p.repeats)
	}
	p.repeats++
	var earlier []string // reductions before the repeat
	for _, w := range p.nests {
		for _, r := range w.reduces {
			earlier = append(earlier, reduced(r)...)
		}
	}
	at := len(p.text)
	p.text = append(p.text, "")
	direct := p.steps(1+p.rng.IntN(2), depth+1, append(slices.Clone(numbers), name)...)
	header := "repeat " + name + " = "
	if p.rich && p.rng.IntN(2) == 0 {
		header += one(p.rng, "T..1", "2..0", "T+1..T-1", "3..max(1, T-1)", "min(T, 3)..2") + " step -1"
	} else {
		header += one(p.rng, "1..T", "0..2", "T-1..T+1", "max(1, T-1)..3", "2..min(T, 3)")
	}
	var ends []string
	for _, w := range direct {
		for _, r := range w.reduces {
			ends = append(ends, reduced(r)...)
		}
	}
	if len(ends) > 0 && p.rng.IntN(3) > 0 {
		more := ""
		if p.rich {
			more = one(p.rng, "", "*2", " - 3", "*"+one(p.rng, ends...), " + "+one(p.rng, p.paramNames...))
			if len(earlier) > 0 && p.rng.IntN(2) == 0 {
				more = one(p.rng, " - ", " + ", "*") + one(p.rng, earlier...)
			}
		}
		header += " until " + one(p.rng, ends...) + more + one(p.rng, " < ", " <= ", " > ", " >= ") + one(p.rng, "0", "1", "40", "-3")
	}
	p.text[at] = header + " {\n"
	p.text = append(p.text, "}\n")
}

// reduced returns the names that a reduce declares.
func reduced(reduce string) []string {
	names, _, _ := strings.Cut(strings.TrimPrefix(reduce, "reduce "), " = ")
	return strings.Split(names, ", ")
}

// nest writes a nest inside repeats with the given counters.
func (p *programWriter) nest(numbers []string) *nestWriter {
	w := &nestWriter{
		rng: p.rng, paramNames: p.sizes(), externs: p.externs, plain: p.plain, numbers: numbers, tag: "x" + strconv.Itoa(len(p.nests)),
	}
	p.nests = append(p.nests, w)
	depth := max(slices.Max(p.ranks), one(p.rng, 1, 2, 2))
	if p.rng.IntN(4) == 0 && depth < 3 {
		depth++
	}
	if p.rich {
		w.rich = &rich{floats: p.paramFloats}
		for _, before := range p.nests[:len(p.nests)-1] {
			for _, r := range before.reduces {
				w.rich.results = append(w.rich.results, reduced(r)...)
			}
		}
		if depth > 1 && len(numbers) > 0 && p.rng.IntN(2) == 0 {
			depth--
		}
	}
	w.nest = make([]randomLoop, depth)
	w.loops()
	if p.tight {
		for k := range w.nest {
			l := &w.nest[k]
			l.lo, l.hi, l.box = 0, p.paramNames[0], true
			l.bounds = "0.." + l.hi
		}
	}
	p.take(w)
	if p.rich {
		w.rich.begin(w)
	}
	w.body()
	if p.rng.IntN(2) == 0 && (w.rich == nil || w.rich.outer == 0) {
		w.reductions(1)
	}
	for _, a := range w.written {
		if strings.HasSuffix(a.name, w.tag) {
			w.declare(a)
		}
	}
	p.decls = append(p.decls, w.decls...)
	p.text = append(p.text, w.loopText())
	return w
}

// take gives a nest its arrays: one or two shared arrays to write, sometimes one of its
// own, and others to read.
func (p *programWriter) take(w *nestWriter) {
	depth := len(w.nest)
	for _, k := range p.rng.Perm(len(p.shared)) {
		a := *p.shared[k]
		rank := p.ranks[k]
		free := len(w.written) < 1 || len(w.written) < 2 && p.rng.IntN(2) == 0
		for l := range depth {
			a.loops = append(a.loops, l)
		}
		if free && p.atNumber(w, &a, rank) {
			continue
		}
		if free && a.role != "in" && rank >= depth-1 && rank <= depth {
			if rank < depth {
				lacks := one(p.rng, 0, 0, p.rng.IntN(depth))
				a.loops = slices.Delete(a.loops, lacks, lacks+1)
			}
			w.written = append(w.written, a.sized())
			continue
		}
		if rank > depth {
			continue
		}
		p.rng.Shuffle(depth, func(x, y int) { a.loops[x], a.loops[y] = a.loops[y], a.loops[x] })
		a.loops = a.loops[:rank]
		if p.rng.IntN(4) > 0 {
			slices.Sort(a.loops)
		}
		a.role = "in" // in this nest
		p.readAtNumber(w, &a)
		w.given = append(w.given, a.sized())
	}
	if len(w.written) == 0 || p.rng.IntN(4) == 0 {
		own := w.array("o"+w.tag, one(p.rng, p.elems...))
		if p.rich && !p.tight { // most files whose arrays have boundaries and several reads are refused
			own.ends = nil
		}
		w.written = append(w.written, own)
	}
}

// atNumber gives a nest of a rich program an array to write that has one dimension more than the nest has loops: the
// counter of a repeat is the subscript of that dimension. It reports whether it did.
func (p *programWriter) atNumber(w *nestWriter, a *randomArray, rank int) bool {
	if !p.rich || a.role == "in" || rank != len(w.nest)+1 || len(w.numbers) == 0 {
		return false
	}
	a.loops = slices.Insert(a.loops, p.rng.IntN(rank), -1-p.rng.IntN(len(w.numbers)))
	w.written = append(w.written, a.sized())
	return true
}

// readAtNumber makes the number of a repeat a subscript of an array that a nest of a rich program reads.
func (p *programWriter) readAtNumber(w *nestWriter, a *randomArray) {
	if p.rich && len(w.numbers) > 0 && p.rng.IntN(3) == 0 {
		a.loops[p.rng.IntN(len(a.loops))] = -1 - p.rng.IntN(len(w.numbers))
	}
}
