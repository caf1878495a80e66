package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// What users may have meant by mistakes in batches.

// batchAround is the header of the batch around the nest; nil if there is none.
func (c *checker) batchAround() *statement {
	for _, r := range c.in {
		if r.batch != nil {
			return r.header
		}
	}
	return nil
}

// partsOfBatch divides a header: in batch k = 1..B, M = len[k] the number is k, among is 1..B, and items has M = len[k]. The number
// is "" if the header cannot be read.
func partsOfBatch(header *statement) (number, among string, items [][]token) {
	parts := commas(header.tokens[1:])
	if len(parts) == 0 || len(parts[0]) < 3 || parts[0][0].kind != tokIdent {
		return "", "", nil
	}
	return parts[0][0].text, lineOf(parts[0][2:], maxTokens), parts[1:]
}

// batchName says what a name is of a batch: its number, or a parameter of its items; "" if it is neither.
func (c *checker) batchName(name string) (what string) {
	header := c.batchOf(name)
	if header == nil {
		return ""
	}
	if number, _, _ := partsOfBatch(header); number == name {
		return "the number of a batch"
	}
	return "a parameter of the items of a batch"
}

// batchOf is the header of the batch whose number, or parameter of items, is called name; nil if there is none.
func (c *checker) batchOf(name string) *statement {
	for _, r := range c.repeats {
		if r.of != nil && r.of.batch != nil && r.name.Name == name {
			return r.of.header
		}
	}
	return nil
}

// kindText says what a name stands for, with its article.
func (c *checker) kindText(name string, ent *entity) string {
	if ent.kind == repeatEntity {
		if what := c.batchName(name); what != "" {
			return what
		}
	}
	return ent.kind.String()
}

// itemSubscript completes the report of a cell with one subscript too few, if the first dimension of its array is that of
// the items of the batch around, and no subscript has the number of the batch. It returns false for other cells.
func (c *checker) itemSubscript(r report, name string, list []*expr, dims int) bool {
	header := c.batchAround()
	if header == nil || len(list)+1 != dims {
		return false
	}
	number, among, _ := partsOfBatch(header)
	if number == "" || c.rangeText(c.arrays[c.names[name].index].syntax.Dims[0]) != among || named(list, number) {
		return false
	}
	r.fix(r.d.At, "%s", bare(&expr{kind: cellExpr, name: name, args: slices.Concat([]*expr{{kind: nameExpr, name: number}}, list)}))
	return true
}

// rangeText is a range as a hint has it.
func (c *checker) rangeText(d *rangeSyntax) string {
	lo, hi := flatTree(d.Lo), flatTree(d.Hi)
	return strings.ReplaceAll(bare(lo)+".."+bare(hi), " ", "")
}

// lengths are the arrays whose cells could be a parameter of the items, as those of len are in M = len[k]: given arrays of integers
// over the range of the batch that give no parameter yet.
func (c *checker) lengths(header *statement) (names []string) {
	_, among, items := partsOfBatch(header)
	for k, arr := range c.nest.Arrays {
		dims := c.arrays[k].syntax.Dims
		taken := slices.ContainsFunc(items, func(l []token) bool { return len(l) > 2 && l[2].text == arr.Name })
		if len(dims) == 1 && arr.Role == ir.In && arr.Elem.Integer() && !taken && c.rangeText(dims[0]) == among {
			names = append(names, arr.Name)
		}
	}
	return names
}

// unknownBound completes the report of an unknown name in a bound.
func (c *checker) unknownBound(v *view, r report, name string) {
	if v.what != loopBound || !c.itemBound(r, name) {
		if near := c.within(v, name); near != nil {
			r.advise("%s", joined(append(near, "param "+name+" = 100")))
			return
		}
		r.hint("param %s = 100", name)
	}
}

// itemBound completes the report of an unknown name in the bound of a loop within a batch: each item may have its own value.
func (c *checker) itemBound(r report, name string) bool {
	header := c.batchAround()
	if header == nil {
		return false
	}
	number, _, _ := partsOfBatch(header)
	names := c.lengths(header)
	if number == "" || len(names) == 0 {
		return false
	}
	array := names[min(c.ofItems, len(names)-1)]
	c.ofItems++
	r.advise("%s = %s[%s] in the header of the batch, if each item has its own; or param %[1]s = 100", name, array, number)
	return true
}

// cellOfItem completes the report of e, a cell in the bound of a loop within a batch, whose subscript is the number of the batch. It
// returns false for other cells.
func (c *checker) cellOfItem(r report, e *expr) bool {
	header := c.batchAround()
	if header == nil || len(e.args) != 1 {
		return false
	}
	number, _, given := partsOfBatch(header)
	if number == "" || bare(e.args[0]) != number {
		return false
	}
	cell := bare(e)
	for _, l := range given {
		if len(l) > 2 && lineOf(l[2:], maxTokens) == cell {
			r.fix(e.at, "%s", l[0].text)
			return true
		}
	}
	outline := c.in[slices.IndexFunc(c.in, func(r *repeatOutline) bool { return r.batch != nil })]
	name := ""
	for _, x := range outline.offered {
		if x[1] == cell {
			name = x[0]
		}
	}
	taken := func(x string) bool {
		return slices.ContainsFunc(outline.offered, func(o [2]string) bool { return o[0] == x })
	}
	for _, x := range []string{"M", "N", "K", "L", "P", "Q", "size"} {
		if name == "" && c.names[x] == nil && c.later[x] == nil && !c.spoiled[x] && !taken(x) {
			name = x
			outline.offered = append(outline.offered, [2]string{name, cell})
		}
	}
	if name == "" {
		return false
	}
	items := ""
	for _, x := range outline.offered {
		items += ", " + x[0] + " = " + x[1]
	}
	r.d.Message += ": a parameter in the header of the batch may have it"
	r.advise("%s%s {, and %s in place of %s", lineOf(header.tokens, maxTokens), items, name, cell)
	return true
}

