package frontend

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/eval"
	"loopc/ir/irtest"
)

// cellBits are a number that depends on the name of an array and a cell alone, so that nests with other bounds are given the same.
func cellBits(name string, cell []int) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, name, cell)
	x := h.Sum64()
	x ^= x >> 29
	return x * 0x9e3779b97f4a7c15
}

// resultsOf are the results of a program for small parameters; nil if it cannot be run with them.
func resultsOf(p *ir.Program) map[string]*eval.Array {
	params := make([]int, len(p.Params))
	for k, x := range p.Params {
		h := fnv.New32a()
		fmt.Fprint(h, x.Name)
		params[k] = 6 + int(h.Sum32()%3)
		if x.Default != nil {
			params[k] = min(*x.Default, params[k])
		}
	}
	in := map[string]*eval.Array{}
	cells := 1
	for k := range p.Arrays {
		arr := &p.Arrays[k]
		var lo, hi []int
		n := 1
		for d := range arr.Lo {
			lo, hi = append(lo, arr.Lo[d].Eval(params, nil)), append(hi, arr.Hi[d].Eval(params, nil))
			n *= max(1, hi[d]-lo[d]+1)
		}
		if cells += n; cells > 50000 {
			return nil
		}
		if arr.Role != ir.In && arr.Role != ir.InOut {
			continue
		}
		a, err := eval.NewArray(arr.Elem, lo, hi)
		if err != nil {
			return nil
		}
		for c := range a.Floats {
			a.Floats[c] = 0.5 + float64(cellBits(arr.Name, a.Cell(c))>>40)/(1<<24)
			if arr.Elem == ir.Float32 {
				a.Floats[c] = float64(float32(a.Floats[c]))
			}
		}
		for c := range a.Ints {
			a.Ints[c] = 1 + int64(cellBits(arr.Name, a.Cell(c))>>40&3)
		}
		in[arr.Name] = a
	}
	out, err := eval.RunProgram(p, params, in)
	if err != nil {
		return nil
	}
	return out
}

// sameResults reports whether two programs give the same.
func sameResults(x, y map[string]*eval.Array) bool {
	if len(x) != len(y) {
		return false
	}
	for name, a := range x {
		b := y[name]
		if b == nil || a.Elem != b.Elem || !slices.Equal(a.Lo, b.Lo) || !slices.Equal(a.Hi, b.Hi) {
			return false
		}
		if _, ok := eval.Diff(a, b); !ok {
			return false
		}
	}
	return true
}

// An outcome is what becomes of a file with a mistake when a reader does what the messages say.
type outcome uint8

const (
	silent    outcome = iota // nothing is said
	noAdvice                 // the messages state facts
	unread                   // the advice cannot be followed mechanically
	stuck                    // the advice leads to a file with errors
	different                // the advice leads to a nest that means something else
	cured                    // the advice leads to the nest that was meant
)

var outcomeNames = []string{"silent", "facts", "unread", "stuck", "different", "cured"}

// A reader follows advice.
type damageReader struct {
	want  map[string]*eval.Array
	tries int
	first []diag.Diagnostic
}

