package frontend

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A damage makes one mistake of a habit in a source, near token k; "" if it has none there.
type damage struct {
	name string // in brackets if the file does not tell what was meant
	make func(tokens []token, src string, k int, rng *rand.Rand) string
}

// swapTokens is the source with text in place of tokens[a:b], which are on one line; "" if they are not.
func swapTokens(tokens []token, src string, a, b int, text string) string {
	if a >= b || b > len(tokens) || tokens[a].pos.Line != tokens[b-1].pos.Line {
		return ""
	}
	return replacedAt([]byte(src), join(tokens[a].span(), tokens[b-1].span()), text)
}

// rangeAt are the first tokens of the ends of the range whose .. is token k, and the one behind it.
func rangeAt(tokens []token, k int) (lo, hi, end int, ok bool) {
	if !tokens[k].is("..") {
		return
	}
	depth := 0
	for lo = k; lo > 0; lo-- {
		x := tokens[lo-1]
		if depth == 0 && (x.is("=") || x.is("[") || x.is(",")) || x.pos.Line != tokens[k].pos.Line {
			break
		}
		if x.closes() {
			depth++
		} else if x.opens() {
			depth--
		}
	}
	for end = k + 1; end < len(tokens)-1; end++ {
		x := tokens[end]
		if depth == 0 && (x.is("]") || x.is(",") || x.is("{") || x.is("step")) || x.pos.Line != tokens[k].pos.Line {
			break
		}
		depth += change(x)
	}
	return lo, k + 1, end, lo < k && end > k+1
}

// lineTokens are the first token of the line of token k, and the one behind the line.
func lineTokens(tokens []token, k int) (a, b int) {
	for a = k; a > 0 && tokens[a-1].pos.Line == tokens[k].pos.Line; a-- {
	}
	for b = k; b < len(tokens) && tokens[b].pos.Line == tokens[k].pos.Line; b++ {
	}
	return a, b
}

// inLoopHeader reports whether token k is in a line that begins a for or a repeat.
func inLoopHeader(tokens []token, k int) bool {
	a, _ := lineTokens(tokens, k)
	return tokens[a].is("for") || tokens[a].is("repeat")
}

// oneOfTexts is one of some texts.
func oneOfTexts(rng *rand.Rand, l ...string) string { return l[rng.IntN(len(l))] }

// dropLine makes a damage that leaves out a line with one of some first words.
func dropLine(words ...string) func([]token, string, int, *rand.Rand) string {
	return func(tokens []token, src string, k int, _ *rand.Rand) string {
		a, b := lineTokens(tokens, k)
		if k != a || !slices.Contains(words, tokens[k].text) {
			return ""
		}
		return swapTokens(tokens, src, a, b, "")
	}
}

// damageList are the damages.
var damageList = []damage{
	{"reversed range", damageReversedRange},
	{"step dropped", damageStepDropped},
	{"end off by one", damageEndOffByOne},
	{"from zero or one", damageFromZeroOrOne},
	{"range sign", damageRangeSign},
	{"loop of another language", damageLoopOfAnotherLanguage},
	{"nest of another language", damageNest},
	{"loops exchanged", damageLoopsExchanged},
	{"(role)", damageRole},
	{"type", damageType},
	{"(other type)", damageOtherType},
	{"dimensions of C", damageDimensionsOfC},
	{"cell", damageCell},
	{"operator", damageOperator},
	{"number", damageNumber},
	{"select", damageSelect},
	{"function", damageFunction},
	{"let", damageLet},
	{"misspelled", damageMisspelled},
	{"(another loop)", damageAnotherLoop},
	{"brace", damageBrace},
	{"condition of if", damageConditionOfIf},
	{"update", damageUpdate},
	{"array dropped", dropLine("array")},
	{"(number dropped)", dropLine("param", "const")},
	{"(init dropped)", dropLine("init")},
	{"(boundary dropped)", dropLine("boundary")},
	{"reduce dropped", dropLine("reduce")},
	{"(let dropped)", dropLine("let", "var")},
	{"(out dropped)", dropLine("out")},
}

// damageReversedRange exchanges the ends of a range of a header.
func damageReversedRange(t []token, s string, k int, _ *rand.Rand) string {
	lo, hi, end, ok := rangeAt(t, k)
	if !ok || !inLoopHeader(t, k) {
		return ""
	}
	return swapTokens(t, s, lo, end, textOf(t[hi:end])+".."+textOf(t[lo:k]))
}

