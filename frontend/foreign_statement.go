package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// statements translates whole statements.
func (t *translator) statements() {
	t.pair()
	e := edits{}
	depth, last := 0, token{kind: tokOp, text: ";"} // of braces; the token before
	for k := 0; k < len(t.tokens); k++ {
		tok := t.tokens[k]
		begins := last.kind == tokIdent && last.text == "else" || last.is(";") || last.is("{") || last.is("}") || tok.pos.Line > last.pos.Line && (last.operand() || last.is("+") || last.is("-"))
		switch {
		case tok.is("{"):
			depth++
		case tok.is("}"):
			depth--
		case begins:
			next := t.statement(e, k, depth)
			for first := k; k <= next; k++ {
				switch x := t.tokens[k]; {
				case x.is("{"):
					depth++
				case x.is("}") && k > first:
					depth--
				}
			}
			k--
			tok = t.tokens[k]
		}
		last = tok
		if begins && tok.is(")") {
			last = token{kind: tokOp, text: ";"} // of an if: its statement begins
		}
	}
	t.tokens = e.apply(t.tokens, 0, len(t.tokens))
}

// statement translates the statement that begins with token k, in so many blocks,
// and returns the last token that it has dealt with, or k.
func (t *translator) statement(e edits, k, depth int) int {
	if last := t.firstValue(e, k); last > k {
		return last
	}
	for _, braces := range t.unframed {
		if braces[0] < k && k < braces[1] {
			depth-- // these go
		}
	}
	switch tok := t.tokens[k]; {
	case tok.is("extern"):
		return t.external(e, k)
	case tok.is("for"):
		return t.loop(e, k)
	case tok.is("array"):
		return t.array(e, k)
	case t.isMain(k):
		if open := t.end(k) + 1; t.at(open).is("{") && t.match[open] > open {
			e.drop(k, t.match[open]) // it calls what is told of
			return t.match[open]
		}
		return k
	case tok.kind == tokIdent && tok.text == "if":
		return t.condition(e, k)
	case tok.named("while"), tok.named("do") && t.at(k+1).is("{"):
		return t.while(e, k)
	case tok.kind == tokIdent && tok.text == "else":
		return t.otherwise(e, k)
	case depth == 0 && tok.kind == tokIdent && t.at(k+1).is(","):
		return t.several(e, k)
	case depth == 0 && tok.kind == tokIdent && t.at(k+1).is("=") && t.plain(e, k) > k:
		return t.end(k)
	case t.isFrame(k):
		return t.framed(e, k)
	case t.prototype(e, k) > k:
		return t.end(k)
	case t.declares(k) > k:
		return t.declaration(e, k, depth)
	case tok.kind == tokIdent && (t.ranged(e, k) > k || t.nested(e, k) > k || t.called(e, k) > k):
		return t.end(k)
	case tok.kind == tokIdent || tok.is("+") || tok.is("-"):
		return t.update(e, k)
	}
	return k
}

// end returns the last token of the statement that begins with token k: the one
// before a semicolon, a brace, or a line that does not continue it.
func (t *translator) end(k int) int {
	last := k
	for step := 0; step < maxTokens; step++ {
		if m := t.match[last]; m > last {
			last = m
		}
		x := t.at(last + 1)
		if x.is(";") || x.is("{") || x.is("}") || x.kind == tokEOF ||
			x.pos.Line > t.at(last).pos.Line && (t.at(last).operand() || t.at(last).is("+") || t.at(last).is("-")) {
			break
		}
		last++
	}
	return last
}

// drop removes the tokens from first to last.
func (e edits) drop(first, last int) {
	for k := first; k <= last; k++ {
		e.replace(k)
	}
}

