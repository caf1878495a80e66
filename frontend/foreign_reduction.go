package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// In other languages every iteration may update a scalar that has a first value. If nothing
// else reads the scalar, the user means a reduction, and the first value is dropped. If the
// body reads it, each iteration hands it to the next: it becomes a cell of an array. A scalar
// that the body declares is a let, and each new value needs a name of its own.

// reductionsElsewhere are functions of other languages that become reductions, by their names
// in lower case.
var reductionsElsewhere = map[string]string{
	"max": "max", "fmax": "max", "maximum": "max", "fmaxf": "max", "dmax1": "max",
	"min": "min", "fmin": "min", "minimum": "min", "fminf": "min", "dmin1": "min",
}

// findReductions finds the scalars that some statement updates: those that nothing else reads, or only loops behind all loops
// that update them (sums), and those that the body reads (carries).
func (t *translator) findReductions() {
	t.locals, t.sums, t.carries = map[string]bool{}, map[string]bool{}, map[string]bool{}
	found := map[string]*scalarUses{}
	depth, loops := 0, 0
	inRepeats := 0               // the depth of the block of a repeat, with only repeats around it
	idle, repeat := false, false // names in the line do not concern the nest; it begins a repeat
	for k, tok := range t.tokens {
		if tok.is("{") {
			if depth++; repeat && depth == inRepeats+1 {
				inRepeats++
			}
		} else if tok.is("}") {
			depth--
			inRepeats = min(inRepeats, max(depth, 0))
		}
		if k == 0 || !t.sameLine(k-1, k) {
			idle, repeat = t.idle(k), tok.is("repeat")
			if tok.is("for") && depth == inRepeats && (depth > 0 || tok.indent == 0) {
				loops++
			}
		}
		idle = idle || repeat && tok.text == "until"
		if tok.kind == tokIdent && !t.arrays[tok.text] && !idle {
			u := found[tok.text]
			if u == nil {
				u = &scalarUses{}
				found[tok.text] = u
			}
			t.use(u, k, depth, loops)
		}
	}
	t.findChanging()
	t.findCompared(found)
	t.sortUpdated(found)
}

// sortUpdated tells the sums from the carries, among scalars with the given uses.
func (t *translator) sortUpdated(found map[string]*scalarUses) {
	for name, u := range found {
		if u.updated && !u.local {
			if u.scattered { // a loop behind a read updates it, too
				u.explained, u.read = u.explained-u.later, u.read || u.later > 0
			}
			t.sums[name] = u.all == u.explained
			t.carries[name] = !t.sums[name] && u.read && !t.locals[name]
		}
	}
}

// scalarUses counts the uses of a scalar's name.
type scalarUses struct {
	all, explained       int  // occurrences; those in updates and first values
	updated, local, read bool // read: in the value of another name; local: it has a first value that is not a number

	loop, later int  // the outermost loop that updates it; how often later loops read it
	scattered   bool // several outermost loops update it
}

// use adds the occurrence of a scalar at token k, inside depth blocks and in the outermost loop of the given number.
func (t *translator) use(u *scalarUses, k, depth, loop int) {
	first, assigned := t.at(k-1), t.at(k+1).is("=") && t.sameLine(k, k+1)
	behind := k > 0 && t.sameLine(k-1, k)
	u.all++
	if u.readAt(t, k, depth, loop) {
		return
	}
	if assigned && behind && (depth > 0 || first.pos.Col > 1) && (first.is("let") || typeName(first.text) != "") {
		t.locals[t.at(k).text] = true
	}
	if assigned && (k == 0 || behind && !first.is(";") && !first.is("{")) {
		u.explained++ // a declaration with its first value
		end := k + 2 + len(commas(t.tokens[k+2 : t.lineEnd(k)+1])[0]) - 1
		u.local = u.local || !t.startValue(k+2, end)
		return
	}
	if n := t.updates(k); n > 0 {
		u.scattered = u.scattered || u.updated && u.loop != loop
		u.updated, u.loop = true, loop
		u.explained += n
	} else if assigned {
		u.explained++
	}
}

// inReduce reports whether token k stands in a line that begins with reduce.
func (t *translator) inReduce(k int) bool {
	first := k
	for first > 0 && k-first < maxForeignTokens && t.sameLine(first-1, k) && !t.at(first-1).is(";") {
		first--
	}
	return t.at(first).is("reduce")
}

