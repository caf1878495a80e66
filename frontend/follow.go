package frontend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir/diag"
)

// Advice is followed before it is given: a follower reads the sentence as the user does, and changes the source
// as it says. What it cannot read is given as it is.

// A follower changes a source as advice says.
type follower struct {
	lines  []string
	tokens []token // without comments
	d      *diag.Diagnostic
	edits  []followEdit
}

// A followEdit is a text in place of a piece of a line.
type followEdit struct {
	at   diag.Span
	text string
}

// remedies are the ways that advice consists of.
func remedies(hint string) []string {
	return strings.Split(strings.TrimPrefix(hint, depend.OneOf), depend.Or)
}

// joined is the advice that consists of ways.
func joined(ways []string) string {
	if len(ways) < 2 {
		return strings.Join(ways, "")
	}
	return depend.OneOf + strings.Join(ways, depend.Or)
}

// A remedyForm is how a remedy is written, and what it does to the source; do returns false if the source has no
// place for it.
type remedyForm struct {
	how *regexp.Regexp
	do  func(f *follower, m []string) bool
}

// meaning matches text that may follow a remedy and that explains it: the remedy is the same without it.
const meaning = `(?:(?:, (?:and an init|with|which|leaving|adding|as|if|whose|to be|because|without)|:| if|,? in place of the (?:const|param|one|boundary)).*)?$`

// forms of remedies; in the order in which they are tried.
var remedyForms = []remedyForm{
	{regexp.MustCompile(`^leave this out$`), (*follower).leftOut},
	{regexp.MustCompile(`^the loop (\w+) = .* before the others` + meaning), (*follower).outermost},
	{regexp.MustCompile(`^the loop (\w+) = (.*), with \w+ in place of (.*), and .* in place of every other \w+$`), (*follower).mirrored},
	{regexp.MustCompile(`^the loops? (\w+ = .*?)(?: in line (\d+))?` + meaning), (*follower).loops},
	{regexp.MustCompile(`^(\w+) = (\S+\.\.\S+)` + meaning), (*follower).number},
	{regexp.MustCompile(`^bounds (\S+\.\.\S+) for dimension (\d+) of (\w+)` + meaning), (*follower).dimension},
	{regexp.MustCompile(`^bounds (\w+)\[([^\]]*)\]` + meaning), (*follower).bounds},
	{regexp.MustCompile(`^(?:[^:]*: )?declare (\w+) as (in|out|inout)` + meaning), (*follower).role},
	{regexp.MustCompile(`^(?:[^:]*: )?declare (\w+) as (\w+)` + meaning), (*follower).typed},
	{regexp.MustCompile(`^(?:an init, for example: |give it an init, for example: )?((?:init|out|boundary|param|const) (\w+)(?:\[[^\]]*\])?(?: = .*?)?)` + meaning), (*follower).statement},
	{regexp.MustCompile(`^(array (\w+)\[[^\]]*\] \w+(?: in| out| inout)?)$`), (*follower).statement},
	{regexp.MustCompile(`^(\w+\[[^\] ]*\]) in place of (\w+\[[^\] ]*\])` + meaning), (*follower).everywhere},
	{regexp.MustCompile(`^(\w+\[[^\] ]*\])` + meaning), (*follower).here},
	{regexp.MustCompile(`^(\w+)$`), (*follower).nameHere},
	{regexp.MustCompile(`^let (\w+) = (.*), and (\w+) for (\w+) below$`), (*follower).renamed},
}

// followed returns the source after the edit that remedy, a hint of d, describes; false if it describes no edit.
func followed(src []byte, d *diag.Diagnostic, remedy string) (string, bool) {
	f := &follower{lines: strings.Split(strings.TrimPrefix(string(src), string(bom)), "\n"), d: d}
	tokens, _ := scan(src)
	f.tokens = slices.DeleteFunc(tokens, func(t token) bool { return t.kind == tokComment || t.kind == tokEOF })
	for _, x := range slices.Concat(statementForms, remedyForms) {
		if m := x.how.FindStringSubmatch(remedy); m != nil && x.do(f, m) {
			return f.changed(), true
		}
		f.edits = nil
	}
	return "", false
}

// changed is the source with all edits.
func (f *follower) changed() string {
	slices.SortStableFunc(f.edits, func(x, y followEdit) int { return comparePlaces(y.at.Pos, x.at.Pos) })
	for _, e := range f.edits {
		l := []rune(f.lines[e.at.Line-1])
		first := min(e.at.Col-1, len(l))
		f.lines[e.at.Line-1] = string(l[:first]) + e.text + string(l[min(len(l), first+max(0, e.at.Len)):])
	}
	return strings.Join(f.lines, "\n")
}