// damageStepDropped drops a step.
func damageStepDropped(t []token, s string, k int, _ *rand.Rand) string {
	if !t[k].is("step") {
		return ""
	}
	n := 2
	if t[k+1].is("-") {
		n = 3
	}
	return swapTokens(t, s, k, k+n, "")
}

// damageEndOffByOne moves the upper end of a range by one.
func damageEndOffByOne(t []token, s string, k int, r *rand.Rand) string {
	_, hi, end, ok := rangeAt(t, k)
	if !ok {
		return ""
	}
	return swapTokens(t, s, hi, end, textOf(t[hi:end])+oneOfTexts(r, "-1", "+1"))
}

// damageFromZeroOrOne moves the lower end of a range by one.
func damageFromZeroOrOne(t []token, s string, k int, _ *rand.Rand) string {
	lo, _, _, ok := rangeAt(t, k)
	if !ok || k != lo+1 || t[lo].kind != tokInt {
		return ""
	}
	return swapTokens(t, s, lo, k, map[string]string{"0": "1", "1": "0", "2": "1"}[t[lo].text])
}

// damageRangeSign writes the sign of another language between the ends of a range.
func damageRangeSign(t []token, s string, k int, r *rand.Rand) string {
	if !t[k].is("..") {
		return ""
	}
	return swapTokens(t, s, k, k+1, oneOfTexts(r, ":", "...", "..=", ", ", " to "))
}

// damageLoopOfAnotherLanguage writes a loop as in C, Go, Python, Julia, Rust or Fortran.
func damageLoopOfAnotherLanguage(t []token, s string, k int, r *rand.Rand) string {
	lo, hi, end, ok := rangeAt(t, k)
	a, b := lineTokens(t, k)
	if !ok || !t[a].is("for") || lo != a+3 || end != b-1 {
		return ""
	}
	v, l, h := t[a+1].text, textOf(t[lo:k]), textOf(t[hi:end])
	return swapTokens(t, s, a, b, oneOfTexts(r,
		fmt.Sprintf("for (int %s = %s; %s <= %s; %s++) {", v, l, v, h, v),
		fmt.Sprintf("for (%s = %s; %s < %s+1; ++%s) {", v, l, v, h, v),
		fmt.Sprintf("for %s in range(%s, %s+1) {", v, l, h),
		fmt.Sprintf("for %s in %s:%s {", v, l, h),
		fmt.Sprintf("for %s in %s..=%s {", v, l, h),
		fmt.Sprintf("do %s = %s, %s {", v, l, h),
		fmt.Sprintf("for %s := %s; %s <= %s; %s++ {", v, l, v, h, v)))
}

// damageLoopsExchanged exchanges two neighboring loops.
func damageLoopsExchanged(t []token, s string, k int, r *rand.Rand) string {
	a, b := lineTokens(t, k)
	if !t[k].is("for") || k != a || !t[b-1].is("{") {
		return ""
	}
	parts := commas(t[a+1 : b-1])
	if len(parts) < 2 {
		return ""
	}
	x := r.IntN(len(parts) - 1)
	parts[x], parts[x+1] = parts[x+1], parts[x]
	var l []string
	for _, p := range parts {
		l = append(l, textOf(p))
	}
	return swapTokens(t, s, a+1, b-1, strings.Join(l, ", "))
}

// damageRole writes another role.
func damageRole(t []token, s string, k int, r *rand.Rand) string {
	a, b := lineTokens(t, k)
	if !t[a].is("array") || k != b-1 || !(t[k].is("in") || t[k].is("out") || t[k].is("inout")) {
		return ""
	}
	return swapTokens(t, s, k, k+1, oneOfTexts(r, "in", "out", "inout", "", "intent(in)", "input", "output"))
}

// damageType writes the name that another language has for a type.
func damageType(t []token, s string, k int, r *rand.Rand) string {
	a, _ := lineTokens(t, k)
	if !t[a].is("array") || t[k-min(k, 1)].text != "]" || t[k].kind != tokIdent {
		return ""
	}
	to := map[string][]string{"float64": {"double", "Float64", "f64", "real(8)", "real*8", "double precision"}, "float32": {"float", "f32", "Float32", "real"}, "int32": {"int", "i32", "integer", "Int32", "int32_t"}, "int64": {"long", "i64", "Int64"}, "uint8": {"u8", "byte", "UInt8", "unsigned char", "char"}}[t[k].text]
	if to == nil {
		return ""
	}
	return swapTokens(t, s, k, k+1, oneOfTexts(r, to...))
}