// update translates x += y, x++ and ++x, for a cell or a name x.
func (t *translator) update(e edits, k int) int {
	end := t.end(k)
	if m := t.match[k+1]; t.at(k+1).is("(") && m > 0 && t.at(m+1).is("=") {
		return t.subscripts(e, k, m)
	}
	cell := k // its first token
	sign := token{}
	if (t.at(k).is("+") || t.at(k).is("-")) && t.at(k+1).is(t.at(k).text) && t.at(k+1).glued {
		cell, sign = k+2, t.at(k)
	}
	over := cell + 1 // the token after it
	if t.at(over).is("[") && t.match[over] >= 0 {
		over = t.match[over] + 1
	}
	if t.at(cell).kind != tokIdent || over > end+1 {
		return k
	}
	if t.assigns(e, k, cell, over, end) {
		return k
	}
	if last := t.updated(e, k, over); last > k {
		return last
	}
	value := over // the first token of what is added; over: 1
	switch op, next := t.at(over), t.at(over+1); {
	case sign.text != "" && over == end+1:
	case sign.text != "":
		return k
	case (op.is("+") || op.is("-")) && next.is(op.text) && next.glued && over+1 == end:
		sign = op
	case (op.is("+") || op.is("-") || op.is("*") || op.is("/")) && next.is("=") && next.glued && over+1 < end:
		sign, value = op, over+2
	default:
		return k
	}
	target := t.tokens[cell:over]
	var added []token
	switch {
	case value == over:
		added = []token{word(tokInt, "1", sign)}
	case end == value || sign.text == "+" && !slices.ContainsFunc(t.tokens[value:end+1], comparison):
		added = t.tokens[value : end+1]
	default:
		added = slices.Concat([]token{operator("(", sign)}, t.tokens[value:end+1], []token{operator(")", t.at(end))})
	}
	at := join(t.at(k).span(), t.at(max(over+1, end)).span())
	if value > over {
		at = join(t.at(k).span(), t.at(over+1).span())
	}
	if len(target) == 1 && t.countedBy(e, k, end, target[0].text) {
		return end
	}
	if len(target) == 1 && (t.lets[target[0].text] || t.locals[target[0].text]) && !t.sums[target[0].text] && !t.carries[target[0].text] {
		return t.again(e, k, end, target[0], slices.Concat(target, []token{operator(sign.text, sign)}, added))
	}
	if len(target) == 1 && t.carries[target[0].text] {
		return t.carried(e, k, end, target[0], sign, added)
	}
	if len(target) == 1 {
		// A scalar: a sum over all iterations, most likely.
		message, kind := "a scalar cannot be updated: what all iterations add up to is a reduction, before the for", diag.Example
		if t.reduced[target[0].text] {
			message, kind = target[0].text+" is a reduction, declared before the for: the body does not update it", diag.Advice
		}
		if !t.found("sum", at, message, func() string {
			text := textOf(slices.Concat(added))
			switch {
			case t.reduced[target[0].text]:
				return leaveOut
			case slices.ContainsFunc(added, comparison):
				text = "select(" + textOf(t.tokens[value:end+1]) + ", 1, 0)"
			}
			return "reduce " + target[0].text + " = sum(" + text + ")"
		}, kind) {
			return k
		}
		e.drop(k, end)
		return end
	}
	sum := slices.Concat(target, []token{operator("=", sign)}, target, []token{operator(sign.text, sign)}, added)
	if !t.found("update", at, "there is no "+updateText(sign, value > over)+": what a cell becomes is written in full", func() string { return textOf(sum) }) {
		return k
	}
	e.drop(k, end)
	e.replace(k, sum...)
	return end
}

// assigns translates the := and == that stand where an assignment has its =, behind the
// cell or name that tokens cell to over-1 are.
func (t *translator) assigns(e edits, k, cell, over, end int) bool {
	sign, next := t.at(over), t.at(over+1)
	walrus := sign.is(":") && next.is("=") && next.glued
	name := over == cell+1 && !t.arrays[t.at(cell).text]
	switch {
	case walrus && name && !t.lets[t.at(cell).text] && t.around(k) != nil:
		if t.found("walrus let", join(t.at(cell).span(), t.at(end).span()), "a value of the iteration is a let", func() string {
			return "let " + t.at(cell).text + " = " + textOf(t.tokens[over+2:end+1])
		}, diag.Replacement) {
			e.replace(over)
			e.at(cell).before = append(e.at(cell).before, operator("let", t.at(cell)))
		}
	case walrus:
		if t.found("walrus", join(sign.span(), next.span()), "an assignment has the sign =", func() string { return "=" }, diag.Replacement) {
			e.replace(over)
		}
	case sign.is("==") && over < end:
		if t.found("equals", sign.span(), "an assignment has the sign =, a comparison ==", func() string { return "=" }, diag.Replacement) {
			e.replace(over, operator("=", sign))
		}
	default:
		return false
	}
	return true
}