// comparePlaces compares two places by line and column.
func comparePlaces(x, y diag.Pos) int {
	if x.Line != y.Line {
		return x.Line - y.Line
	}
	return x.Col - y.Col
}

// put replaces tokens[first:last], which are in one line.
func (f *follower) put(first, last int, text string) bool {
	if first >= last || last > len(f.tokens) {
		return false
	}
	at := join(f.tokens[first].span(), f.tokens[last-1].span())
	if f.tokens[first].pos.Line != f.tokens[last-1].pos.Line {
		return false
	}
	f.edits = append(f.edits, followEdit{at, text})
	return true
}

// begins is the index of the token from which on the source has words; from is where the search begins. It is -1
// if there is none.
func (f *follower) begins(from int, words ...string) int {
	for k := from; k+len(words) <= len(f.tokens); k++ {
		if f.has(k, words) {
			return k
		}
	}
	return -1
}

// has reports whether the tokens from k on are words.
func (f *follower) has(k int, words []string) bool {
	for i, w := range words {
		if f.tokens[k+i].text != w {
			return false
		}
	}
	return true
}

// header is the index of the for of the nest that has the diagnostic: the last one before it, or the first.
func (f *follower) header() int {
	at := -1
	for k, t := range f.tokens {
		if t.is("for") && (at < 0 || comparePlaces(t.pos, f.d.At.Pos) <= 0) {
			at = k
		}
	}
	return at
}

// loops gives loops of the nest other ranges.
func (f *follower) loops(m []string) bool {
	parts := regexp.MustCompile(`(\w+) = ([^=]*?)(?:, (?:\w+ = )|$)`)
	for rest := m[1]; rest != ""; {
		x := parts.FindStringSubmatch(rest)
		if x == nil || !f.loop(f.around(x[1], m[2]), x[1], x[2]) {
			return false
		}
		rest = strings.TrimPrefix(rest[len(x[1]+" = "+x[2]):], ", ")
	}
	return len(f.edits) > 0
}

// number gives a repeat, or the for that becomes one, around the diagnostic other numbers.
func (f *follower) number(m []string) bool { return f.loop(f.around(m[1], ""), m[1], m[2]) }

// around is the index of the last for or repeat before the diagnostic, or in the given line, that has a loop of this name in
// its line; that of the for of the nest if there is none.
func (f *follower) around(name, line string) int {
	at := f.header()
	for k, t := range f.tokens {
		if !t.is("for") && !t.is("repeat") || line == "" && comparePlaces(t.pos, f.d.At.Pos) > 0 || line != "" && line != fmt.Sprint(t.pos.Line) {
			continue
		}
		if x := f.begins(k, name, "="); x >= 0 && f.tokens[x].pos.Line == t.pos.Line {
			at = k
		}
	}
	return at
}

// loop replaces the range of the first loop of this name that begins at token at, the for of the nest, or behind it. It
// returns false if there is none.
func (f *follower) loop(at int, name, text string) bool {
	k := f.begins(max(0, at), name, "=")
	if k < 0 {
		return false
	}
	last := k + 2
	for depth := 0; last < len(f.tokens); last++ {
		t := f.tokens[last]
		if depth == 0 && (t.is(",") || t.is("{")) || t.pos.Line != f.tokens[k].pos.Line {
			break
		}
		depth += change(t)
	}
	return f.put(k+2, last, text)
}

// change is by how much a token changes the number of brackets that are open.
func change(t token) int {
	switch {
	case t.opens():
		return 1
	case t.closes():
		return -1
	}
	return 0
}

// extents are the first and last token of each dimension of the declaration of an array, and the index of the
// token behind the bracket; nil if the source has none.
func (f *follower) extents(name string) (dims [][2]int, behind int) {
	k := f.begins(0, "array", name, "[")
	if k < 0 {
		return nil, 0
	}
	first := k + 3
	for at, depth := first, 0; at < len(f.tokens); at++ {
		t := f.tokens[at]
		if depth == 0 && (t.is(",") || t.is("]")) {
			dims = append(dims, [2]int{first, at})
			first = at + 1
		}
		if depth += change(t); depth < 0 {
			return dims, at + 1
		}
	}
	return nil, 0
}

// dimension gives one dimension of an array other bounds.
func (f *follower) dimension(m []string) bool {
	dims, _ := f.extents(m[3])
	d := int(m[2][0] - '1')
	return d < len(dims) && f.put(dims[d][0], dims[d][1], m[1]) && f.withInit(m[0], m[3], len(dims))
}

