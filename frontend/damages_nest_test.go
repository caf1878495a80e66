package frontend

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A loopOf is how another language writes a loop over lo to hi, and how its block begins and ends.
type loopOf struct {
	up, down   string // with the name and both ends
	begin, end string
	single     bool // all loops have one block
}

// loopsElsewhere are loops of C, Fortran, Python and MATLAB.
var loopsElsewhere = []loopOf{
	{"for (int %[1]s = %[2]s; %[1]s <= %[3]s; %[1]s++)", "for (int %[1]s = %[2]s; %[1]s >= %[3]s; %[1]s--)", " {", "}", false},
	{"for (int %[1]s = %[2]s; %[1]s <= %[3]s; ++%[1]s)", "for (int %[1]s = %[2]s; %[1]s >= %[3]s; --%[1]s)", "\n{", "}", true},
	{"for (int %[1]s = %[2]s; %[1]s <= %[3]s; ++%[1]s)", "for (int %[1]s = %[2]s; %[1]s >= %[3]s; --%[1]s)", " {", "}", true},
	{"do %s = %s, %s", "do %s = %s, %s, -1", "", "end do", false},
	{"for %s in range(%s, %s+1)", "for %s in range(%s, %s-1, -1)", ":", "", false},
	{"for %s = %s:%s", "for %s = %s:-1:%s", "", "end", false},
}

// heads are the headers of the loops in parts, each indented more than the one before; nil if they have other forms.
func (of loopOf) heads(parts [][]token, indent int) (heads []string) {
	for n, p := range parts {
		text, down := strings.CutSuffix(textOf(p), " step -1")
		name, span, _ := strings.Cut(text, " = ")
		lo, hi, ranged := strings.Cut(span, "..")
		if !ranged || strings.Contains(span, " ") {
			return nil
		}
		form := of.up
		if down {
			form = of.down
		}
		head := strings.Repeat(" ", indent+n) + fmt.Sprintf(form, name, lo, hi)
		if !of.single || n == len(parts)-1 {
			head += of.begin
		}
		heads = append(heads, head)
	}
	return heads
}

// damageNest writes a for and its block as loops of another language, one in the block of the other.
func damageNest(t []token, s string, k int, r *rand.Rand) string {
	a, b := lineTokens(t, k)
	close := a + blockEnd(t[a:])
	if !t[a].is("for") || !t[b-1].is("{") || close >= len(t)-1 {
		return ""
	}
	if t[close-1].pos.Line == t[close].pos.Line || t[close+1].pos.Line == t[close].pos.Line {
		return ""
	}
	of := loopsElsewhere[r.IntN(len(loopsElsewhere))]
	heads := of.heads(commas(t[a+1:b-1]), t[a].indent)
	ends := slices.Repeat([]string{strings.Repeat(" ", t[a].indent) + of.end}, len(heads))
	if heads == nil {
		return ""
	}
	if of.end == "" || of.single {
		ends = ends[:min(1, len(of.end))]
	}
	lines := strings.Split(s, "\n")
	first, last := t[a].pos.Line-1, t[close].pos.Line-1
	return strings.Join(slices.Concat(lines[:first], heads, lines[first+1:last], ends, lines[last+1:]), "\n")
}

// blockEnd is the } of the first { of tokens; as many as there are without one.
func blockEnd(t []token) int {
	depth := 0
	for k, x := range t {
		if x.is("{") {
			depth++
		}
		if x.is("}") {
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return len(t)
}

// damageDimensionDropped drops the first dimension in the declaration of an array, and in its init.
func damageDimensionDropped(t []token, s string, k int, _ *rand.Rand) string {
	if !t[k].is("array") {
		return ""
	}
	first := regexp.MustCompile(`\b((?:array|init) ` + regexp.QuoteMeta(t[k+1].text) + `\[)[^,\]]+, *`)
	return first.ReplaceAllString(s, "$1")
}