// again drops a further value for a let.
func (t *translator) again(e edits, k, end int, name token, value []token) int {
	if !t.found("let again", join(t.at(k).span(), t.at(end).span()), "a let has one value: what comes of it gets another name", func() string {
		return "let " + name.text + "1 = " + textOf(value)
	}) {
		return k
	}
	e.drop(k, end)
	return end
}

// subscripts translates the left side of a(i) = x, whose closing bracket is token
// last. What is read so is seen to be an array later.
func (t *translator) subscripts(e edits, k, last int) int {
	cell := slices.Clone(t.tokens[k : last+1])
	for j := range cell {
		if cell[j].is(":") {
			cell[j] = operator("..", cell[j])
		}
	}
	cell[1], cell[last-k] = operator("[", cell[1]), operator("]", cell[last-k])
	if !t.found("parentheses", join(t.at(k).span(), t.at(last).span()), "subscripts stand in square brackets", func() string { return textOf(cell) }) {
		return k
	}
	e.replace(k+1, cell[1])
	e.replace(last, cell[last-k])
	return last
}

// updateText is the operator of an update: += or ++.
func updateText(sign token, assigns bool) string {
	if assigns {
		return sign.text + "="
	}
	return sign.text + sign.text
}

// comparison reports whether t is an operator that binds less than a sum.
func comparison(t token) bool {
	return slices.Contains([]string{"==", "!=", "<", "<=", ">", ">=", "&&", "||"}, t.text)
}

// tested returns the condition of the if at token k, in brackets or before a block,
// and the last token before what it guards; k if it is neither.
func (t *translator) tested(k int) (condition string, last int) {
	last = t.match[min(k+1, len(t.match)-1)]
	if t.at(k+1).is("(") && last > k && !comparison(t.at(last+1)) {
		return operandText(t.tokens[k+2 : last]), last
	}
	for last = k; t.sameLine(k, last+1) && last-k < maxForeignTokens; last++ {
		if x := t.at(last + 1); x.is("{") || x.is("}") || x.is(";") || x.is("=") {
			break
		}
	}
	if last == k || !t.at(last+1).is("{") {
		return "", k
	}
	return textOf(t.tokens[k+1 : last+1]), last
}

// condition translates if (c) x = y, or if c { x = y }, to a select; of an if with a
// block it leaves the block.
func (t *translator) condition(e edits, k int) int {
	whole, last := t.tested(k)
	if last == k {
		return k
	}
	if end, ok := t.jump(e, k, last+1, whole); ok {
		return end
	}
	body := t.tokens[last+1 : t.end(last+1)+1]
	if t.at(last + 1).is("{") {
		body = t.single(last + 1)
	}
	hint := "A[i,j] = select(" + whole + ", value, A[i,j])"
	scalar := len(body) > 2 && body[0].kind == tokIdent && body[1].is("=")
	if scalar {
		hint = "let " + body[0].text + " = select(" + whole + ", " + textOf(body[2:]) + ", " + t.instead(last+1, body[0].text) + ")"
		if t.at(last+1).is("{") && t.instead(last+1, body[0].text) == body[0].text {
			hint = "let " + body[0].text + "1 = select(" + whole + ", " + textOf(body[2:]) + ", " + body[0].text + ")"
		}
	}
	if assign := slices.IndexFunc(body, func(x token) bool { return x.is("=") }); assign > 1 {
		cell, value := textOf(body[:assign]), textOf(body[assign+1:])
		if sign := body[assign-1].text; sign == "+" || sign == "-" || sign == "*" || sign == "/" {
			cell = textOf(body[:assign-1])
			value = cell + " " + sign + " (" + value + ")"
		}
		hint = cell + " = select(" + whole + ", " + value + ", " + t.instead(last+1, cell) + ")"
	}
	if !t.found("if", join(t.at(k).span(), t.at(last).span()), "there is no if: a cell that is to stay as it is gets its own value", func() string { return hint }) {
		return k
	}
	e.drop(k, last)
	t.unwrap(e, last+1)
	if scalar { // as if it were a let
		first := last + 1
		if t.at(first).is("{") {
			first++
		}
		if !t.lets[body[0].text] {
			t.lets[body[0].text] = true
			e.at(first).before = append(e.at(first).before, operator("let", t.at(first)))
		} else {
			e.drop(first, first+len(body)-1)
			return first + len(body) - 1
		}
	}
	return last
}

