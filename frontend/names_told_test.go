package frontend

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// numberedName matches names that end in a digit, as those that lowering makes do.
var numberedName = regexp.MustCompile(`\b[A-Za-z_][A-Za-z_0-9]*[0-9]\b`)

// TestNamesTold requires of every report of mistakes as people write them that its sentences have only names of the file, not
// those that the compiler makes, and that they quote whole pieces of the text, in which each bracket has its partner.
func TestNamesTold(t *testing.T) {
	t.Parallel()
	sources := writtenMistakes(t)
	mended, err := filepath.Glob("testdata/mended/*.txt")
	if err != nil || len(mended) < 10 {
		t.Fatalf("%d nests: %v", len(mended), err)
	}
	for _, file := range mended {
		_, list := habitsOf(t, file)
		for _, h := range list {
			sources = append(sources, h.src)
		}
	}
	told := 0
	first, end := irtest.Part(10, 1) // of ten programs
	for k, src := range sources {
		if k%10 < first || k%10 >= end {
			continue
		}
		_, diags := CompileProgram("x.loop", []byte(src))
		for _, d := range diags {
			told++
			sentences := []string{d.Message}
			for _, n := range d.Notes {
				if !strings.HasPrefix(n.Message, hereToo) { // a text to type
					sentences = append(sentences, n.Message)
				}
			}
			for _, s := range sentences {
				if fault := sentenceFault(s, src); fault != "" {
					t.Errorf("%s:\n%s", fault, rendered("x.loop", src, []diag.Diagnostic{d}))
				}
			}
		}
	}
	if told < 100*(end-first) {
		t.Errorf("%d reports; the test proves nothing", told)
	}
}

// sentenceFault says what a sentence of a report has that its file has not, "" for nothing.
func sentenceFault(sentence, src string) string {
	for _, name := range numberedName.FindAllString(sentence, -1) {
		if ir.TypeNamed(name) == ir.Invalid && !strings.Contains(strings.ToLower(src), strings.ToLower(name)) {
			return name + " is no name of the file"
		}
	}
	if strings.Contains(sentence, hole) {
		return "a sentence with a hole"
	}
	depth := map[string]int{}
	tokens, _ := scan([]byte(sentence))
	for _, x := range tokens {
		switch x.text {
		case "(", "[":
			depth[x.text]++
		case ")":
			depth["("]--
		case "]":
			depth["["]--
		}
	}
	if (depth["("] != 0 || depth["["] != 0) && !strings.Contains(sentence, "unexpected") && !strings.Contains(sentence, "...") && !strings.Contains(sentence, "closed") {
		return "a bracket without its partner"
	}
	return ""
}
