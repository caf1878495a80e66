package frontend

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeptTrees: a statement whose tree is kept means what it meant, also at another place: behind one more line, everything is
// told a line below, and with all lines moved a column to the right, a column to the right.
func TestKeptTrees(t *testing.T) {
	said := func(src string, up, left int) (text string) {
		_, diags := CompileProgram("x.loop", []byte(src))
		for _, d := range diags {
			text += fmt.Sprintln(d.Code, d.At.Line-up, d.At.Col-left, d.At.Len, max(0, d.Replace.Line-up), max(0, d.Replace.Col-left), d.Replace.Len)
		}
		return text
	}
	told := 0
	for k, src := range textsOf(t, "../testdata/diag/*.loop") {
		if k%3 > 0 {
			continue
		}
		kept.access.Lock()
		kept.trees, kept.tokens = nil, 0
		kept.access.Unlock()
		want := said(src, 0, 0)
		told += len(want)
		if again := said(src, 0, 0); again != want {
			t.Errorf("%s\ntold again:\n%swant\n%s", src, again, want)
		}
		if below := said("\n"+src, 1, 0); below != want {
			t.Errorf("%s\ntold a line below:\n%swant\n%s", src, below, want)
		}
		if right := said(strings.ReplaceAll(" "+src, "\n", "\n "), 0, 1); right != want {
			t.Errorf("%s\ntold a column to the right:\n%swant\n%s", src, right, want)
		}
	}
	if told < 300 {
		t.Error("the files tell little")
	}
}