// instead returns what a cell becomes by the else behind the statement or block that
// begins with token k: the cell itself without one, "..." if the else does more than
// assign to the cell.
func (t *translator) instead(k int, cell string) string {
	if t.chain++; t.chain > maxForeign {
		return "..."
	}
	next := t.end(k) + 1
	if t.at(k).is("{") && t.match[k] > k {
		next = t.match[k] + 1
	}
	if t.at(next).is(";") {
		next++
	}
	if t.at(next).text != "else" || t.at(next).kind != tokIdent {
		return cell
	}
	first, condition := next+1, ""
	if t.at(first).text == "if" {
		whole, last := t.tested(first)
		if last == first {
			return "..."
		}
		first, condition = last+1, whole
	}
	body := t.tokens[min(first, len(t.tokens)-1):max(t.end(first)+1, first)]
	if t.at(first).is("{") {
		body = t.single(first)
	}
	assign := slices.IndexFunc(body, func(x token) bool { return x.is("=") })
	if assign < 1 || textOf(body[:assign]) != cell {
		return "..."
	}
	value := textOf(body[assign+1:])
	if condition != "" {
		value = "select(" + condition + ", " + value + ", " + t.instead(first, cell) + ")"
	}
	t.joined[next] = !strings.Contains(value, "...")
	return value
}

// single returns the tokens of the statement in the block at the brace k, if there
// is just one.
func (t *translator) single(k int) []token {
	end := t.end(k + 1)
	after := end + 1
	if t.at(after).is(";") {
		after++
	}
	if t.match[k] != after {
		return nil
	}
	return t.tokens[k+1 : end+1]
}

// while drops the header of a while or do, and leaves its block.
func (t *translator) while(e edits, k int) int {
	if !t.found("while", t.at(k).span(), "there is no while: a repeat ends when a reduction of its nests is small enough", func() string {
		return "repeat t = 1..1000 until change < 1e-6 {"
	}) {
		return k
	}
	last := t.end(k)
	e.drop(k, last)
	if open := last + 1; t.at(open).is("{") && t.match[open] > open {
		if t.around(k) == nil && !slices.ContainsFunc(t.tokens[open:min(t.match[open], open+maxForeignTokens)], func(x token) bool { return x.is("for") }) {
			// Its body is that of loops with a mistake.
			t.spoilNames(t.tokens[k:open])
			e.replace(k, operator("for", t.at(k)), token{kind: tokIllegal, text: hole, pos: t.at(k).pos})
			return last
		}
		t.unwrap(e, open)
	}
	return last
}

// otherwise drops the else of an if.
func (t *translator) otherwise(e edits, k int) int {
	if t.joined[k] { // the hint for the if has it
		last := t.guarded(k+1, 0)
		if t.at(k + 1).is("{") {
			last = t.match[k+1]
		}
		e.drop(k, last)
		return last
	}
	if !t.found("else", t.at(k).span(), "there is no else: both values stand in one select", func() string {
		return "A[i,j] = select(condition, value, other)"
	}) {
		return k
	}
	e.replace(k)
	t.unwrap(e, k+1)
	return k
}

// unwrap drops the brace at k, if there is one, and its partner, so that what is
// between them belongs to the block around. A semicolon ends each statement.
func (t *translator) unwrap(e edits, k int) {
	if t.at(k).is("{") && t.match[k] > k {
		e.replace(k, operator(";", t.at(k)))
		e.replace(t.match[k], operator(";", t.at(t.match[k])))
	}
}

// operandText lays out tokens, and says so if there are none.
func operandText(tokens []token) string {
	if len(tokens) == 0 {
		return "condition"
	}
	return textOf(tokens)
}

// declares returns the token after the type of a declaration as in C that begins
// with token k, or k.
func (t *translator) declares(k int) int {
	typed := false
	j := k
	for ; t.sameLine(k, j); j++ {
		x := t.at(j)
		_, foreign := foreignTypes[x.text]
		known := x.kind == tokIdent && (foreign || j == k && typeName(x.text) != "")
		switch {
		case known:
			typed = true
		case x.is("const") || x.is("*") && typed || x.kind == tokIdent && (x.text == "static" || x.text == "restrict" || x.text == "signed" || x.text == "constexpr"):
		case typed && x.kind == tokIdent:
			return j
		default:
			return k
		}
	}
	return k
}