// readAt notes the occurrence at token k if an assignment reads the name there. It returns true if that assignment is in no loop,
// or in one behind that which updates the name.
func (u *scalarUses) readAt(t *translator, k, depth, loop int) (apart bool) {
	if u.updated && !t.at(k+1).is("=") && t.inReduce(k) { // of a loop behind
		u.explained++
		return true
	}
	read := t.readBy(k)
	later := read && u.updated && loop > u.loop
	if apart = later || read && depth == 0 && t.at(k).indent == 0; apart {
		u.explained++
	} else if read {
		u.read = true
	}
	if later {
		u.later++
	}
	return apart
}

// readBy reports whether the name at token k is read by an assignment to another name.
func (t *translator) readBy(k int) bool {
	for j := k - 1; j > 0 && t.sameLine(j, k) && k-j < maxForeignTokens; j-- {
		if x := &t.tokens[j]; x.is(";") || x.is("{") { // not copied: in a long line, each name looks at many tokens
			return false
		} else if !x.is("=") {
			continue
		}
		first := j - 1 // the first token of the line, or of the statement
		for first > 0 && k-first < maxForeignTokens && t.sameLine(first-1, j) && !t.at(first-1).is(";") && !t.at(first-1).is("{") {
			first--
		}
		return t.at(first).text != t.at(k).text && !t.at(first).named("if", "while", "for", "repeat", "reduce", "until")
	}
	return false
}

// idle reports whether the line that begins with token k prints, leaves a loop, is the condition of a while, or has nothing else.
func (t *translator) idle(k int) bool {
	last := t.lineEnd(k)
	word := strings.ToLower(t.at(k).text)
	return t.at(k).kind == tokIdent && (frames[word].whole || word == "while" || word == "do" && t.at(k+1).named("while") || word == "if" && t.at(last).named("break", "exit")) ||
		t.at(k).is("}") && t.at(k+1).named("while") || t.endOfLine(k) == k
}

// updates returns how often the name at token k occurs in its own update, which begins there: x
// += y, x = x + y or x = max(x, y); 0 if it is not an update.
func (t *translator) updates(k int) int {
	name, op := t.at(k).text, t.at(k+1)
	if (op.is("+") || op.is("-") || op.is("|") || op.is("&")) && t.at(k+2).is("=") && t.at(k+2).glued {
		return 1
	}
	if !op.is("=") {
		return 0
	}
	value := k + 2
	if t.at(value + 1).is(".") {
		value += 2 // behind the module
	}
	first, inside := t.at(value), t.at(value+2)
	switch {
	case first.text == name && t.at(value+1).is("+"):
		return 2
	case reductionsElsewhere[first.text] == "" || !t.at(value+1).is("("):
		return 0
	case inside.text == name && t.at(value+3).is(","):
		return 2
	}
	for j := value; t.sameLine(k, j) && j-k < maxForeignTokens; j++ {
		if t.at(j).is(",") && t.at(j+1).text == name && t.at(j+2).is(")") {
			return 2
		}
	}
	return 0
}

// nameAfter returns the token of the name that a declaration from token k on gives a value.
func (t *translator) nameAfter(k int) int {
	typed := t.declares(k)
	if t.at(k).is("let") || t.at(k).is("param") || t.at(k).is("const") && typed == k {
		return k + 1
	}
	return max(k, typed)
}

// firstValue drops the declaration, from token k on, of a scalar that is one of sums or carries,
// and returns its last token; k if there is none.
func (t *translator) firstValue(e edits, k int) int {
	if len(t.sums)+len(t.reduced) == 0 { // sums has an entry for each of carries, too
		return k
	}
	name := t.nameAfter(k)
	first, end := t.at(name), t.end(k)
	scalar := t.sums[first.text] || t.carries[first.text] || t.reduced[first.text] && name == k && t.around(k) == nil
	if first.kind != tokIdent || !scalar || !t.at(name+1).is("=") || !t.startValue(name+2, end) {
		return k
	}
	if t.carries[t.at(name).text] && !t.reduced[t.at(name).text] {
		if begins := t.beginsAnew(t.at(name).text); begins != "" && t.around(k) == nil {
			return t.gone(e, k, end, "first anew", begins, func() string { return leaveOut }, diag.Advice)
		}
		if t.countsAnew(e, k, name, end) {
			return end
		}
		if t.found("first carried", join(t.at(k).span(), t.at(end).span()), "what one iteration hands to the next is a cell of an array, whose first value is that of an init", func() string {
			return "init " + t.at(name).text + "[i] = " + textOf(t.tokens[name+2:end+1])
		}, diag.Example) {
			e.drop(k, end)
		}
		return end
	}
	return t.gone(e, k, end, "first value", firstMessage, func() string { return leaveOut }, diag.Advice)
}