// waysOf are the sources that follow the advice of a diagnostic.
func waysOf(src string, d *diag.Diagnostic) (ways []string, advised bool) {
	switch {
	case d.Hint == "" || d.Kind == diag.Pattern:
		return nil, false
	}
	src = withNotes(src, d)
	switch {
	case d.Kind == diag.Replacement:
		return []string{replacedAt([]byte(src), d.Replace, d.Hint)}, true
	}
	tr := &trial{src: []byte(src)}
	if at, ok := tr.placeOf(d); ok && d.Kind == diag.Example && d.Code != diag.EmptyLoop {
		if l := []rune(strings.Split(src, "\n")[at.Line-1]); strings.HasSuffix(d.Hint, "{") && strings.HasPrefix(strings.TrimSpace(string(l[min(len(l), at.Col-1+at.Len):])), "{") {
			d.Hint = strings.TrimSuffix(d.Hint, " {")
		}
		return []string{replacedAt([]byte(src), at, d.Hint)}, true
	}
	first, _, _ := strings.Cut(d.Hint, " ")
	if declares := declarers[first] || first == "init" || first == "out" || first == "boundary"; d.Kind == diag.Example && !declares && d.Replace.Line > 0 || d.Hint == "}" {
		if d.Replace.Line == 0 {
			d.Replace = d.At
		}
		return []string{replacedAt([]byte(src), d.Replace, d.Hint)}, true
	}
	for _, way := range remedies(d.Hint) {
		if m := regexp.MustCompile(`^(\w+) = (.* step -1)$`).FindStringSubmatch(way); m != nil {
			f := &follower{lines: strings.Split(src, "\n"), d: d}
			f.tokens = slices.DeleteFunc(scanned([]byte(src)), func(t token) bool { return t.kind == tokComment || t.kind == tokEOF })
			if at := slices.IndexFunc(f.tokens, func(x token) bool { return x.pos == d.At.Pos }); at >= 0 && f.loop(at, m[1], m[2]) {
				ways = append(ways, f.changed())
				continue
			}
		}
		if text, ok := followed([]byte(src), d, way); ok {
			ways = append(ways, text)
		} else if declares := regexp.MustCompile(`^(array|reduce|const|param|init|out|boundary|extern) `).MatchString(way); declares && d.Kind == diag.Example {
			f := &follower{lines: strings.Split(src, "\n"), d: d}
			f.tokens = slices.DeleteFunc(scanned([]byte(src)), func(t token) bool { return t.kind == tokComment || t.kind == tokEOF })
			if strings.HasPrefix(way, "array") || strings.HasPrefix(way, "param") || strings.HasPrefix(way, "const") {
				ways = append(ways, way+"\n"+src)
			} else if f.insert(way) {
				ways = append(ways, f.changed())
			}
		}
	}
	return ways, true
}

// withNotes does what the notes of a diagnostic say, if some are about the ends of blocks.
func withNotes(src string, d *diag.Diagnostic) string {
	l := slices.Clone(d.Notes)
	if !slices.ContainsFunc(l, func(n diag.Note) bool {
		return strings.HasPrefix(n.Message, leaveOut) || strings.HasPrefix(n.Message, "the block ends")
	}) {
		return src
	}
	slices.SortFunc(l, func(a, b diag.Note) int { return comparePlaces(b.At.Pos, a.At.Pos) })
	for _, n := range l {
		if text, told := strings.CutPrefix(n.Message, hereToo+": "); told {
			src = replacedAt([]byte(src), n.At, text)
		}
		switch n.Message {
		case stoodAbove, endsBefore, begunAbove:
			src = replacedAt([]byte(src), n.At, "")
		case endsHere:
			src = replacedAt([]byte(src), n.At, "}")
		case endsBehind:
			src = replacedAt([]byte(src), diag.Span{Pos: diag.Pos{Line: n.At.Line, Col: n.At.Col + n.At.Len}}, "\n}")
		}
	}
	return src
}

// follow does what the messages say.
func (r *damageReader) follow(src string, depth int, seen map[string]bool) (best outcome, trace string) {
	if r.tries++; r.tries > 40 || depth > 8 || seen[src] {
		return stuck, "again"
	}
	seen[src] = true
	prog, diags := CompileProgram("x.loop", []byte(src))
	if prog != nil {
		if sameResults(r.want, resultsOf(prog)) {
			return cured, ""
		}
		if len(diags) == 0 || depth > 0 && !slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code != diag.Slow && d.Hint != "" }) {
			if depth == 0 {
				return silent, ""
			}
			return different, ""
		}
	}
	best = noAdvice
	if depth > 0 {
		best = stuck
		if prog != nil {
			best = different
		}
	}
	if depth == 0 {
		r.first = diags
	}
	for k := range diags {
		d := &diags[k]
		if d.Code == diag.Slow || prog == nil && d.Severity != diag.Error {
			continue
		}
		ways, advised := waysOf(src, d)
		if advised && len(ways) == 0 && (best == noAdvice || best == stuck) {
			best = unread
		}
		for _, way := range ways {
			if way == src {
				continue
			}
			o, tr := r.follow(way, depth+1, seen)
			if o >= best || best == noAdvice || best == unread {
				best, trace = o, d.Hint+"\n      -> "+tr
			}
			if best == cured {
				return
			}
		}
		if len(ways) > 0 {
			return // the others wait
		}
	}
	if len(trace) == 0 && prog == nil {
		for _, d := range diags {
			trace += string(d.Code) + ": " + d.Message + "; "
		}
	}
	return best, trace
}