// declaration translates double a[N], int n = 3 and let-like double s = x.
func (t *translator) declaration(e edits, k, depth int) int {
	name, end := t.declares(k), t.end(k)
	elem := ""
	for j := k; j < name; j++ {
		if s := typeName(t.at(j).text); s != "" {
			elem = s
		}
	}
	near := t.at(k)
	var out []token
	message := ""
	switch value := t.at(name + 1); {
	case value.is("[") && t.match[name+1] >= 0 && depth == 0:
		end = t.match[name+1]
		message = declarationMessage
		out = append(out, word(tokKeyword, "array", near))
		out = append(out, t.ranges(name, end)...)
		out = append(append(out, word(tokIdent, elem, near)), t.role(t.at(name))...)
	case value.is("=") && name+1 < end && depth > 0:
		message = "a value of the iteration is a let"
		for n, part := range valued(t.tokens[name : end+1]) {
			if n > 0 {
				out = append(out, operator(";", near))
			}
			out = append(append(append(out, word(tokKeyword, "let", near), part[0]), t.wide(word(tokIdent, elem, near))), part[1:]...)
		}
	case value.is("=") && name+1 < end:
		message = "a number of the file is a param, an integer given at launch, or a const"
		kind := "const"
		if typ := ir.TypeNamed(elem); typ.Integer() && !slices.ContainsFunc(t.tokens[k:name], func(x token) bool { return x.is("const") || x.named("constexpr") }) {
			kind = "param"
		}
		var names, values []token
		for n, part := range valued(t.tokens[name : end+1]) {
			if n > 0 {
				names, values = append(names, operator(",", near)), append(values, operator(",", near))
			}
			names, values = append(names, part[0]), append(values, part[2:]...)
		}
		out = slices.Concat([]token{word(tokKeyword, kind, near)}, names, []token{t.at(name + 1)}, values)
	case value.is("[") && t.match[name+1] >= 0, slices.ContainsFunc(t.tokens[k:name], func(x token) bool { return x.is("*") }):
		message = "an array is declared before the nest, with its bounds, its type and its role: in, out, inout or none"
		array := []token{t.at(name), operator("[", near), word(tokInt, "0", near), operator("..", near), word(tokIdent, "N", near), operator("]", near)}
		if value.is("[") && t.match[name+1] > 0 {
			array = t.ranges(name, t.match[name+1])
		}
		text := textOf(slices.Concat([]token{operator("array", near)}, array, []token{word(tokIdent, elem, near)}, t.role(t.at(name))))
		if !t.found("declaration "+message, join(near.span(), t.at(end).span()), message, func() string { return text }) {
			return k
		}
		t.spoil(t.at(name).text)
		e.drop(k, end)
		return end
	default:
		if !t.undefined(join(near.span(), t.at(end).span()), t.at(name).text, ir.TypeNamed(elem)) {
			return k
		}
		e.drop(k, end)
		return end
	}
	if !t.found("declaration "+message, join(near.span(), t.at(end).span()), message, func() string { return textOf(out) }) {
		return k
	}
	e.drop(k, end)
	if t.at(end+1).is(",") && depth == 0 { // further names of the type
		end = t.declarators(e, k, end+1, word(tokIdent, elem, near), &out)
	}
	e.replace(k, out...)
	return end
}

// valued are the parts x = y of a list with commas between.
func valued(l []token) (parts [][]token) {
	for _, part := range commas(l) {
		if len(part) > 2 && part[0].kind == tokIdent && part[1].is("=") {
			parts = append(parts, part)
		}
	}
	return parts
}

// declarators translates the names behind the first one of a declaration of arrays, from
// the comma at token k on, and returns the last of their tokens.
func (t *translator) declarators(e edits, first, k int, elem token, out *[]token) int {
	for t.at(k).is(",") && t.at(k+1).kind == tokIdent {
		name, last := k+1, k+1
		if t.at(name+1).is("[") && t.match[name+1] > 0 {
			last = t.match[name+1]
			*out = append(*out, operator(";", t.at(first)), word(tokKeyword, "array", t.at(first)))
			*out = append(append(append(*out, t.ranges(name, last)...), elem), t.role(t.at(name))...)
		}
		e.drop(k, last)
		k = last + 1
	}
	return k - 1
}

// undefined reports the declaration of a name without a value.
func (t *translator) undefined(at diag.Span, name string, elem ir.Type) bool {
	hint, kind := "let "+name+" = ...", diag.Example
	if elem.Integer() {
		hint, kind = "leave this out", diag.Advice
	}
	return t.found("declaration", at, "loop variables are declared by the for, and values of an iteration by a let", func() string { return hint }, kind)
}