// damageOtherType writes another type.
func damageOtherType(t []token, s string, k int, r *rand.Rand) string {
	a, _ := lineTokens(t, k)
	if !t[a].is("array") || t[k-min(k, 1)].text != "]" || t[k].kind != tokIdent {
		return ""
	}
	return swapTokens(t, s, k, k+1, oneOfTexts(r, "float64", "float32", "int32", "int64"))
}

// damageDimensionsOfC writes the sizes or ranges of an array as in C, Fortran or NumPy.
func damageDimensionsOfC(t []token, s string, k int, r *rand.Rand) string {
	a, _ := lineTokens(t, k)
	if !t[a].is("array") || k != a+2 || !t[k].is("[") {
		return ""
	}
	if end := k + partner(t[k:]); end >= len(t) {
		return ""
	}
	end := k + partner(t[k:])
	out, round := "", r.IntN(3)
	for d, p := range commas(t[k+1 : end]) {
		at := slices.IndexFunc(p, func(x token) bool { return x.is("..") })
		if at < 0 || round == 0 && textOf(p[:at]) != "0" || round == 2 && textOf(p[:at]) != "1" {
			return ""
		}
		switch round {
		case 0:
			out += "[" + textOf(p[at+1:]) + "+1]"
		case 1:
			out += map[bool]string{true: "(", false: ", "}[d == 0] + textOf(p[:at]) + ":" + textOf(p[at+1:])
		default:
			out += map[bool]string{true: "[", false: ", "}[d == 0] + textOf(p[at+1:])
		}
	}
	return swapTokens(t, s, k, end+1, out+[]string{"", ")", "]"}[round])
}

// damageCell writes a cell with other brackets, another subscript, or one too few.
func damageCell(t []token, s string, k int, r *rand.Rand) string {
	a, _ := lineTokens(t, k)
	if k+1 >= len(t) || t[k].kind != tokIdent || !t[k+1].is("[") || !t[k+1].glued || t[a].is("array") || t[a].is("boundary") || t[a].is("out") {
		return ""
	}
	end := k + 1 + partner(t[k+1:])
	if end >= len(t) {
		return ""
	}
	var l []string
	for _, p := range commas(t[k+2 : end]) {
		l = append(l, textOf(p))
	}
	x := r.IntN(len(l))
	switch r.IntN(6) {
	case 0:
		return swapTokens(t, s, k, end+1, t[k].text+"["+strings.Join(l, "][")+"]")
	case 1:
		return swapTokens(t, s, k, end+1, t[k].text+"("+strings.Join(l, ",")+")")
	case 2:
		l[x] += oneOfTexts(r, "+1", "-1")
	case 3:
		if len(l) > 1 {
			l[0], l[1] = l[1], l[0]
		}
	case 4:
		l = slices.Delete(l, x, x+1)
	default:
		l[x] = oneOfTexts(r, ":", "*", "0")
	}
	if len(l) == 0 {
		return swapTokens(t, s, k, end+1, t[k].text)
	}
	return swapTokens(t, s, k, end+1, t[k].text+"["+strings.Join(l, ",")+"]")
}

// damageOperator writes the operator of another language.
func damageOperator(t []token, s string, k int, r *rand.Rand) string {
	to := map[string][]string{"&&": {"and", ".and.", "&"}, "||": {"or", ".or.", "|"}, "==": {"=", ".eq.", "==="}, "!=": {"<>", "~=", "/="}, "!": {"not ", "~"}, "*": {".*"}, "<=": {".le.", "=<"}, ">": {".gt."}}[t[k].text]
	if to == nil || t[k].kind != tokOp {
		return ""
	}
	return swapTokens(t, s, k, k+1, oneOfTexts(r, to...))
}

// damageNumber writes a number with a suffix of another language.
func damageNumber(t []token, s string, k int, r *rand.Rand) string {
	if t[k].kind != tokFloat && t[k].kind != tokInt {
		return ""
	}
	return swapTokens(t, s, k, k+1, t[k].text+oneOfTexts(r, "f", "d0", ".0", "_8", "f64", "L"))
}