// TestDamaged damages correct nests in the ways of damageList, each as programmers of other languages do, and follows what the
// messages say as they stand. Few files may then have errors that no message helps with, or mean something else than the nest, and
// most must be the nest again: the messages do not mislead. Damages after which the file does not tell what was meant do not count.
func TestDamaged(t *testing.T) {
	t.Parallel()
	var nests []string
	for _, dir := range []string{"testdata/habits/*.txt", "testdata/mended/*.txt"} {
		files, err := filepath.Glob(dir)
		if err != nil || len(files) < 10 {
			t.Fatalf("%d nests: %v", len(files), err)
		}
		for _, f := range files {
			nest, _ := habitsOf(t, f)
			nests = append(nests, nest)
		}
	}
	nests = append(nests, textsOf(t, "../examples/*/*.loop")...)
	rng := rand.New(rand.NewPCG(28, 5))
	first, end := irtest.Part(8, 1) // of eight nests
	files, counts := 0, map[outcome]int{}
	for n, src := range nests {
		if n%8 < first || n%8 >= end {
			continue
		}
		prog, _ := CompileProgram("x.loop", []byte(src))
		if prog == nil {
			continue
		}
		want := resultsOf(prog)
		if want == nil { // it is too large, or needs other data
			continue
		}
		for _, d := range damageList {
			damaged := d.within(src, rng)
			if damaged == "" || strings.HasPrefix(d.name, "(") {
				continue
			}
			r := &damageReader{want: want}
			o, trace := r.follow(damaged, 0, map[string]bool{})
			files++
			counts[o]++
			if o == stuck || o == different {
				t.Logf("%s: %s\n%s%s\n%s", outcomeNames[o], d.name, rendered("x.loop", damaged, r.first), trace, damaged)
			}
		}
	}
	var line []string
	for o, word := range outcomeNames {
		line = append(line, fmt.Sprintf("%d %s", counts[outcome(o)], word))
	}
	t.Logf("%d files: %s", files, strings.Join(line, ", "))
	if files < 150*(end-first) || counts[cured]*100 < 75*files {
		t.Errorf("of %d files, %d are cured", files, counts[cured])
	}
	if counts[stuck]*1000 > files+1000 || counts[different]*1000 > 24*files+3000 {
		t.Errorf("of %d files, %d have errors and %d mean something else when the messages are followed", files, counts[stuck], counts[different])
	}
}

// TestDimensionDropped compiles nests that have each construct of the language, without the first dimension of one of their arrays.
func TestDimensionDropped(t *testing.T) {
	t.Parallel()
	for _, src := range textsOf(t, "../testdata/language/*.loop") {
		tokens := scanned([]byte(src))
		for k := range tokens[1:] {
			if damaged := damageDimensionDropped(tokens, src, k, nil); damaged != "" {
				CompileProgram("x.loop", []byte(damaged))
			}
		}
	}
}

// within makes the damage at a random place of a source; "" if none of some places has it.
func (d damage) within(src string, rng *rand.Rand) string {
	tokens := slices.DeleteFunc(scanned([]byte(src)), func(t token) bool { return t.kind == tokComment })
	for range 60 {
		if damaged := d.make(tokens, src, rng.IntN(len(tokens)-1), rng); damaged != "" && damaged != src {
			return damaged
		}
	}
	return ""
}