// several translates m, n = 100, 200 outside of all nests.
func (t *translator) several(e edits, k int) int {
	end, equals, keyword := t.end(k), -1, "param"
	for j := k; j <= end; j++ {
		switch x := t.at(j); {
		case x.is("=") && equals < 0:
			equals = j
		case x.is(","), equals < 0 && x.kind == tokIdent, equals > 0 && (x.kind == tokInt || x.is("-")):
		case equals > 0 && (x.kind == tokFloat || x.kind == tokIdent || binaryOps[x.text].precedence > 0):
			keyword = "const"
		default:
			return k
		}
	}
	if equals < 0 || equals == end {
		return k
	}
	const message = "a number of the file is a param, an integer given at launch, or a const"
	out := append([]token{operator(keyword, t.at(k))}, t.tokens[k:end+1]...)
	if !t.found("declaration "+message, join(t.at(k).span(), t.at(end).span()), message, func() string { return textOf(out) }) {
		return k
	}
	e.drop(k, end)
	e.replace(k, out...)
	return end
}

// plain translates n = 100 outside of all nests, and u = zeros((n, m)).
func (t *translator) plain(e edits, k int) int {
	end := t.end(k)
	value := k + 2
	if t.at(value).is("-") {
		value++
	}
	near := t.at(k)
	var out []token
	message := "a number of the file is a param, an integer given at launch, or a const"
	switch x := t.at(value); {
	case (x.kind == tokInt || x.kind == tokFloat) && value == end:
		kind := "param"
		if x.kind == tokFloat {
			kind = "const"
		}
		out = append([]token{operator(kind, near)}, t.tokens[k:end+1]...)
	case x.is("["):
		message = declarationMessage
		if t.found("list", join(near.span(), t.at(end).span()), message, func() string { return "array " + near.text + "[0..N, 0..N] float64 " + textOf(t.role(near)) }) {
			e.drop(k, end)
			e.replace(k, near, token{kind: tokIllegal, text: hole, pos: near.pos}) // a declaration with a mistake
			return end
		}
		return k
	case (x.named("zeros_like", "ones_like", "empty_like", "linspace", "arange", "eye", "meshgrid", "copy", "asarray", "loadtxt", "load", "rand", "random") || x.text == "array") && t.at(value+1).is("("):
		message = declarationMessage
		if t.found("made", join(near.span(), t.at(end).span()), message, func() string { return "array " + near.text + "[0..N] float64 in" }) {
			t.spoil(near.text)
			e.drop(k, end)
			return end
		}
		return k
	case x.named("zeros", "ones", "empty", "full") && t.at(value+1).is("(") && t.match[value+1] > value+2:
		message = declarationMessage
		open := value + 1
		if t.at(open+1).is("(") || t.at(open+1).is("[") {
			open++
		}
		if t.match[open] < open+2 {
			return k
		}
		out = []token{operator("array", near), near, operator("[", near)}
		elem := "float64"
		sizes := commas(t.tokens[open+1 : t.match[open]])
		for _, size := range append(slices.Clone(sizes), commas(t.tokens[value+2:t.match[value+1]])...) {
			if len(size) > 2 && size[0].named("dtype") && typeName(size[2].text) != "" {
				elem = typeName(size[2].text)
			} else if len(size) == 1 && typeElsewhere(size[0].text) != "" {
				elem = typeElsewhere(size[0].text)
			}
		}
		sizes = slices.DeleteFunc(sizes, func(size []token) bool { return len(size) == 1 && typeElsewhere(size[0].text) != "" })
		if x.named("full") && open == value+1 {
			sizes = sizes[:1]
		}
		for n, size := range sizes {
			if len(size) == 0 || size[0].named("dtype") || len(size) > 1 && size[1].is("=") {
				continue
			}
			if n > 0 {
				out = append(out, operator(",", near))
			}
			out = append(append(out, word(tokInt, "0", near), operator("..", near)), plus(size, -1)...)
		}
		out = append(append(out, operator("]", near), word(tokIdent, elem, near)), t.role(near)...)
	default:
		return k
	}
	if !t.found("declaration "+message, join(near.span(), t.at(end).span()), message, func() string { return textOf(out) }) {
		return k
	}
	e.drop(k, end)
	e.replace(k, out...)
	return end
}