// asBatch completes the report of a for whose header has parameters of items, as that of a batch. It returns false for others.
func (m *mistake) asBatch(st *statement) bool {
	if st.keyword() != "for" || len(st.tokens) < 4 {
		return false
	}
	number, _, items := partsOfBatch(st)
	if number == "" || len(items) == 0 || slices.ContainsFunc(items, func(l []token) bool { return !ofItem(l, number) }) {
		return false
	}
	m.d.At, m.d.Message = st.first().span(), "the loops of a for have ranges, and a cell is the parameter of the items of a batch"
	m.d.Hint, m.d.Kind = lineOf(headed("batch", st), maxTokens), diag.Example
	if last := st.tokens[len(st.tokens)-1]; last.pos.Line == m.d.At.Line {
		m.d.Kind, m.d.Replace = diag.Replacement, join(m.d.At, last.span())
	}
	return true
}

// headed are the tokens of a header with another first word.
func headed(word string, st *statement) []token {
	return append([]token{madeKeyword(word, st.first())}, st.tokens[1:]...)
}

// ofItem reports whether tokens are the parameter of an item, as in M = la[k].
func ofItem(l []token, number string) bool {
	return len(l) == 6 && l[0].kind == tokIdent && l[1].is("=") && l[2].kind == tokIdent && l[3].is("[") && l[4].text == number && l[5].is("]")
}

// letsOfItems reports the lets among misplaced statements that are parameters of the items of a batch, and returns the others.
func (c *checker) letsOfItems(r *repeatOutline) (others []*statement) {
	if r.batch == nil {
		return r.misplace
	}
	number, _, _ := partsOfBatch(r.header)
	var first *statement
	text := lineOf(r.header.tokens, maxTokens)
	for _, m := range r.misplace {
		if m.keyword() != "let" || m.bad || !ofItem(m.tokens[1:], number) {
			others = append(others, m)
			continue
		}
		if first == nil {
			first = m
		}
		text += ", " + lineOf(m.tokens[1:], maxTokens)
	}
	if first != nil {
		c.errorf(diag.Misplaced, first.first().span(), "a let belongs in the body of a for: the header of a batch has the parameters of its items").
			advise("%s { in place of the header and of such lets", text)
	}
	return others
}

// spoilMisplaced notes the names that misplaced statements of the repeats around the nest were meant to declare.
func (c *checker) spoilMisplaced() {
	for _, r := range c.in {
		for _, m := range r.misplace {
			if slices.Contains([]string{"let", "var", "array", "const", "param"}, m.keyword()) && len(m.tokens) > 1 {
				c.spoiled[m.tokens[1].text] = true
			}
		}
	}
}

// sliceOfItems completes the report of an out slice whose subscript is a parameter of the items of a batch. It advises an array
// with one result of each item.
func (c *checker) sliceOfItems(r report, s *outSyntax, name string) {
	header := c.batchOf(name)
	if header == nil {
		return
	}
	number, among, _ := partsOfBatch(header)
	var subs []string
	for _, d := range s.Dims {
		if d.All {
			subs = append(subs, number)
		} else {
			subs = append(subs, bare(flatTree(d.Index)))
		}
	}
	if number == "" || len(slices.DeleteFunc(slices.Clone(s.Dims), func(d *outItemSyntax) bool { return !d.All })) != 1 {
		return
	}
	array, elem := "result", c.nest.Arrays[c.names[s.Name.Name].index].Elem
	if c.names[array] != nil {
		array = "ends"
	}
	r.advise("in place of this out, array %s[%s] %s out, and last in the batch for once = 1..1 { %[1]s[%[4]s] = %[5]s }",
		array, among, elem, number, fmt.Sprintf("%s[%s]", s.Name.Name, strings.Join(subs, ",")))
}

// apartRemedy completes the report of an access with subscripts subs, which reaches cells of other items of batch r. Items write
// the array with the number of the batch as subscript number at: the remedy is the same access with the number there, in place of
// the text at where. alone: the items have no parameters, so a repeat may be meant.
func apartRemedy(report report, n *ir.Nest, r *ir.Repeat, array, at int, subs []ir.Affine, where diag.Span, alone bool) {
	var list, loops []string
	for _, l := range n.Loops {
		loops = append(loops, l.Name)
	}
	for d, sub := range subs {
		if d == at {
			list = append(list, r.Name)
			continue
		}
		list = append(list, depend.AffineText(n, sub, loops))
	}
	cell := n.Arrays[array].Name + "[" + strings.Join(list, ",") + "]"
	if alone {
		report.advise("%s, of the same item; or repeat instead of batch", cell)
		return
	}
	report.fix(where, "%s", cell)
}

// ofEachItem completes the report of the declaration of an array in the block of a batch.
func (c *checker) ofEachItem(report report, r *repeatOutline, m *statement) {
	if r.batch == nil || m.keyword() != "array" || len(m.tokens) < 3 {
		return
	}
	if number, among, _ := partsOfBatch(r.header); number != "" {
		report.advise("array %s[%s, ...] before the batch, with bounds of params, of which an item has the cells %[1]s[%[3]s,...]", m.tokens[1].text, among, number)
	}
}