// damageSelect writes a choice as in other languages.
func damageSelect(t []token, s string, k int, r *rand.Rand) string {
	if !t[k].is("select") || !t[k+1].is("(") {
		return ""
	}
	end := k + 1 + partner(t[k+1:])
	if end >= len(t) {
		return ""
	}
	p := commas(t[k+2 : end])
	if len(p) != 3 {
		return ""
	}
	c, x, y := textOf(p[0]), textOf(p[1]), textOf(p[2])
	return swapTokens(t, s, k, end+1, oneOfTexts(r, "("+c+" ? "+x+" : "+y+")", "("+x+" if "+c+" else "+y+")", "merge("+x+", "+y+", "+c+")", "np.where("+c+", "+x+", "+y+")", "ifelse("+c+", "+x+", "+y+")", "if "+c+" { "+x+" } else { "+y+" }", "("+c+")*("+x+")"))
}

// damageFunction writes a function with a module, or in capitals.
func damageFunction(t []token, s string, k int, r *rand.Rand) string {
	if t[k].kind != tokIdent || k+1 >= len(t) || !t[k+1].is("(") || t[k].is("select") || !wordsOf(nil)[t[k].text] {
		return ""
	}
	return swapTokens(t, s, k, k+1, oneOfTexts(r, "np."+t[k].text, "math."+t[k].text, "std::"+t[k].text, "f"+t[k].text, strings.ToUpper(t[k].text), t[k].text+"f"))
}

// damageLet writes the word of another language before a value.
func damageLet(t []token, s string, k int, r *rand.Rand) string {
	if !t[k].is("let") && !t[k].is("var") {
		return ""
	}
	return swapTokens(t, s, k, k+1, oneOfTexts(r, "double", "", "float", "auto", "const", "int", "let mut", "local"))
}

// damageMisspelled misspells a name.
func damageMisspelled(t []token, s string, k int, r *rand.Rand) string {
	if t[k].kind != tokIdent || wordsOf(nil)[t[k].text] || k > 0 && declarers[t[k-1].text] || t[k-1].is(",") && t[max(0, k-3)].is("param") {
		return ""
	}
	n := []rune(t[k].text)
	x := r.IntN(len(n))
	return swapTokens(t, s, k, k+1, oneOfTexts(r, string(n)+"s", string(n[:x])+string(n[x])+string(n[x:]), strings.ToUpper(string(n)), strings.ToLower(string(n)), string(n)+"_"))
}

// damageAnotherLoop writes another loop variable.
func damageAnotherLoop(t []token, s string, k int, r *rand.Rand) string {
	var loops []string
	for x := range t[:len(t)-3] {
		if t[x+1].is("=") && inLoopHeader(t, x) && t[x].kind == tokIdent {
			loops = append(loops, t[x].text)
		}
	}
	if !slices.Contains(loops, t[k].text) || inLoopHeader(t, k) || len(loops) < 2 {
		return ""
	}
	return swapTokens(t, s, k, k+1, loops[r.IntN(len(loops))])
}

// damageBrace writes what other languages have in place of a brace, or nothing.
func damageBrace(t []token, s string, k int, r *rand.Rand) string {
	switch {
	case t[k].is("{"):
		return swapTokens(t, s, k, k+1, oneOfTexts(r, "", ":", "do", "then"))
	case t[k].is("}"):
		return swapTokens(t, s, k, k+1, oneOfTexts(r, "", "end", "end do", "end if", "};"))
	}
	return ""
}

// damageConditionOfIf writes an if as in C, Python or Fortran.
func damageConditionOfIf(t []token, s string, k int, r *rand.Rand) string {
	a, b := lineTokens(t, k)
	if !t[k].is("if") || !t[b-1].is("{") || a > k {
		return ""
	}
	c := textOf(t[k+1 : b-1])
	return swapTokens(t, s, k, b, oneOfTexts(r, "if ("+c+")", "if "+c+":", "if ("+c+") then", "if "+c, "where ("+c+") {"))
}

// damageUpdate writes another sign of assignment.
func damageUpdate(t []token, s string, k int, r *rand.Rand) string {
	a, b := lineTokens(t, k)
	if k != a || t[k].kind != tokIdent || !t[k+1].is("[") {
		return ""
	}
	at := slices.IndexFunc(t[a:b], func(x token) bool { return x.assigns() })
	if at < 0 {
		return ""
	}
	return swapTokens(t, s, a+at, a+at+1, oneOfTexts(r, "+=", ":=", "<-", "==", "=", "-="))
}