// lineEnd is the last token before a semicolon or the end of the line of token k.
func (t *translator) lineEnd(k int) int {
	for step := 0; step < maxForeignTokens && t.sameLine(k, k+1) && !t.at(k+1).is(";") && t.at(k+1).kind != tokEOF; step++ {
		k++
	}
	return k
}

// startValue reports whether tokens first to last are a number, or what other languages have for infinity.
func (t *translator) startValue(first, last int) bool {
	return last >= first && !slices.ContainsFunc(t.tokens[first:last+1], func(x token) bool {
		infinite := notNumbers[strings.ToLower(x.text)] == infinite || x.kind == tokString || x.named("float", "huge", "numeric_limits") || x.named(modules...)
		return x.kind != tokInt && x.kind != tokFloat && !infinite && !(x.kind == tokOp && strings.Contains("-+.()", x.text))
	})
}

// carried translates the update of a scalar whose value one iteration passes to the next, as in
// a prefix sum: the hint is an array. The rest of the body reads a let in its place.
func (t *translator) carried(e edits, k, end int, name, sign token, added []token) int {
	index := word(tokIdent, "i", name)
	for j := k; j > 0; j-- {
		if t.at(j).is("{") && t.at(j-1).kind != tokEOF {
			if l := t.lastLoop(j); l.text != "" {
				index = l
			}
			break
		}
	}
	if t.numbers[name.text] {
		return t.carriedParam(e, k, end, name, index, sign, added)
	}
	message, hint := name.text+" changes: "+scalarRoles, ""
	if b := t.around(k); b != nil && len(b.names) == 1 && !t.resets(name.text) && t.blockOf(k).is("for") {
		message = "what one iteration hands to the next is a cell of an array of its own"
		hint = name.text + "[" + index.text + "] = " + name.text + "[" + index.text + "-1] " + sign.text + " " + textOf(slices.Concat(added))
	}
	if !t.found("carried", join(t.at(k).span(), t.at(end).span()), message, func() string { return hint }, diag.Example) {
		return k
	}
	e.drop(k, end)
	e.replace(k, operator("let", name), name, operator("=", name), word(tokIdent, hole, name))
	return end
}

// carriedParam does what carried does, for a parameter or a constant, which has another name.
func (t *translator) carriedParam(e edits, k, end int, name, index, sign token, added []token) int {
	array := t.fresh(name.text + "s")
	hint := ""
	if b := t.around(k); b != nil && len(b.names) == 1 {
		hint = fmt.Sprintf("an array of floats that begins with %[1]s, init %[2]s[%[3]s] = %[1]s, then %[2]s[%[3]s] = %[2]s[%[3]s-1] %[4]s %[5]s in the body, and %[2]s[%[3]s] for %[1]s below",
			name.text, array, index.text, sign.text, textOf(slices.Concat(added)))
	}
	if !t.found("carried", join(t.at(k).span(), t.at(end).span()), "a number of the file stays as it is: what one iteration hands to the next is a cell of an array", func() string { return hint }, diag.Advice) {
		return k
	}
	e.drop(k, end)
	return end
}

// lastLoop is the variable of the innermost loop in the header that ends with the brace at
// token k.
func (t *translator) lastLoop(k int) token {
	last := token{}
	for j := k - 1; j >= 0 && k-j < maxForeignTokens; j-- {
		if x := t.at(j); x.kind == tokIdent && (t.at(j+1).is("=") || t.at(j+1).is("in")) && last.text == "" {
			last = x
		}
		if t.at(j).is("for") {
			return last
		}
	}
	return token{}
}