// bounds gives an array other bounds.
func (f *follower) bounds(m []string) bool {
	dims, _ := f.extents(m[1])
	if len(dims) == 0 || !f.put(dims[0][0], dims[len(dims)-1][1], m[2]) {
		return false
	}
	if strings.Contains(m[0], "in place of the boundary") {
		if k := f.begins(0, "boundary", m[1]); k >= 0 {
			f.edits = append(f.edits, followEdit{diag.Span{Pos: f.tokens[k].pos, Len: len(f.lines[f.tokens[k].pos.Line-1])}, ""})
		}
	}
	return f.withInit(m[0], m[1], len(dims))
}

// withInit adds an init of an array if a remedy asks for one.
func (f *follower) withInit(remedy, name string, dims int) bool {
	if strings.Contains(remedy, ", and an init") && f.begins(0, "init", name) < 0 {
		f.insert("init " + name + "[" + strings.Join([]string{"i1", "i2", "i3", "i4", "i5", "i6"}[:dims], ", ") + "] = 0")
	}
	return true
}

// insert adds a statement before the first loop.
func (f *follower) insert(text string) bool {
	k := slices.IndexFunc(f.tokens, func(t token) bool { return t.is("for") || t.is("repeat") || t.text == "batch" })
	if k < 0 {
		return false
	}
	f.edits = append(f.edits, followEdit{diag.Span{Pos: diag.Pos{Line: f.tokens[k].pos.Line, Col: 1}}, text + "\n"})
	return true
}

// role gives an array another role.
func (f *follower) role(m []string) bool {
	_, behind := f.extents(m[1])
	if behind == 0 || behind >= len(f.tokens) {
		return false
	}
	last := behind
	if at := behind + 1; at < len(f.tokens) && f.tokens[at].pos.Line == f.tokens[behind].pos.Line && slices.Contains([]string{"in", "out", "inout"}, f.tokens[at].text) {
		last = at
	}
	return f.put(behind, last+1, f.tokens[behind].text+" "+m[2])
}

// typed gives an array another type.
func (f *follower) typed(m []string) bool {
	_, behind := f.extents(m[1])
	return behind > 0 && behind < len(f.tokens) && wordsOf(nil)[m[2]] && f.put(behind, behind+1, m[2])
}

// statement writes a declaration in place of that of the same name, or adds it.
func (f *follower) statement(m []string) bool {
	word, _, _ := strings.Cut(m[1], " ")
	if strings.Contains(m[1], " and "+word+" ") {
		return false
	}
	k := f.begins(0, word, m[2])
	if word == "const" && k < 0 {
		k = f.begins(0, "param", m[2])
	}
	if word == "param" && k < 0 {
		k = f.begins(0, "const", m[2])
	}
	if k < 0 && (word == "const" || word == "param") && f.unlisted(m[2]) {
		return f.insert(m[1])
	}
	if k < 0 {
		return f.insert(m[1])
	}
	last := k
	for last < len(f.tokens) && f.tokens[last].pos.Line == f.tokens[k].pos.Line && !f.tokens[last].is(";") {
		last++
	}
	return f.put(k, last, m[1])
}

// here writes a cell in the place of what was found.
func (f *follower) here(m []string) bool {
	for k := range f.tokens {
		if f.tokens[k].pos == f.d.At.Pos {
			return f.tokens[k].kind == tokIdent && f.put(k, f.cellEnd(k), m[1])
		}
	}
	return false
}

// cellEnd is the index of the token behind the cell that begins with token k.
func (f *follower) cellEnd(k int) int {
	for at, depth := k+1, 0; at < len(f.tokens) && f.tokens[k+1].is("["); at++ {
		if depth += change(f.tokens[at]); depth == 0 {
			return at + 1
		}
	}
	return k + 1
}

// everywhere writes a cell in place of another one.
func (f *follower) everywhere(m []string) bool {
	old, _ := scan([]byte(m[2]))
	var words []string
	for _, t := range old[:len(old)-1] {
		words = append(words, t.text)
	}
	for k := f.begins(0, words...); k >= 0; k = f.begins(k+1, words...) {
		f.put(k, k+len(words), m[1])
	}
	return len(f.edits) > 0
}

// renamed writes a let of another name in place of an assignment, and that name below.
func (f *follower) renamed(m []string) bool {
	k := slices.IndexFunc(f.tokens, func(t token) bool { return t.pos.Line == f.d.At.Line })
	if k < 0 {
		return false
	}
	last := k
	for last < len(f.tokens) && f.tokens[last].pos.Line == f.d.At.Line {
		last++
	}
	if !f.put(k, last, "let "+m[1]+" = "+m[2]) {
		return false
	}
	for ; last < len(f.tokens); last++ {
		if f.tokens[last].kind == tokIdent && f.tokens[last].text == m[4] {
			f.put(last, last+1, m[3])
		}
	}
	return true
}