// ranges returns the tokens from the name of an array to its last bracket, with a
// size N made the range 0..N-1.
func (t *translator) ranges(name, last int) []token {
	out := []token{t.at(name), t.at(name + 1)}
	item := name + 2
	for k := item; k <= last; k++ {
		if m := t.match[k]; m > k {
			k = m
		}
		if k < last && !t.at(k).is(",") {
			continue
		}
		size := t.tokens[item:k]
		if len(size) == 0 || slices.ContainsFunc(size, func(x token) bool { return x.is("..") }) {
			out = append(out, size...)
		} else if slices.ContainsFunc(size, func(x token) bool { return x.is(":") }) {
			for _, x := range size {
				if x.is(":") {
					x = operator("..", x)
				}
				out = append(out, x)
			}
		} else {
			out = append(out, word(tokInt, "0", size[0]), operator("..", size[0]))
			out = append(out, plus(size, -1)...)
		}
		out = append(out, t.at(k))
		item = k + 1
	}
	return out
}

// plus returns the tokens of the sum x + n, with n added to a number at the end of
// x if x ends with one.
func plus(x []token, n int) []token {
	near := x[len(x)-1]
	last := len(x) - 1
	if v, err := strconv.Atoi(near.text); err == nil && near.kind == tokInt && v < 1<<30 {
		switch {
		case last == 0:
			return []token{word(tokInt, strconv.Itoa(max(0, v+n)), near)}
		case x[last-1].is("+"):
			return signed(x[:last-1], v+n, near)
		case x[last-1].is("-") && last > 1:
			return signed(x[:last-1], n-v, near)
		}
	}
	return signed(x, n, near)
}

// signed returns the tokens of x + n, or x - |n|.
func signed(x []token, n int, near token) []token {
	out := slices.Clone(x)
	switch {
	case n > 0:
		return append(out, operator("+", near), word(tokInt, strconv.Itoa(n), near))
	case n < 0:
		return append(out, operator("-", near), word(tokInt, strconv.Itoa(-n), near))
	}
	return out
}

// begun translates the content at the end of the declaration of an array, array a[0..N]
// float64 = 0, whose bracket ends with token last.
func (t *translator) begun(e edits, name, last, end int) bool {
	equals := last + 1
	for equals < end && !t.at(equals).is("=") {
		equals++
	}
	if equals >= end {
		return false
	}
	message := "what the cells of an array have before the nest is said by an init"
	hint := func() string {
		return "init " + t.cellText(t.at(name).text) + " = " + textOf(t.tokens[equals+1:end+1])
	}
	if t.given[t.at(name).text] {
		message = "what is given comes from the caller: only other arrays have an init"
		hint = func() string { return "" }
	}
	if !t.found("begun "+message, join(t.at(equals).span(), t.at(end).span()), message, hint) {
		return false
	}
	e.drop(equals, end)
	return true
}

// array translates what is foreign in array double a[N] inout.
func (t *translator) array(e edits, k int) int {
	end := t.end(k)
	name := k + 1
	early := ""
	if t.at(k+2).kind == tokIdent && typeName(t.at(k+1).text) != "" && t.at(k+3).is("[") {
		early, name = typeName(t.at(k+1).text), k+2
	}
	last := -1
	if t.at(name + 1).is("[") {
		last = t.match[name+1]
	}
	if last < 0 || last > end {
		return k
	}
	if t.begun(e, name, last, end) {
		for !t.at(end).is("=") {
			end--
		}
		end--
	}
	ranges := t.ranges(name, last)
	rest := slices.Clone(t.tokens[last+1 : end+1])
	if len(rest) > 0 && typeName(rest[0].text) != "" {
		rest[0].text = typeName(rest[0].text)
	}
	if early != "" {
		rest = slices.Insert(rest, 0, word(tokIdent, early, t.at(last)))
	}
	out := slices.Concat([]token{t.at(k)}, ranges, rest)
	at, message := join(t.at(k).span(), t.at(end).span()), ""
	switch {
	case early != "":
		message = "the type of an array stands behind its bounds"
	case len(ranges) > last+1-name || slices.ContainsFunc(t.tokens[name:last], func(x token) bool { return x.is(":") }):
		message = sizesMessage
	default:
		return k
	}
	if !t.found(message, at, message, func() string { return textOf(out) }) {
		return k
	}
	e.drop(k, end)
	e.replace(k, out...)
	return end
}
